//! Reads lines of bounded length.

use std::io::{self, BufRead, Read};

/// Reads the next line without its line break. Returns `None` at the end of the stream. Bytes
/// beyond the limit are discarded as they arrive, and invalid UTF-8 is replaced.
pub(super) fn read_line(input: &mut impl BufRead, limit: usize) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(limit).unwrap_or(u64::MAX);
    input.take(limit).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if !bytes.ends_with(b"\n") {
        input.skip_until(b'\n')?;
    }
    while matches!(bytes.last(), Some(b'\n' | b'\r')) {
        bytes.pop();
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mut input: &[u8], expected: &[&str]) {
        let mut lines = Vec::new();
        while let Some(line) = read_line(&mut input, 4).expect("memory can be read") {
            lines.push(line);
        }
        assert_eq!(lines, expected);
    }

    #[test]
    fn lines_come_without_their_ends_and_no_longer_than_allowed() {
        check(b"", &[]);
        check(b"ab\r\n\ncd", &["ab", "", "cd"]);
        check(b"abcdefgh\nij", &["abcd", "ij"]);
        check(b"abcd\nij\n", &["abcd", "ij"]);
        check(b"\xff\n", &["\u{fffd}"]);
    }
}
