//! Finds where games begin.
//!
//! There is one rule, for the reader and for any code that splits a file: a game begins with a
//! line that starts like a tag, `[Name "`, and that comes after a line that does not start with a
//! bracket, or at the beginning of the source. Escape lines are ignored. The rule looks only at
//! the beginnings of lines, so it does not depend on open comments and variations: the start of a
//! game ends them.

use memchr::{memchr_iter, memrchr};

use crate::MAX_TAG_NAME_BYTES;

/// The byte order mark that some editors put before UTF-8 text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns the offsets of all lines that begin a game with tags, in order. Games without tags are
/// not found: a file cannot be split there.
///
/// ```
/// let source = b"[Event \"a\"]\n\n1. e4 *\n\n[Event \"b\"]\n[Site \"c\"]\n\n*\n";
/// assert_eq!(castellan_pgn::game_starts(source).collect::<Vec<_>>(), [0, 22]);
/// ```
pub fn game_starts(source: &[u8]) -> impl Iterator<Item = usize> {
    let first = if source.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    std::iter::once(first)
        .chain(memchr_iter(b'\n', source).map(|feed| feed + 1))
        .filter(|&line| is_game_start(source, line))
}

/// Returns `true` if a game with tags begins at `at`.
#[inline]
pub(crate) fn is_game_start(source: &[u8], at: usize) -> bool {
    source.get(at) == Some(&b'[')
        && begins_line(source, at)
        && looks_like_tag(source, at)
        && !follows_bracket_line(source, at)
}

/// Returns the first game start after `at`.
pub(crate) fn next_game_start(source: &[u8], at: usize) -> Option<usize> {
    let rest = source.get(at..)?;
    memchr_iter(b'\n', rest).map(|feed| at + feed + 1).find(|&line| is_game_start(source, line))
}

/// Returns the last game start that is not the beginning of the source.
pub(crate) fn last_game_start(source: &[u8]) -> Option<usize> {
    let mut end = source.len();
    loop {
        end = memrchr(b'\n', &source[..end])?;
        if is_game_start(source, end + 1) {
            return Some(end + 1);
        }
    }
}

/// Returns `true` if `at` is in the first column.
pub(crate) fn begins_line(source: &[u8], at: usize) -> bool {
    let before = &source[..at];
    let before = before.strip_suffix(BYTE_ORDER_MARK).unwrap_or(before);
    before.last().is_none_or(|&byte| byte == b'\n')
}

/// Returns `true` if a bracket, a name and a quotation mark begin at `at`.
pub(crate) fn looks_like_tag(source: &[u8], at: usize) -> bool {
    let Some(rest) = source.get(at + 1..) else { return false };
    let rest = trim_blanks(rest);
    let name = rest.iter().take_while(|&&byte| is_name_byte(byte)).count();
    rest.first().is_some_and(u8::is_ascii_alphabetic)
        && name <= MAX_TAG_NAME_BYTES
        && trim_blanks(&rest[name..]).first() == Some(&b'"')
}

/// Returns `true` for the characters of tag names.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Strips leading blanks, but only a limited number: a megabyte of blanks is not a tag.
pub(crate) fn trim_blanks(bytes: &[u8]) -> &[u8] {
    let blanks =
        bytes.iter().take(MAX_TAG_NAME_BYTES).take_while(|&&byte| matches!(byte, b' ' | b'\t'));
    &bytes[blanks.count()..]
}

/// Returns `true` if the line before the one that begins at `at` begins with a bracket, ignoring
/// escape lines.
fn follows_bracket_line(source: &[u8], at: usize) -> bool {
    let mut before = &source[..at];
    loop {
        let Some((b'\n', line)) = before.split_last().map(|(last, line)| (*last, line)) else {
            return false;
        };
        let start = memrchr(b'\n', line).map_or(0, |feed| feed + 1);
        let line = &line[start..];
        if line.first() != Some(&b'%') {
            let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
            return trim_blanks(line).first() == Some(&b'[');
        }
        before = &before[..start];
    }
}

#[cfg(test)]
mod tests {
    use super::{game_starts, last_game_start, next_game_start};

    #[track_caller]
    fn check(source: &str, expected: &[usize]) {
        let source = source.as_bytes();
        let starts: Vec<usize> = game_starts(source).collect();
        assert_eq!(starts, expected);
        assert_eq!(last_game_start(source), starts.iter().rfind(|&&at| at > 0).copied());
        for at in 0..source.len() {
            let next = starts.iter().find(|&&start| start > at).copied();
            assert_eq!(next_game_start(source, at), next, "after {at}");
        }
    }

    #[test]
    fn a_tag_line_after_another_line_begins_a_game() {
        check("[Event \"a\"]\n[Site \"b\"]\n\n1. e4 *\n[Event \"c\"]\n", &[0, 32]);
        check("[Event \"a\"]\n\n[Event \"b\"]\n", &[0, 13]);
        check("1. e4 *\n\n1. d4 *\n", &[]);
        check("", &[]);
    }

    #[test]
    fn a_tag_line_after_a_bracket_line_does_not() {
        check("[Event a]\n[Site \"b\"]\n", &[]);
        check("\n [Event \"a\"]\n[Site \"b\"]\n", &[]);
    }

    #[test]
    fn escape_lines_do_not_count() {
        check("[Event \"a\"]\n% x\n%\n[Site \"b\"]\n*\n% y\n[Event \"c\"]\n", &[0, 35]);
        check("% x\n[Event \"a\"]\n", &[4]);
    }

    #[test]
    fn commands_and_indented_tags_begin_nothing() {
        check("1. e4\n[%clk \"1\"]\n [Event \"a\"]\n[Event a]\n[Event", &[]);
    }

    #[test]
    fn carriage_returns_change_nothing() {
        check("[Event \"a\"]\r\n[Site \"b\"]\r\n\r\n*\r\n[Event\t\"c\"]\r\n", &[0, 30]);
    }
}
