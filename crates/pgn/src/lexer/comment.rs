//! Finds the ends of comments and lines.

use memchr::{memchr2, memchr3};

use super::boundary::is_game_start;

/// A comment in braces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CommentSpan {
    /// Offset where the text ends.
    pub(crate) text_end: usize,
    /// Offset of the first byte after the comment.
    pub(crate) end: usize,
    /// Whether the comment has a closing brace.
    pub(crate) is_closed: bool,
    /// Whether the comment was read as one that contains another.
    pub(crate) is_nested: bool,
}

/// Returns the comment whose text begins at `start`, after its opening brace. It ends at the
/// first closing brace, because comments do not nest. Some programs nest them anyway: if the text
/// contains an opening brace, and the next brace after the closing one is again a closing brace,
/// the comment extends to that one. A comment that is not closed ends where the next game begins.
pub(crate) fn comment_after(source: &[u8], start: usize) -> CommentSpan {
    let mut from = start;
    let mut opened = false;
    while let Some(found) = memchr3(b'}', b'\n', b'{', &source[from..]) {
        let at = from + found;
        match source[at] {
            b'}' if opened => return nested_comment(source, at),
            b'}' => {
                return CommentSpan {
                    text_end: at,
                    end: at + 1,
                    is_closed: true,
                    is_nested: false,
                };
            }
            b'{' => opened = true,
            _ if is_game_start(source, at + 1) => return unclosed(at + 1),
            _ => {}
        }
        from = at + 1;
    }
    unclosed(source.len())
}

fn unclosed(end: usize) -> CommentSpan {
    CommentSpan { text_end: end, end, is_closed: false, is_nested: false }
}

/// Returns the comment whose first closing brace, after an opening one in the text, is at `at`.
fn nested_comment(source: &[u8], mut at: usize) -> CommentSpan {
    let mut is_nested = false;
    while let Some(next) = closing_brace_after(source, at + 1) {
        is_nested = true;
        at = next;
    }
    CommentSpan { text_end: at, end: at + 1, is_closed: true, is_nested }
}

/// Returns the next brace if it is a closing one of the same game.
fn closing_brace_after(source: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let at = from + memchr3(b'}', b'\n', b'{', &source[from..])?;
        match source[at] {
            b'}' => return Some(at),
            b'{' => return None,
            _ if is_game_start(source, at + 1) => return None,
            _ => from = at + 1,
        }
    }
}

/// Returns the end of the line that contains `at`: the offset of its line feed or, in files from
/// old systems, its carriage return; or the end of the source.
pub(crate) fn line_end(source: &[u8], at: usize) -> usize {
    let rest = source.get(at..).unwrap_or_default();
    memchr2(b'\n', b'\r', rest).map_or(source.len(), |found| at + found)
}

/// Returns where the bracket of something like `[%clk 1:00]` outside comments ends, or the end of
/// its line if the bracket is not closed.
pub(crate) fn bracket_end(source: &[u8], at: usize) -> usize {
    match memchr2(b']', b'\n', &source[at..]) {
        Some(found) if source[at + found] == b']' => at + found + 1,
        Some(found) => at + found,
        None => source.len(),
    }
}
