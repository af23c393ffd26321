//! Diagnoses FENs: what is wrong with the text, whether any game can reach the position, and
//! which side can still win.
//!
//! This crate is responsible for the findings with their codes and messages, the arguments that
//! prove a position unreachable, the search for a proof game that reaches it, repairs, and dead
//! positions. It leaves the rules of chess to `castellan-rules`, and does not touch files, clocks
//! or terminals.
//!
//! Invariant: soundness comes first. A position that a game can reach is never called illegal.

mod basics;
mod case;
mod clocks;
mod doctor;
mod effort;
mod finding;
mod history;
mod kernel;
mod matching;
pub mod message;
pub mod picture;
pub mod proof_game;
mod reading;
mod refuter;
mod repair;
mod retro;
#[cfg(test)]
mod tests_common;
pub mod winning;

pub use case::Case;
pub use doctor::{Doctor, Report, Verdict};
pub use effort::{Budget, Effort};
pub use finding::{Code, Field, Finding, Severity, Value};
pub use message::Language;
pub use repair::Repair;
