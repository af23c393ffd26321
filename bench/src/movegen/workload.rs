//! A piece of work for a library, with a known result.

use anyhow::{Result, ensure};

use super::library::ChessLibrary;
use super::suite::Tree;
use crate::clock::timed;
use crate::contest::Timing;

/// Number of FENs in one sample, because the time for a single FEN is too short to measure.
const FENS_PER_SAMPLE: usize = 50_000;

/// A function that walks a tree.
pub(super) type Walk = for<'a> fn(&'a (dyn ChessLibrary + 'a), &str, u32) -> Result<u64>;

type Work = Box<dyn Fn(&dyn ChessLibrary) -> Result<u64>>;

/// A piece of work with a known result.
pub(super) struct Workload {
    /// The name in tables and errors.
    pub(super) name: String,
    /// The expected result, which is also the amount of work: the number of leaves or FENs.
    units: u64,
    work: Work,
}

impl Workload {
    /// Returns the work of walking `tree` with `walk`.
    pub(super) fn walk(tree: Tree, walk: Walk) -> Workload {
        Workload {
            name: format!("{} {}", tree.entry.name, tree.depth),
            units: tree.leaves,
            work: Box::new(move |library| walk(library, tree.entry.fen, tree.depth)),
        }
    }

    /// Returns the work of parsing all FENs, several times if the list is short.
    pub(super) fn read(fens: Vec<String>) -> Workload {
        let passes = FENS_PER_SAMPLE.div_ceil(fens.len());
        Workload {
            name: format!("{} positions", fens.len()),
            units: (fens.len() * passes) as u64,
            work: Box::new(move |library| {
                let accepted: usize = (0..passes).map(|_| library.read(&fens)).sum();
                Ok(accepted as u64)
            }),
        }
    }

    /// Measures the work once. A wrong result is an error.
    pub(super) fn sample(&self, library: &dyn ChessLibrary) -> Result<Timing> {
        let (result, time) = timed(|| (self.work)(library));
        let (name, result, units) = (library.name(), result?, self.units);
        ensure!(result == units, "{}: {name} returned {result}, expected {units}", self.name);
        Ok(Timing { units, time })
    }
}
