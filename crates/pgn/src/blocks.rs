//! Splits a stream into blocks at game boundaries.
//!
//! This module decides how much of a stream is in memory and where it is split; it leaves files,
//! threads and the contents of the games to others. Reading block by block reports exactly the
//! same as reading everything at once.

use std::io::{self, Read};

use memchr::{memchr_iter, memrchr};

use crate::lexer::{begins_line, last_game_start, next_game_start};
use crate::{Flow, MAX_GAME_BYTES, Visitor, read};

/// Minimum number of bytes to read before a block is cut off.
const BLOCK_BYTES: usize = 1024 * 1024;
/// Maximum number of buffers kept for reuse.
const MAX_SPARE_BUFFERS: usize = 8;
/// Bytes kept of an incomplete line. A longer line is not a tag, so its beginning is enough to
/// continue with.
const MAX_LINE_KEPT_BYTES: usize = 4096;

/// A number of complete games from a stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The text of the games.
    pub bytes: Vec<u8>,
    /// Offset of the first byte in the stream.
    pub offset: u64,
    /// Line number of the first line in the stream, counting from 1.
    pub line: u64,
}

/// Splits a stream into blocks of about a megabyte.
///
/// ```
/// use castellan_pgn::Blocks;
///
/// let mut blocks = Blocks::new(&b"[Event \"a\"]\n\n1. e4 *\n"[..]);
/// let block = blocks.next()?.expect("there is a game");
/// assert_eq!((block.offset, block.line), (0, 1));
/// assert!(blocks.next()?.is_none());
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Blocks<R> {
    reader: R,
    block_bytes: usize,
    max_game_bytes: usize,
    /// Bytes that have been read but not handed out.
    rest: Vec<u8>,
    /// While the rest of an oversized game is being dropped: how many bytes at the beginning of
    /// `rest` have already been handed out.
    dropping: Option<usize>,
    offset: u64,
    line: u64,
    is_at_end: bool,
    spare: Vec<Vec<u8>>,
}

impl<R: Read> Blocks<R> {
    /// Creates a splitter for the bytes of `reader`.
    pub fn new(reader: R) -> Blocks<R> {
        Blocks::with_sizes(reader, BLOCK_BYTES, MAX_GAME_BYTES)
    }

    fn with_sizes(reader: R, block_bytes: usize, max_game_bytes: usize) -> Blocks<R> {
        Blocks {
            reader,
            block_bytes,
            max_game_bytes,
            rest: Vec::new(),
            dropping: None,
            offset: 0,
            line: 1,
            is_at_end: false,
            spare: Vec::new(),
        }
    }

    /// Returns the underlying reader, so that the caller can pass more bytes to it.
    pub fn reader_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// Returns the next block, or `None` at the end of the stream. A game over the size limit is
    /// cut off a little beyond the limit, so that the PGN reader notices, and the rest of it is
    /// dropped.
    ///
    /// An error loses no data: after [`WouldBlock`](io::ErrorKind::WouldBlock), calling this
    /// again continues once there is more to read.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> io::Result<Option<Block>> {
        self.drop_to_game_start()?;
        let mut wanted = self.block_bytes;
        loop {
            self.fill(wanted)?;
            if self.is_at_end {
                let length = self.rest.len();
                return Ok((length > 0).then(|| self.cut(length)));
            }
            if let Some(start) = last_game_start(&self.rest) {
                return Ok(Some(self.cut(start)));
            }
            if self.rest.len() > self.max_game_bytes + self.block_bytes {
                return Ok(Some(self.over_limit()));
            }
            wanted = 2 * self.rest.len();
        }
    }

    /// Takes back the buffer of a block that has been read, so that a later block can reuse it.
    pub fn recycle(&mut self, mut buffer: Vec<u8>) {
        if self.spare.len() < MAX_SPARE_BUFFERS {
            buffer.clear();
            self.spare.push(buffer);
        }
    }

    /// Reads until `rest` has `wanted` bytes or the stream ends.
    fn fill(&mut self, wanted: usize) -> io::Result<()> {
        let missing = wanted.saturating_sub(self.rest.len());
        if missing > 0 && !self.is_at_end {
            self.rest.reserve(missing);
            let read = self.reader.by_ref().take(missing as u64).read_to_end(&mut self.rest)?;
            self.is_at_end = read < missing;
        }
        Ok(())
    }

    /// Hands out the first `length` bytes.
    fn cut(&mut self, length: usize) -> Block {
        let mut rest = self.spare.pop().unwrap_or_default();
        rest.extend_from_slice(&self.rest[length..]);
        let mut bytes = std::mem::replace(&mut self.rest, rest);
        bytes.truncate(length);
        let block = Block { offset: self.offset, line: self.line, bytes };
        self.offset += length as u64;
        self.line += memchr_iter(b'\n', &block.bytes).count() as u64;
        block
    }

    /// Returns the block to hand out if no tag line allows a cut. Games without tags are
    /// separated by reading them; of a game over the limit, only the beginning is handed out.
    fn over_limit(&mut self) -> Block {
        let mut starts = LineStarts { source: &self.rest, last: 0 };
        read(&self.rest, &mut starts);
        let start = starts.last;
        if start > 0 {
            return self.cut(start);
        }
        let context = self.rest.clone();
        let block = self.cut(context.len());
        self.rest = context;
        self.keep_last_lines();
        block
    }

    /// Drops everything up to the next game start while an oversized game is being dropped. The
    /// first bytes of `rest` have already been handed out and are kept only because the rule for
    /// game starts looks at the preceding line.
    fn drop_to_game_start(&mut self) -> io::Result<()> {
        while let Some(kept) = self.dropping {
            self.fill(kept + self.block_bytes)?;
            let start = next_game_start(&self.rest, 0);
            let end = start.unwrap_or(self.rest.len());
            // The start may lie in the part that was kept: a tag line of which only the bracket
            // had been read.
            let (dropped, back) = (kept.min(end)..end, kept - kept.min(end));
            self.line += memchr_iter(b'\n', &self.rest[dropped.clone()]).count() as u64;
            self.offset = self.offset + dropped.len() as u64 - back as u64;
            if start.is_some() || self.is_at_end {
                self.rest.drain(..end);
                self.dropping = None;
            } else {
                self.keep_last_lines();
            }
        }
        Ok(())
    }

    /// Shortens `rest` as far as possible without changing where the next game starts.
    fn keep_last_lines(&mut self) {
        let last = memrchr(b'\n', &self.rest).map_or(0, |feed| feed + 1);
        let mut kept = vec![if self.last_line_is_bracket(last) { b'[' } else { b'-' }, b'\n'];
        let line = &self.rest[last..];
        kept.extend_from_slice(&line[..line.len().min(MAX_LINE_KEPT_BYTES)]);
        self.dropping = Some(kept.len());
        self.rest = kept;
    }

    /// Returns `true` if the line before `end` begins with a bracket, ignoring escape lines.
    fn last_line_is_bracket(&self, end: usize) -> bool {
        let tag = b"[A \"";
        let mut probe = self.rest[..end].to_vec();
        probe.extend_from_slice(tag);
        end > 0 && !crate::lexer::is_game_start(&probe, end)
    }
}

/// Remembers the last game that starts at the beginning of a line.
struct LineStarts<'s> {
    source: &'s [u8],
    last: usize,
}

impl Visitor for LineStarts<'_> {
    fn begin_game(&mut self, at: usize) -> Flow {
        if begins_line(self.source, at) {
            self.last = at;
        }
        Flow::Continue
    }
}

/// Returns the line and column of an offset, both counting from 1. Columns are characters, or
/// bytes if the line is not valid UTF-8.
///
/// ```
/// assert_eq!(castellan_pgn::line_and_column("1. e4\n♘f6".as_bytes(), 9), (2, 2));
/// ```
pub fn line_and_column(source: &[u8], at: usize) -> (u64, u64) {
    let before = &source[..at.min(source.len())];
    let start = memrchr(b'\n', before).map_or(0, |feed| feed + 1);
    let line = memchr_iter(b'\n', before).count() as u64 + 1;
    let text = &before[start..];
    let text = if start == 0 { text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text) } else { text };
    let column = std::str::from_utf8(text).map_or(text.len(), |text| text.chars().count());
    (line, column as u64 + 1)
}

#[cfg(test)]
mod tests;
