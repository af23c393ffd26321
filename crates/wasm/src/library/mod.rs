//! The library: the list of games in a PGN file of any size, read piece by piece.
//!
//! This module holds the index of the open file and the current filter. The page owns the file:
//! it passes the bytes in, and later reads a single game again by its offset. Invariant: after
//! every piece the list contains all games that are complete so far, and its size is bounded by
//! the limits of [`index`], not by the file.

mod fold;
mod inbox;
mod index;
mod indexer;
mod names;
mod sieve;

use std::io::ErrorKind;

use castellan_pgn::{Block, Blocks, Checker, Mode, read};
use serde::Deserialize;
use serde_json::json;

use crate::desk::{Answer, Failure};
use inbox::Inbox;
use index::Index;
use indexer::Indexer;
use sieve::Sieve;
pub(crate) use sieve::Wish;

/// Maximum number of games returned at once.
const MAX_TOLD: usize = 1000;

/// The file that is being read or has been read.
pub(crate) struct Library {
    blocks: Blocks<Inbox>,
    index: Index,
    sieve: Sieve,
}

/// A range of the games that match the filter.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Span {
    from: usize,
    count: usize,
}

impl Default for Library {
    fn default() -> Library {
        Library {
            blocks: Blocks::new(Inbox::default()),
            index: Index::default(),
            sieve: Sieve::default(),
        }
    }
}

impl Library {
    /// Processes the next bytes of the file.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Answer {
        self.blocks.reader_mut().put(bytes);
        self.read_on()
    }

    /// Processes the end of the file.
    pub(crate) fn finish(&mut self) -> Answer {
        self.blocks.reader_mut().close();
        self.read_on()
    }

    /// Sets the filter.
    pub(crate) fn sift(&mut self, wish: Wish) -> Answer {
        self.sieve = Sieve::new(wish);
        self.sieve.catch_up(&self.index);
        self.tally()
    }

    /// Returns games of the filtered list.
    pub(crate) fn told(&self, span: &Span) -> Answer {
        let last = span.from.saturating_add(span.count.min(MAX_TOLD));
        let rows = (span.from..last).map_while(|at| self.sieve.row(at, &self.index));
        Ok(rows.map(|row| self.index.told(row)).collect())
    }

    fn read_on(&mut self) -> Answer {
        while !self.index.is_full() {
            match self.blocks.next() {
                Ok(Some(block)) => self.list(block),
                Ok(None) => break,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(Failure::new("unreadable", error)),
            }
        }
        self.sieve.catch_up(&self.index);
        self.tally()
    }

    fn list(&mut self, block: Block) {
        let indexer = Indexer::new(&mut self.index, &block);
        let mut checker = Checker::new(indexer, Mode::Lenient);
        read(&block.bytes, &mut checker);
        self.blocks.recycle(block.bytes);
    }

    fn tally(&self) -> Answer {
        Ok(json!({
            "games": self.index.len(),
            "broken": self.index.broken(),
            "matches": self.sieve.len(&self.index),
            "is_full": self.index.is_full(),
        }))
    }
}

#[cfg(test)]
mod tests;
