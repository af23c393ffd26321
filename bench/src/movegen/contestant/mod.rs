//! What a contestant can be asked to do, and who they are.
//!
//! Each contestant is written the way a good user of its crate would write it:
//! the fastest documented calls, and nothing that reaches around the public API.

use anyhow::Result;
use clap::ValueEnum;

mod castellan;
mod chess;
mod cozy_chess;
mod shakmaty;

/// A chess library under the harness. Every tree walk returns the number of leaves.
pub(crate) trait Contestant {
    /// The crate's name, as the ratio lines print it.
    fn name(&self) -> &'static str;

    /// Counts leaves one half-move early, without looking at single moves.
    fn count(&self, fen: &str, depth: u32) -> Result<u64>;

    /// Builds the list of moves in memory one half-move early and takes its length.
    fn list(&self, fen: &str, depth: u32) -> Result<u64>;

    /// Makes every move, the last one included, on a copy of the position.
    fn make(&self, fen: &str, depth: u32) -> Result<u64>;

    /// Reads each text to a checked position and returns how many were accepted.
    fn read(&self, fens: &[String]) -> usize;
}

/// Castellan, ready to run.
pub(crate) fn ours() -> Box<dyn Contestant> {
    Box::new(castellan::Castellan)
}

/// A library to compare with.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Peer {
    /// GPL, the crate behind much of Lichess.
    Shakmaty,
    /// MIT, the fastest of the three.
    CozyChess,
    /// MIT, the oldest of the three.
    Chess,
}

impl Peer {
    /// The peer, ready to run.
    pub(crate) fn contestant(self) -> Box<dyn Contestant> {
        match self {
            Peer::Shakmaty => Box::new(shakmaty::Shakmaty),
            Peer::CozyChess => Box::new(cozy_chess::CozyChess),
            Peer::Chess => Box::new(chess::Chess),
        }
    }
}
