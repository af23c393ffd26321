//! Splits a line into words with their positions.

use core::time::Duration;
use std::fmt::{self, Write};

use castellan_rules::UciMove;

use crate::{Expected, ParseUciError};

/// A word and its byte offset in the line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
}

/// The words of a line from some byte offset on, separated by any amount of whitespace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    pub(crate) fn new(line: &'a str) -> Words<'a> {
        Words { line, at: 0 }
    }

    /// Returns the next word without consuming it.
    pub(crate) fn peek(&self) -> Option<Word<'a>> {
        let mut ahead = *self;
        ahead.next()
    }

    /// Consumes the next word if it equals `text`, and returns whether it did.
    pub(crate) fn take(&mut self, text: &str) -> bool {
        let is_next = self.peek().is_some_and(|word| word.text == text);
        if is_next {
            self.next();
        }
        is_next
    }

    /// Consumes the rest of the line and returns it without surrounding whitespace.
    pub(crate) fn rest(&mut self) -> String {
        let rest = self.line[self.at..].trim_matches(is_blank);
        self.at = self.line.len();
        OneLine(rest).to_string()
    }

    /// Consumes the words before the first of `ends` and returns them joined by single spaces.
    pub(crate) fn until(&mut self, ends: &[&str]) -> String {
        let mut joined = String::new();
        while let Some(word) = self.peek().filter(|word| !ends.contains(&word.text)) {
            self.next();
            if !joined.is_empty() {
                joined.push(' ');
            }
            joined.push_str(word.text);
        }
        joined
    }

    /// Returns the error that something else was expected at the next word.
    pub(crate) fn expected(&self, expected: Expected) -> ParseUciError {
        let at = self.peek().map_or(self.line.len(), |word| word.at);
        ParseUciError { at, expected }
    }

    /// Parses and consumes the next word, or returns the error that something else was expected.
    pub(crate) fn value<T>(
        &mut self,
        expected: Expected,
        read: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<T, ParseUciError> {
        let value = self.peek().and_then(|word| read(word.text));
        let value = value.ok_or_else(|| self.expected(expected))?;
        self.next();
        Ok(value)
    }

    /// Parses a number that is not negative. A number too large for its type becomes the largest
    /// value: a client that sends so large a number wants no limit.
    pub(crate) fn amount<T: TryFrom<u64> + Bounded>(&mut self) -> Result<T, ParseUciError> {
        self.value(Expected::Count, |text| {
            let digits = text.strip_prefix('+').unwrap_or(text);
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let number = is_number.then(|| digits.parse().unwrap_or(u64::MAX))?;
            Some(T::try_from(number).unwrap_or(T::MAX))
        })
    }

    /// Parses a whole number with or without a sign.
    pub(crate) fn number<T: std::str::FromStr>(&mut self) -> Result<T, ParseUciError> {
        self.value(Expected::WholeNumber, |text| text.parse().ok())
    }

    /// Parses a time in milliseconds. A negative time, which some programs send when a flag is
    /// about to fall, counts as zero.
    pub(crate) fn milliseconds(&mut self) -> Result<Duration, ParseUciError> {
        let is_negative = self.peek().is_some_and(|word| word.text.starts_with('-'));
        let number: i128 = if is_negative { self.number()? } else { self.amount::<u64>()?.into() };
        Ok(Duration::from_millis(u64::try_from(number).unwrap_or(0)))
    }

    /// Parses one move.
    pub(crate) fn mv(&mut self) -> Result<UciMove, ParseUciError> {
        self.value(Expected::Move, read_move)
    }

    /// Parses the moves that follow, up to the first word that is not a move.
    pub(crate) fn moves(&mut self) -> Vec<UciMove> {
        let mut moves = Vec::new();
        while let Some(mv) = self.peek().and_then(|word| read_move(word.text)) {
            moves.push(mv);
            self.next();
        }
        moves
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let rest = &self.line[self.at..];
        let at = self.at + rest.find(|letter| !is_blank(letter))?;
        let text = &self.line[at..];
        let text = &text[..text.find(is_blank).unwrap_or(text.len())];
        self.at = at + text.len();
        Some(Word { text, at })
    }
}

/// A number type with a largest value.
pub(crate) trait Bounded {
    const MAX: Self;
}

macro_rules! bounded {
    ($($number:ty),*) => {
        $(impl Bounded for $number {
            const MAX: Self = <$number>::MAX;
        })*
    };
}

bounded!(u16, u32, u64);

/// A text for one line: line breaks are written as spaces.
pub(crate) struct OneLine<'a>(pub(crate) &'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_end = |letter| matches!(letter, '\n' | '\r');
        self.0
            .chars()
            .try_for_each(|letter| f.write_char(if is_end(letter) { ' ' } else { letter }))
    }
}

/// Moves, each preceded by a space.
pub(crate) struct Moves<'a>(pub(crate) &'a [UciMove]);

impl fmt::Display for Moves<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|mv| write!(f, " {mv}"))
    }
}

/// Parses a move. Old programs write the promotion piece in upper case.
pub(crate) fn read_move(text: &str) -> Option<UciMove> {
    let is_upper_case =
        text.len() == 5 && text.ends_with(|letter: char| letter.is_ascii_uppercase());
    if is_upper_case {
        return UciMove::parse(&text.to_ascii_lowercase()).ok();
    }
    UciMove::parse(text).ok()
}

fn is_blank(letter: char) -> bool {
    letter.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_where_they_stand() {
        let words: Vec<_> =
            Words::new(" \tgo  depth\r\n").map(|word| (word.at, word.text)).collect();
        assert_eq!(words, [(2, "go"), (6, "depth")]);
    }

    #[test]
    fn a_count_too_large_is_the_largest() {
        assert_eq!(Words::new("99999999999999999999").amount::<u64>(), Ok(u64::MAX));
        assert_eq!(Words::new("70000").amount::<u16>(), Ok(u16::MAX));
        let error = Words::new(" -1").amount::<u32>().expect_err("it is negative");
        assert_eq!(error.to_string(), "at byte 1: expected a whole number that is not negative");
    }

    #[test]
    fn a_text_stays_on_its_line() {
        assert_eq!(OneLine("a\r\nquit").to_string(), "a  quit");
    }
}
