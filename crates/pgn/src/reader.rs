//! The reader: turns bytes into calls of a visitor.
//!
//! This module tracks where a game begins and ends, which variations are open, and what the
//! visitor wants to skip. The lexer knows the form of tokens, and no code here knows chess.
//!
//! Invariant: every step advances by at least one byte, there is no recursion, and nothing is
//! allocated except the texts of problems.

mod moves;
mod null_visitor;
mod skip;
mod words;

use std::ops::Range;

use crate::lexer::{
    BYTE_ORDER_MARK, Class, Spelling, begins_line, class_of, comment_after, is_game_start,
    line_end, next_game_start, tag_at,
};
use crate::{
    Flow, GameResult, MAX_GAME_BYTES, MAX_TAG_NAME_BYTES, MAX_TAG_VALUE_BYTES, MAX_TAGS, Problem,
    ProblemKind, Visitor,
};

/// Reads all games of a source and reports their contents to the visitor.
///
/// No input is rejected. Deviations from the standard are reported as problems, and reading
/// continues. Comments before the tags of the first game belong to no game and are skipped.
///
/// ```
/// use castellan_pgn::{Flow, GameResult, Problem, Visitor, read};
/// use std::ops::Range;
///
/// #[derive(Default)]
/// struct Moves(Vec<String>);
///
/// impl Visitor for Moves {
///     fn begin_game(&mut self, _at: usize) -> Flow { Flow::Continue }
///     fn tag(&mut self, _name: &[u8], _value: &[u8], _at: usize) -> Flow { Flow::Continue }
///     fn begin_moves(&mut self, _at: usize) -> Flow { Flow::Continue }
///     fn move_number(&mut self, _number: u32, _at: usize) {}
///     fn mv(&mut self, text: &[u8], _at: usize) -> Flow {
///         self.0.push(String::from_utf8_lossy(text).into_owned());
///         Flow::Continue
///     }
///     fn nag(&mut self, _nag: u8, _at: usize) {}
///     fn comment(&mut self, _text: &[u8], _at: usize) {}
///     fn begin_variation(&mut self, _at: usize) -> Flow { Flow::Skip }
///     fn end_variation(&mut self, _at: usize) {}
///     fn result(&mut self, _result: GameResult, _at: usize) {}
///     fn problem(&mut self, _problem: Problem) {}
///     fn end_game(&mut self, _range: Range<usize>) -> Flow { Flow::Continue }
/// }
///
/// let mut moves = Moves::default();
/// read(b"1. e4! {best} (1. d4 d5) 1... e5 *", &mut moves);
/// assert_eq!(moves.0, ["e4", "e5"]);
/// ```
pub fn read(source: &[u8], visitor: &mut impl Visitor) {
    let mut at = 0;
    while let Some(start) = find_game(source, at) {
        let mut game = GameReader::new(source, start);
        if game.read(visitor) == Flow::Stop {
            return;
        }
        at = game.at;
        if game.is_over_limit() {
            at = next_game_start(source, at).unwrap_or(source.len());
        }
    }
}

/// Returns where the next game begins; `None` if there is none.
fn find_game(source: &[u8], at: usize) -> Option<usize> {
    let start = past_blanks(source, at);
    let mut after = start;
    while let Some(b'{' | b';') = source.get(after) {
        after = match source[after] {
            b'{' => comment_after(source, after + 1).end,
            _ => line_end(source, after),
        };
        after = past_blanks(source, after);
    }
    if after == source.len() {
        None
    } else if is_game_start(source, after) {
        Some(after)
    } else {
        Some(start)
    }
}

/// Skips whitespace, escape lines and byte order marks, and returns the offset of the next byte.
fn past_blanks(source: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = source.get(at) {
        at = match class_of(byte) {
            Class::Space => at + 1,
            Class::Escape if begins_line(source, at) => line_end(source, at),
            _ if source[at..].starts_with(BYTE_ORDER_MARK) => at + BYTE_ORDER_MARK.len(),
            _ => break,
        };
    }
    at
}

/// Why reading the parts of a game stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Leave {
    /// The game has ended.
    Over,
    /// The visitor does not want the rest of the game.
    Skip,
    /// The visitor wants no more games.
    Stop,
}

/// Converts the visitor's reply into whether to continue with the game.
#[inline(always)]
fn go_on(flow: Flow) -> Result<(), Leave> {
    match flow {
        Flow::Continue => Ok(()),
        Flow::Skip => Err(Leave::Skip),
        Flow::Stop => Err(Leave::Stop),
    }
}

/// A result that has been read but not reported: comments may follow, or it may turn out not to
/// be the end.
struct PendingResult {
    result: GameResult,
    range: Range<usize>,
    /// Whether another game without tags may follow. A result with a colon is too uncertain for
    /// that.
    is_firm: bool,
}

/// Reads one game.
struct GameReader<'s> {
    /// The source up to where the game must have ended.
    source: &'s [u8],
    /// Whether the game is longer than the limit, so that the source continues after that.
    is_cut: bool,
    start: usize,
    at: usize,
    tags: usize,
    is_in_moves: bool,
    /// Whether the current line has a move.
    has_move: bool,
    /// The same for the enclosing lines, the innermost in the lowest bit.
    outer_has_move: u128,
    depth: usize,
    /// Where the outermost open variation begins, or one that was skipped and never closed.
    opened_at: usize,
    is_unfinished: bool,
    result: Option<PendingResult>,
    /// The last run of escape lines, which is not part of the game if it comes at the end.
    escapes: Range<usize>,
}

impl<'s> GameReader<'s> {
    fn new(source: &'s [u8], start: usize) -> GameReader<'s> {
        let end = source.len().min(start.saturating_add(MAX_GAME_BYTES));
        GameReader {
            source: &source[..end],
            is_cut: end < source.len() && !is_game_start(source, end),
            start,
            at: start,
            tags: 0,
            is_in_moves: false,
            has_move: false,
            outer_has_move: 0,
            depth: 0,
            opened_at: start,
            is_unfinished: false,
            result: None,
            escapes: start..start,
        }
    }

    /// Reads the game to its end, whatever parts the visitor wants.
    fn read(&mut self, visitor: &mut impl Visitor) -> Flow {
        match self.parts(visitor) {
            Err(Leave::Stop) => return Flow::Stop,
            Err(Leave::Skip) => self.skip_rest(),
            Ok(()) | Err(Leave::Over) => self.finish(visitor),
        }
        visitor.end_game(self.start..self.end())
    }

    fn parts(&mut self, visitor: &mut impl Visitor) -> Result<(), Leave> {
        go_on(visitor.begin_game(self.start))?;
        self.tags(visitor)?;
        self.is_in_moves = true;
        go_on(visitor.begin_moves(self.at))?;
        self.moves(visitor)
    }

    fn is_over_limit(&self) -> bool {
        self.is_cut && self.at >= self.source.len()
    }

    /// Reports what remains when the game is over: unclosed variations and the result.
    fn finish(&mut self, visitor: &mut impl Visitor) {
        let end = self.end();
        if self.is_over_limit() {
            self.tell(visitor, ProblemKind::OverLimit("game"), self.start..end);
        }
        if self.depth > 0 || self.is_unfinished {
            self.tell(visitor, ProblemKind::UnfinishedVariation, self.opened_at..end);
        }
        for _ in 0..self.depth {
            visitor.end_variation(end);
        }
        match self.result.take() {
            Some(pending) => visitor.result(pending.result, pending.range.start),
            None => self.tell(visitor, ProblemKind::NoResult, end..end),
        }
    }

    /// Returns where the last token ends.
    fn end(&self) -> usize {
        let end = self.trimmed(self.at);
        if end > self.escapes.end || self.escapes.is_empty() {
            end
        } else {
            self.trimmed(self.escapes.start)
        }
    }

    /// Returns `end` moved back over the whitespace before it.
    fn trimmed(&self, end: usize) -> usize {
        let text = &self.source[self.start..end];
        self.start + text.iter().rposition(|&byte| byte > b' ').map_or(0, |last| last + 1)
    }

    /// Reports a problem. Problems are rare, and their texts are the only allocations of the
    /// reader.
    #[cold]
    fn tell(&self, visitor: &mut impl Visitor, kind: ProblemKind, range: Range<usize>) {
        visitor.problem(Problem::new(range.start, &self.source[range.clone()], kind));
    }

    /// Reads the tags.
    fn tags(&mut self, visitor: &mut impl Visitor) -> Result<(), Leave> {
        let mut last: Option<(usize, bool)> = None;
        while let Some(&byte) = self.source.get(self.at) {
            match class_of(byte) {
                Class::Space => self.at += 1,
                Class::Escape if begins_line(self.source, self.at) => self.escape_line(),
                Class::TagStart if self.names_tag(self.at) => {
                    // Most tags follow another tag on the line before; then there is no need to
                    // look back for it.
                    let follows = last.is_some_and(|(end, began_line)| {
                        began_line && self.source[end..self.at] == *b"\n"
                    });
                    if !follows && last.is_some() && is_game_start(self.source, self.at) {
                        return Ok(());
                    }
                    let began_line = follows || begins_line(self.source, self.at);
                    self.tag(visitor)?;
                    last = Some((self.at, began_line));
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Returns `true` if the bracket is followed by a name.
    fn names_tag(&self, at: usize) -> bool {
        let rest = self.source.get(at + 1..).unwrap_or_default();
        let first = rest.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
        first.is_some_and(u8::is_ascii_alphabetic)
    }

    #[inline]
    fn tag(&mut self, visitor: &mut impl Visitor) -> Result<(), Leave> {
        let start = self.at;
        let tag = tag_at(self.source, start);
        self.at = tag.end;
        self.tags += 1;
        let over = if tag.name.len() > MAX_TAG_NAME_BYTES {
            Some("tag name")
        } else if tag.value.len() > MAX_TAG_VALUE_BYTES {
            Some("tag value")
        } else {
            (self.tags > MAX_TAGS).then_some("tags")
        };
        if let Some(what) = over {
            self.tell(visitor, ProblemKind::OverLimit(what), start..tag.end);
            return Ok(());
        }
        match tag.spelling {
            Spelling::Standard => {}
            Spelling::Odd => self.tell(visitor, ProblemKind::TagSpelling, start..tag.end),
            Spelling::Broken => self.tell(visitor, ProblemKind::UnfinishedTag, start..tag.end),
        }
        let (name, value) = (&self.source[tag.name], &self.source[tag.value.clone()]);
        go_on(visitor.tag(name, value, tag.value.start))
    }

    /// Skips a line that begins with `%`.
    fn escape_line(&mut self) {
        let end = line_end(self.source, self.at);
        let is_run = !self.escapes.is_empty() && self.trimmed(self.at) <= self.escapes.end;
        self.escapes = if is_run { self.escapes.start..end } else { self.at..end };
        self.at = end;
    }
}

#[cfg(test)]
mod tests;
