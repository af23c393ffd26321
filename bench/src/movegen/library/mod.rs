//! The interface to the libraries, and the list of them.
//!
//! The code for each library is written as an expert user of its crate would write it: it uses the fastest
//! documented calls, and nothing that bypasses the public API.

use anyhow::Result;
use clap::ValueEnum;

mod castellan;
mod chess;
mod cozy_chess;
mod shakmaty;

/// A chess library to measure. Every tree walk returns the number of leaves.
pub(crate) trait ChessLibrary {
    /// Returns the crate's name, as the ratio lines print it.
    fn name(&self) -> &'static str;

    /// Counts the moves at the last half-move, without enumerating them.
    fn count(&self, fen: &str, depth: u32) -> Result<u64>;

    /// Builds the list of moves of the last half-move in memory and counts them.
    fn list(&self, fen: &str, depth: u32) -> Result<u64>;

    /// Makes every move, the last one included, on a copy of the position.
    fn make(&self, fen: &str, depth: u32) -> Result<u64>;

    /// Parses each FEN to a checked position and returns how many were accepted.
    fn read(&self, fens: &[String]) -> usize;
}

/// Returns Castellan as a library to measure.
pub(crate) fn ours() -> Box<dyn ChessLibrary> {
    Box::new(castellan::Castellan)
}

/// A library to compare with.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Peer {
    /// Under the GPL; the library behind much of Lichess.
    Shakmaty,
    /// Under MIT; the fastest of the three.
    CozyChess,
    /// Under MIT; the oldest of the three.
    Chess,
}

impl Peer {
    /// Returns the peer as a library to measure.
    pub(crate) fn library(self) -> Box<dyn ChessLibrary> {
        match self {
            Peer::Shakmaty => Box::new(shakmaty::Shakmaty),
            Peer::CozyChess => Box::new(cozy_chess::CozyChess),
            Peer::Chess => Box::new(chess::Chess),
        }
    }
}
