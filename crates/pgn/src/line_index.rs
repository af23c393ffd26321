//! Converts offsets in a block of games to lines and columns.

use crate::{Block, line_and_column};

/// Finds the lines and columns of mostly increasing offsets without counting lines twice.
#[derive(Debug)]
pub struct LineIndex<'a> {
    block: &'a Block,
    /// The start of the current line, and its number in the file.
    line_start: usize,
    line: u64,
}

impl<'a> LineIndex<'a> {
    /// Starts at the beginning of a block.
    pub fn new(block: &'a Block) -> LineIndex<'a> {
        LineIndex { block, line_start: 0, line: block.line }
    }

    /// Returns the line in the file and the column, both from 1.
    pub fn find(&mut self, at: usize) -> (u64, u64) {
        let bytes = &self.block.bytes;
        let at = at.min(bytes.len());
        if at < self.line_start {
            *self = LineIndex::new(self.block);
        }
        let (lines, column) = line_and_column(&bytes[self.line_start..], at - self.line_start);
        self.line += lines - 1;
        if lines > 1 {
            let newline = bytes[..at].iter().rposition(|byte| *byte == b'\n');
            self.line_start = newline.map_or(0, |newline| newline + 1);
        }
        (self.line, column)
    }
}
