//! Reads input lines of bounded length.

use std::io::{self, BufRead};

/// One line without its line break.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum InputLine {
    /// The whole line.
    Text(String),
    /// The line with invalid UTF-8 replaced.
    NotUtf8(String),
    /// The beginning of a line that exceeds the limit.
    TooLong(String),
}

/// Reads the next line. Returns `None` at the end of input.
///
/// The limit is in bytes and does not include the line break. Of a longer line only the beginning
/// is kept; the rest is skipped as it arrives.
pub(crate) fn read_line(input: &mut impl BufRead, limit: usize) -> io::Result<Option<InputLine>> {
    let mut bytes = Vec::new();
    // The line break may take two bytes.
    let room = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(2);
    io::Read::take(&mut *input, room).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let is_whole = bytes.ends_with(b"\n");
    for end in [b'\n', b'\r'] {
        if bytes.last() == Some(&end) {
            bytes.pop();
        }
    }
    if bytes.len() > limit {
        if !is_whole {
            input.skip_until(b'\n')?;
        }
        bytes.truncate(limit);
        return Ok(Some(InputLine::TooLong(String::from_utf8_lossy(&bytes).into_owned())));
    }
    Ok(Some(match String::from_utf8(bytes) {
        Ok(text) => InputLine::Text(text),
        Err(error) => InputLine::NotUtf8(String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mut input: &[u8], expected: &[InputLine]) {
        let mut lines = Vec::new();
        while let Some(line) = read_line(&mut input, 4).expect("memory can be read") {
            lines.push(line);
        }
        assert_eq!(lines, expected);
    }

    fn text(text: &str) -> InputLine {
        InputLine::Text(text.into())
    }

    fn too_long(beginning: &str) -> InputLine {
        InputLine::TooLong(beginning.into())
    }

    #[test]
    fn every_line_comes_without_its_end() {
        check(b"", &[]);
        check(b"ab\ncd", &[text("ab"), text("cd")]);
        check(b"ab\r\n\n\r\ncd\n", &[text("ab"), text(""), text(""), text("cd")]);
        check(b"a\rb\n", &[text("a\rb")]);
    }

    #[test]
    fn a_line_may_just_reach_the_limit() {
        check(b"abcd\r\nabcd\nabcd", &[text("abcd"), text("abcd"), text("abcd")]);
    }

    #[test]
    fn a_line_over_the_limit_is_cut_and_the_next_one_is_whole() {
        check(b"abcde\nf", &[too_long("abcd"), text("f")]);
        check(b"abcdef\ng", &[too_long("abcd"), text("g")]);
        check(b"abcdefghijk\nl", &[too_long("abcd"), text("l")]);
        check(b"abcdefghijk", &[too_long("abcd")]);
    }

    #[test]
    fn invalid_utf8_is_reported() {
        check(b"a\xff\nb", &[InputLine::NotUtf8("a\u{fffd}".into()), text("b")]);
    }
}
