//! Laws and examples of played games.

mod clocks;
mod endings;
mod json;
mod laws;
mod ledger;
mod moves;
mod offers;
mod pgn;
mod support;
mod touch;
mod tries;
