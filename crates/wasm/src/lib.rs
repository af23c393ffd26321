//! What the page knows of chess, behind one function: a question as JSON, an answer as JSON.
//!
//! Owns: the questions, the shape of the answers, and the games that the page has open. Leaves
//! every rule to the crates below, the time to the page, which passes it in, and all words to the
//! page except those of the FEN doctor.
//!
//! There is no generated glue: the page writes the question into a buffer and reads the answer
//! from another one (`exports`). A question that makes no sense gets an error; nothing panics.

#[cfg(feature = "table")]
mod anticipation;
#[cfg(any(feature = "table", feature = "doctor"))]
mod board;
#[cfg(feature = "doctor")]
mod census;
#[cfg(feature = "doctor")]
mod composition;
mod desk;
#[cfg(feature = "doctor")]
mod doctor;
#[cfg(target_arch = "wasm32")]
mod exports;
#[cfg(feature = "table")]
mod following;
#[cfg(feature = "table")]
mod games;
#[cfg(any(feature = "table", feature = "doctor"))]
mod language;
#[cfg(feature = "library")]
mod library;
#[cfg(feature = "table")]
mod notation;
#[cfg(any(feature = "table", feature = "doctor", feature = "engine", feature = "review"))]
mod position;
#[cfg(feature = "review")]
mod review;
#[cfg(feature = "table")]
mod scoresheet;
#[cfg(feature = "engine")]
mod thinking;
#[cfg(any(feature = "table", feature = "doctor", feature = "review"))]
mod view;

pub use desk::{Desk, MAX_QUESTION_BYTES, World};
