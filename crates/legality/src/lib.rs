//! What is wrong with a FEN, whether a game can reach a position, and who can still win.
//!
//! Owns: findings with their codes and sentences, the arguments why no game reaches a position,
//! the search for a game that does, repairs, and dead positions.
//! Does not own: the rules, which are asked of `castellan-rules`; files, time and terminals.
//!
//! Sound above all: a position that a game can reach is never called illegal.

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
