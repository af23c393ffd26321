//! Comments.

use memchr::{memchr2, memchr3};

use super::boundary::is_game_start;

/// A comment in braces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Comment {
    /// Where its text ends.
    pub(crate) text_end: usize,
    /// Where what follows it begins.
    pub(crate) end: usize,
    /// Whether there is a brace to close it.
    pub(crate) is_closed: bool,
    /// Whether it was taken for a comment with another in it.
    pub(crate) is_nested: bool,
}

/// The comment whose text begins at `start`, after its brace. It ends at the first closing brace,
/// because comments do not nest. Some writers nest them all the same: if a brace was opened
/// within the text, and the next brace of all is another closing one, that one ends it. A comment
/// that is not closed ends where a game begins.
pub(crate) fn comment_after(source: &[u8], start: usize) -> Comment {
    let mut from = start;
    let mut opened = false;
    while let Some(found) = memchr3(b'}', b'\n', b'{', &source[from..]) {
        let at = from + found;
        match source[at] {
            b'}' if opened => return nested_comment(source, at),
            b'}' => {
                return Comment { text_end: at, end: at + 1, is_closed: true, is_nested: false };
            }
            b'{' => opened = true,
            _ if is_game_start(source, at + 1) => return unclosed(at + 1),
            _ => {}
        }
        from = at + 1;
    }
    unclosed(source.len())
}

fn unclosed(end: usize) -> Comment {
    Comment { text_end: end, end, is_closed: false, is_nested: false }
}

/// The comment whose first closing brace, after an opening one in the text, is at `at`.
fn nested_comment(source: &[u8], mut at: usize) -> Comment {
    let mut is_nested = false;
    while let Some(next) = closing_brace_after(source, at + 1) {
        is_nested = true;
        at = next;
    }
    Comment { text_end: at, end: at + 1, is_closed: true, is_nested }
}

/// The next brace, if it is a closing one of the same game.
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

/// Where the line ends that `at` lies in: the offset of its line feed or, in files that have
/// come down from old machines, its carriage return; or the end of the source.
pub(crate) fn line_end(source: &[u8], at: usize) -> usize {
    let rest = source.get(at..).unwrap_or_default();
    memchr2(b'\n', b'\r', rest).map_or(source.len(), |found| at + found)
}

/// Where the bracket of something like `[%clk 1:00]` outside comments ends, or else its line.
pub(crate) fn bracket_end(source: &[u8], at: usize) -> usize {
    match memchr2(b']', b'\n', &source[at..]) {
        Some(found) if source[at + found] == b']' => at + found + 1,
        Some(found) => at + found,
        None => source.len(),
    }
}
