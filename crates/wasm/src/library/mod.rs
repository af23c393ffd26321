//! The library: the list of games in a PGN file of any size, read piece by piece.
//!
//! This module holds the index of the open file and the current filter. The page owns the file: it
//! passes the bytes to this module, and later reads single games again by their offsets. Invariant:
//! after every piece the list contains all games that are complete so far, and its size is bounded
//! by the limits of [`index`], not by the file.

mod byte_feed;
mod explorer;
mod filter;
mod fold;
mod index;
mod indexer;
mod moves;
mod names;
mod replay;
mod search;
mod sort;

use std::io::ErrorKind;

use castellan_pgn::{Block, Blocks, Checker, Mode, read};
use serde::{Deserialize, Serialize};

use crate::error::{ApiError, ErrorCode};
use byte_feed::ByteFeed;
pub(crate) use explorer::Exploration;
pub(crate) use filter::Filter;
use filter::FilteredList;
pub(crate) use index::GameRow;
use index::Index;
use indexer::Indexer;

/// Maximum number of games returned at once.
const MAX_ROWS: usize = 1000;

/// The file that is being read or has been read.
pub(crate) struct Library {
    blocks: Blocks<ByteFeed>,
    index: Index,
    filtered: FilteredList,
}

/// A range of the games that match the filter.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Span {
    from: usize,
    count: usize,
}

/// A part of the file, in bytes.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct FileRange {
    begin: u64,
    end: u64,
}

/// How many games there are so far.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct LibraryCounts {
    games: usize,
    broken: usize,
    /// Number of games that match the filter.
    matches: usize,
    /// Number of games whose moves are not kept and cannot be searched, because there are too many.
    unsearched: usize,
    /// Whether the list has reached its size limit.
    is_full: bool,
}

impl Default for Library {
    fn default() -> Library {
        Library {
            blocks: Blocks::new(ByteFeed::default()),
            index: Index::default(),
            filtered: FilteredList::default(),
        }
    }
}

impl Library {
    /// Processes the next bytes of the file.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<LibraryCounts, ApiError> {
        self.blocks.reader_mut().put(bytes);
        self.read_on()
    }

    /// Processes the end of the file.
    pub(crate) fn finish(&mut self) -> Result<LibraryCounts, ApiError> {
        self.blocks.reader_mut().close();
        let counts = self.read_on();
        self.filtered.sort(&self.index);
        counts
    }

    /// Sets the filter and the order.
    pub(crate) fn set_filter(&mut self, filter: Filter) -> Result<LibraryCounts, ApiError> {
        self.filtered = FilteredList::new(filter)?;
        self.filtered.catch_up(&self.index);
        self.filtered.sort(&self.index);
        Ok(self.counts())
    }

    /// Returns the moves that were played in the position of the filter, in the games of the list.
    pub(crate) fn explore(&self) -> Exploration {
        Exploration::new(&self.filtered, &self.index)
    }

    /// Returns where the games of the filtered list are in the file. Games that follow each other in the
    /// file and in the list are one range.
    pub(crate) fn ranges(&self) -> Vec<FileRange> {
        let mut ranges: Vec<FileRange> = Vec::new();
        let mut last = None;
        for at in (0..).map_while(|at| self.filtered.row(at, &self.index)) {
            let Some(row) = self.index.row(at) else { break };
            let end = row.offset + u64::from(row.length);
            match ranges.last_mut().filter(|_| last == at.checked_sub(1) && last.is_some()) {
                Some(range) => range.end = end,
                None => ranges.push(FileRange { begin: row.offset, end }),
            }
            last = Some(at);
        }
        ranges
    }

    /// Returns games of the filtered list.
    pub(crate) fn rows(&self, span: &Span) -> Vec<GameRow> {
        let last = span.from.saturating_add(span.count.min(MAX_ROWS));
        let rows = (span.from..last).map_while(|at| self.filtered.row(at, &self.index));
        let ply = |row| self.filtered.position().and_then(|position| position.ply(row));
        rows.filter_map(|row| self.index.game_row(row, ply(row))).collect()
    }

    fn read_on(&mut self) -> Result<LibraryCounts, ApiError> {
        while !self.index.is_full() {
            match self.blocks.next() {
                Ok(Some(block)) => self.list(block),
                Ok(None) => break,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(ApiError::new(ErrorCode::Unreadable, error)),
            }
        }
        self.filtered.catch_up(&self.index);
        Ok(self.counts())
    }

    fn list(&mut self, block: Block) {
        let indexer = Indexer::new(&mut self.index, &block);
        let mut checker = Checker::new(indexer, Mode::Lenient);
        read(&block.bytes, &mut checker);
        self.blocks.recycle(block.bytes);
    }

    fn counts(&self) -> LibraryCounts {
        LibraryCounts {
            games: self.index.len(),
            broken: self.index.broken(),
            matches: self.filtered.len(&self.index),
            unsearched: self.index.without_moves(),
            is_full: self.index.is_full(),
        }
    }
}

#[cfg(test)]
mod search_tests;
#[cfg(test)]
mod tests;
