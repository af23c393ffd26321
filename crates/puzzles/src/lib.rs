//! Puzzles from games.
//!
//! This crate finds the positions of a game in which a mistake left one clear best move, checks
//! that move twice, continues the line as long as the solver's moves stay the only good ones, and
//! names the themes of the solution. It reads no files, knows no clock and starts no threads: the
//! caller passes in the engine and the moves of a game, and combines the results of many games.
//!
//! Effort is counted in nodes, so that the same game, effort and engine options give the same
//! puzzles on every machine.

mod clear;
mod maker;
mod puzzle;
mod themes;

pub use maker::{Effort, Stopped, find_puzzles};
pub use puzzle::Puzzle;
pub use themes::{Theme, themes};
