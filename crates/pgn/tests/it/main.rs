//! What the crate promises, asked from outside: one binary, one module per promise.

mod blocks;
mod command;
mod peers;
mod python_chess;
mod reader;
mod round_trip;
mod support;
mod tree;
mod wild;
mod writer;
