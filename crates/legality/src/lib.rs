//! Diagnoses FENs: what is wrong with the text, and whether any game can reach the position.
//!
//! This crate is responsible for the findings with their codes and messages, the arguments that
//! prove a position unreachable, the search for a proof game that reaches it, and repairs. It
//! leaves the rules of chess to `castellan-rules` and the question which side can still win to
//! `castellan-winnable`, and does not touch files, clocks or terminals.
//!
//! Invariant: soundness comes first. A position that a game can reach is never called illegal.

mod basics;
mod case;
mod clocks;
mod doctor;
mod effort;
mod finding;
mod history;
mod matching;
mod material;
pub mod message;
mod pawn_captures;
pub mod picture;
pub mod proof_game;
mod reading;
mod refuter;
mod repair;
mod retro;
#[cfg(test)]
mod tests_common;

pub use case::Case;
pub use castellan_winnable::Budget;
pub use doctor::{Doctor, Report, Verdict};
pub use effort::Effort;
pub use finding::{Code, Field, Finding, Severity, Stage, Value};
pub use message::Language;
pub use repair::Repair;
