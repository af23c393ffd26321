//! A stream, cut where games begin.
//!
//! Owns: how much of a stream is in memory, and where it is cut. Does not own: files, threads,
//! what is in the games. Reading block by block tells the same as reading all at once.

use std::io::{self, Read};

use memchr::{memchr_iter, memrchr};

use crate::lexer::{begins_line, last_game_start, next_game_start};
use crate::{Flow, MAX_GAME_BYTES, Visitor, read};

/// How much is read at least before a block is cut off.
const BLOCK_BYTES: usize = 1024 * 1024;
/// How many buffers are kept for later.
const MAX_SPARE_BUFFERS: usize = 8;
/// A line that is longer is no tag, so that its beginning is enough to go on with.
const MAX_LINE_KEPT_BYTES: usize = 4096;

/// Some whole games of a stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Their text.
    pub bytes: Vec<u8>,
    /// The offset of its first byte in the stream.
    pub offset: u64,
    /// The number of its first line in the stream, from 1.
    pub line: u64,
}

/// Cuts a stream into blocks of about a megabyte.
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
    /// What has been read and not handed out.
    rest: Vec<u8>,
    /// While a game over the limit is left out: how much of `rest` has been handed out already.
    dropping: Option<usize>,
    offset: u64,
    line: u64,
    is_at_end: bool,
    spare: Vec<Vec<u8>>,
}

impl<R: Read> Blocks<R> {
    /// Cuts what `reader` gives.
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

    /// The reader, for one that is given its bytes from outside.
    pub fn reader_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// The next block, none at the end of the stream. A game over the limit is cut a little
    /// beyond it, so that the reader notices, and the rest of it is left out.
    ///
    /// After an error nothing is lost: if it was [`WouldBlock`](io::ErrorKind::WouldBlock), the
    /// same call goes on when there is more to read.
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

    /// Takes a buffer back when its games have been read, so that the next block needs no new one.
    pub fn recycle(&mut self, mut buffer: Vec<u8>) {
        if self.spare.len() < MAX_SPARE_BUFFERS {
            buffer.clear();
            self.spare.push(buffer);
        }
    }

    /// Reads until there are `wanted` bytes or no more to come.
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

    /// What to hand out if there is no place to cut: games without tags are separated by reading
    /// them, and of a game over the limit the beginning must do.
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

    /// Leaves out everything up to the next game start, if there is something to be left out.
    /// The first bytes of `rest` have been handed out already and are only there because the rule
    /// looks at the line before.
    fn drop_to_game_start(&mut self) -> io::Result<()> {
        while let Some(kept) = self.dropping {
            self.fill(kept + self.block_bytes)?;
            let start = next_game_start(&self.rest, 0);
            let end = start.unwrap_or(self.rest.len());
            // The start may lie in what was kept: a tag line of which only the bracket had come.
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

    /// Makes `rest` as short as it can be without changing where the next game starts.
    fn keep_last_lines(&mut self) {
        let last = memrchr(b'\n', &self.rest).map_or(0, |feed| feed + 1);
        let mut kept = vec![if self.last_line_is_bracket(last) { b'[' } else { b'-' }, b'\n'];
        let line = &self.rest[last..];
        kept.extend_from_slice(&line[..line.len().min(MAX_LINE_KEPT_BYTES)]);
        self.dropping = Some(kept.len());
        self.rest = kept;
    }

    /// Whether the line before `end` begins with a bracket, escape lines not counted.
    fn last_line_is_bracket(&self, end: usize) -> bool {
        let tag = b"[A \"";
        let mut probe = self.rest[..end].to_vec();
        probe.extend_from_slice(tag);
        end > 0 && !crate::lexer::is_game_start(&probe, end)
    }
}

/// Remembers the last game that begins with its line.
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

/// The line and column of an offset, both from 1. Columns are characters, or bytes where a line
/// is not UTF-8.
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
