//! Tests of the public interface of the PGN crate: one binary, with one module per topic.

mod blocks;
mod command;
mod openings;
mod peers;
mod python_chess;
mod reader;
mod round_trip;
mod support;
mod tree;
mod wild;
mod writer;
