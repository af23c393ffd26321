//! The chess logic of the page, behind one function: a request as JSON, a response as JSON.
//!
//! This crate defines the requests and the form of the responses, and holds the games that the
//! page has open. The rules of chess come from the crates below. The page passes the time in and
//! supplies all user-visible text except that of the FEN doctor.
//!
//! There is no generated glue code: the page writes the request into one buffer and reads the
//! response from another (`exports`). The page's types are written from the types here
//! (`typescript`). An invalid request gets an error; nothing panics.

mod api;
#[cfg(any(feature = "table", feature = "doctor"))]
mod board;
#[cfg(feature = "doctor")]
mod doctor;
#[cfg(feature = "engine")]
mod engine;
mod error;
#[cfg(target_arch = "wasm32")]
mod exports;
#[cfg(feature = "doctor")]
mod fen_builder;
#[cfg(feature = "table")]
mod games;
#[cfg(any(feature = "table", feature = "doctor"))]
mod language;
#[cfg(feature = "library")]
mod library;
#[cfg(feature = "table")]
mod notation;
#[cfg(feature = "doctor")]
mod piece_counts;
#[cfg(any(feature = "table", feature = "doctor", feature = "engine", feature = "review"))]
mod position;
#[cfg(feature = "table")]
mod premoves;
#[cfg(feature = "engine")]
mod puzzles;
#[cfg(feature = "review")]
mod review;
#[cfg(feature = "table")]
mod saved_game;
#[cfg(feature = "typescript")]
pub mod typescript;
#[cfg(any(feature = "table", feature = "doctor", feature = "review"))]
mod view;

pub use api::{Api, Host, MAX_REQUEST_BYTES};
