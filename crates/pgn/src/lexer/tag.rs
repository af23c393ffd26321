//! Finds the parts of tags.

use std::ops::Range;

use super::boundary::{is_name_byte, trim_blanks};
use super::comment::line_end;

/// A tag, as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TagSpan {
    /// Range of the name.
    pub(crate) name: Range<usize>,
    /// Range of the value, without its quotation marks.
    pub(crate) value: Range<usize>,
    /// Offset of the first byte after the tag.
    pub(crate) end: usize,
    /// How well the tag is formed.
    pub(crate) spelling: Spelling,
}

/// How well a tag is formed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spelling {
    /// The tag has the standard form.
    Standard,
    /// The tag has another form, but its meaning is clear.
    Odd,
    /// The end or the name of the tag is missing.
    Broken,
}

/// Returns the tag whose bracket is at `at`. A tag never extends beyond its line.
#[inline]
pub(crate) fn tag_at(source: &[u8], at: usize) -> TagSpan {
    plain_tag(source, at).unwrap_or_else(|| odd_tag(source, at))
}

/// Reads `[Name "value"]` in its simplest form.
#[inline]
fn plain_tag(source: &[u8], at: usize) -> Option<TagSpan> {
    let rest = source.get(at + 1..)?;
    let name = plain_name_length(rest)?;
    if rest.get(name..name + 2)? != b" \"" {
        return None;
    }
    let value = at + 1 + name + 2;
    let end = value + plain_value_length(source.get(value..)?)?;
    (source.get(end..end + 2)? == b"\"]").then(|| TagSpan {
        name: at + 1..at + 1 + name,
        value: value..end,
        end: end + 2,
        spelling: Spelling::Standard,
    })
}

/// Returns the length of a name of letters and digits; `None` if it begins with a digit or is
/// unusually long.
#[inline]
fn plain_name_length(bytes: &[u8]) -> Option<usize> {
    let mut length = 0;
    while length < 24 {
        let chunk = bytes.get(length..)?.first_chunk::<8>()?;
        let stops = name_stops(u64::from_le_bytes(*chunk));
        if stops != 0 {
            length += (stops.trailing_zeros() / 8) as usize;
            return bytes[0].is_ascii_alphabetic().then_some(length);
        }
        length += 8;
    }
    None
}

/// Returns the length of a value that ends at its first quotation mark; `None` if a backslash or
/// the end of the line comes first. Values are short, so a call of `memchr` would cost more.
#[inline]
fn plain_value_length(bytes: &[u8]) -> Option<usize> {
    let mut length = 0;
    while let Some(chunk) = bytes.get(length..)?.first_chunk::<8>() {
        let stops = value_stops(u64::from_le_bytes(*chunk));
        if stops != 0 {
            length += (stops.trailing_zeros() / 8) as usize;
            return (bytes.get(length) == Some(&b'"')).then_some(length);
        }
        length += 8;
    }
    let stop = bytes[length..].iter().position(|byte| matches!(byte, b'"' | b'\\' | b'\n'))?;
    (bytes[length + stop] == b'"').then_some(length + stop)
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x80 * ONES;

/// Sets the high bit of each byte that is neither a letter nor a digit.
#[inline(always)]
fn name_stops(chunk: u64) -> u64 {
    let raised = chunk | HIGHS;
    let from = |byte: u8| raised - u64::from(byte) * ONES;
    let above_z = (chunk & !HIGHS) + u64::from(0x7f - b'z') * ONES;
    let between = (from(b'9' + 1) & !from(b'A')) | (from(b'Z' + 1) & !from(b'a'));
    (!from(b'0') | between | above_z | chunk) & HIGHS
}

/// Sets the high bit of quotation marks, backslashes and line feeds. Only the lowest bit set is
/// reliable.
#[inline(always)]
fn value_stops(chunk: u64) -> u64 {
    let equal = |byte: u8| {
        let difference = chunk ^ (u64::from(byte) * ONES);
        difference.wrapping_sub(ONES) & !difference
    };
    (equal(b'"') | equal(b'\\') | equal(b'\n')) & HIGHS
}

/// Reads anything else that begins with a bracket in the place of a tag.
#[cold]
fn odd_tag(source: &[u8], at: usize) -> TagSpan {
    let line = &source[at..line_end(source, at)];
    let blanks = line[1..].len() - trim_blanks(&line[1..]).len();
    let start = 1 + blanks;
    let length = line[start..].iter().take_while(|&&byte| is_name_byte(byte)).count();
    let name = start..start + length;
    let gap = line[name.end..].len() - trim_blanks(&line[name.end..]).len();
    let (value, end, mut spelling) = match line.get(name.end + gap) {
        Some(b'"') => quoted_value(line, name.end + gap + 1, blanks == 0 && gap == 1),
        _ => bare_value(line, name.end + gap),
    };
    if length == 0 {
        spelling = Spelling::Broken;
    }
    let shift = |range: Range<usize>| at + range.start..at + range.end;
    TagSpan { name: shift(name), value: shift(value), end: at + end, spelling }
}

/// Reads a value that begins with a quotation mark. The value ends at the first unescaped
/// quotation mark that is followed by a bracket; failing that, at the last quotation mark,
/// escaped or not, that is followed by a bracket; failing that, the tag is broken and the rest of
/// the line is the value.
fn quoted_value(line: &[u8], start: usize, well_begun: bool) -> (Range<usize>, usize, Spelling) {
    let mut last = None;
    let mut quotes = 0;
    let mut escaped = false;
    for (index, &byte) in line.iter().enumerate().skip(start) {
        if byte == b'"' {
            let after = trim_blanks(&line[index + 1..]);
            if after.first() == Some(&b']') {
                let end = line.len() - after.len() + 1;
                if !escaped {
                    let standard = well_begun && quotes == 0 && end == index + 2;
                    let spelling = if standard { Spelling::Standard } else { Spelling::Odd };
                    return (start..index, end, spelling);
                }
                last = Some((start..index, end, Spelling::Odd));
            }
            quotes += usize::from(!escaped);
        }
        escaped = byte == b'\\' && !escaped;
    }
    last.unwrap_or_else(|| {
        let value = start..start + unfinished_length(&line[start..]);
        (value, line.len(), Spelling::Broken)
    })
}

/// Reads a value without quotation marks, as in `[Event casual game]`.
fn bare_value(line: &[u8], start: usize) -> (Range<usize>, usize, Spelling) {
    match memchr::memchr(b']', &line[start..]) {
        Some(length) => {
            let value = line[start..start + length].trim_ascii_end().len();
            (start..start + value, start + length + 1, Spelling::Odd)
        }
        None => {
            let value = start..start + line[start..].trim_ascii_end().len();
            (value, line.len(), Spelling::Broken)
        }
    }
}

/// Returns how much of the rest of a line is the value of a tag without its closing quotation
/// mark or bracket.
fn unfinished_length(rest: &[u8]) -> usize {
    let rest = rest.trim_ascii_end();
    let rest = rest.strip_suffix(b"]").unwrap_or(rest);
    rest.strip_suffix(b"\"").unwrap_or(rest).trim_ascii_end().len()
}

#[cfg(test)]
mod tests {
    use super::{Spelling, tag_at};

    #[track_caller]
    fn check(text: &str, name: &str, value: &str, rest: &str, spelling: Spelling) {
        let tag = tag_at(text.as_bytes(), 0);
        let part = (&text[tag.name], &text[tag.value], &text[tag.end..]);
        assert_eq!((part, tag.spelling), ((name, value, rest), spelling), "{text:?}");
    }

    #[test]
    fn tags_as_the_standard_has_them() {
        check("[Event \"x\"]", "Event", "x", "", Spelling::Standard);
        check("[Event \"\"]\n", "Event", "", "\n", Spelling::Standard);
        check("[Event \"eight or more\"] 1.", "Event", "eight or more", " 1.", Spelling::Standard);
        check("[A_1 \"say \\\"a\\\"\"]", "A_1", "say \\\"a\\\"", "", Spelling::Standard);
        check("[Site \"C:\\\\\"]", "Site", "C:\\\\", "", Spelling::Standard);
    }

    #[test]
    fn odd_tags_that_are_understood() {
        check("[Event\"x\"]", "Event", "x", "", Spelling::Odd);
        check("[ Event  \"x\" ]\n", "Event", "x", "\n", Spelling::Odd);
        check("[White \"A \"B\" C\"]", "White", "A \"B\" C", "", Spelling::Odd);
        check("[Site \"C:\\\"]\r\n", "Site", "C:\\", "\r\n", Spelling::Odd);
        check("[Event x y ] z", "Event", "x y", " z", Spelling::Odd);
        check("[Event]", "Event", "", "", Spelling::Odd);
    }

    #[test]
    fn broken_tags_keep_what_they_have() {
        check("[White \"Joe\"\n[", "White", "Joe", "\n[", Spelling::Broken);
        check("[White \"Joe]\r\n", "White", "Joe", "\r\n", Spelling::Broken);
        check("[White \"Joe", "White", "Joe", "", Spelling::Broken);
        check("[White Joe", "White", "Joe", "", Spelling::Broken);
        check("[", "", "", "", Spelling::Broken);
        check("[\"x\"]", "", "x", "", Spelling::Broken);
    }
}
