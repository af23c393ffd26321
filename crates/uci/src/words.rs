//! The words of a line, each with its place.

use core::time::Duration;
use std::fmt::{self, Write};

use castellan_rules::UciMove;

use crate::{Expected, ParseUciError};

/// A word and the byte where it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
}

/// The words of a line from some byte on. Any number of blanks stands between two words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    pub(crate) fn new(line: &'a str) -> Words<'a> {
        Words { line, at: 0 }
    }

    /// The next word, which stays the next.
    pub(crate) fn peek(&self) -> Option<Word<'a>> {
        let mut ahead = *self;
        ahead.next()
    }

    /// Whether the next word is this one; if so, it is taken.
    pub(crate) fn take(&mut self, text: &str) -> bool {
        let is_next = self.peek().is_some_and(|word| word.text == text);
        if is_next {
            self.next();
        }
        is_next
    }

    /// Everything that is left on one line, without the blanks around it.
    pub(crate) fn rest(&mut self) -> String {
        let rest = self.line[self.at..].trim_matches(is_blank);
        self.at = self.line.len();
        OneLine(rest).to_string()
    }

    /// The words up to one of these, joined by single blanks. The one that ends them is next.
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

    /// The error that something else should stand where the next word is.
    pub(crate) fn expected(&self, expected: Expected) -> ParseUciError {
        let at = self.peek().map_or(self.line.len(), |word| word.at);
        ParseUciError { at, expected }
    }

    /// The next word, understood, or the error that something else should stand there.
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

    /// A number that is not negative. One too large for its type is taken as the largest: who
    /// asks for so much wants no limit.
    pub(crate) fn amount<T: TryFrom<u64> + Bounded>(&mut self) -> Result<T, ParseUciError> {
        self.value(Expected::Count, |text| {
            let digits = text.strip_prefix('+').unwrap_or(text);
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let number = is_number.then(|| digits.parse().unwrap_or(u64::MAX))?;
            Some(T::try_from(number).unwrap_or(T::MAX))
        })
    }

    /// A whole number with or without a sign.
    pub(crate) fn number<T: std::str::FromStr>(&mut self) -> Result<T, ParseUciError> {
        self.value(Expected::WholeNumber, |text| text.parse().ok())
    }

    /// A time in milliseconds. Less than nothing, which some programs send when a flag is about
    /// to fall, is nothing.
    pub(crate) fn milliseconds(&mut self) -> Result<Duration, ParseUciError> {
        let is_negative = self.peek().is_some_and(|word| word.text.starts_with('-'));
        let number: i128 = if is_negative { self.number()? } else { self.amount::<u64>()?.into() };
        Ok(Duration::from_millis(u64::try_from(number).unwrap_or(0)))
    }

    /// One move.
    pub(crate) fn mv(&mut self) -> Result<UciMove, ParseUciError> {
        self.value(Expected::Move, read_move)
    }

    /// The moves that come next, up to the first word that is none.
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

/// The largest value of a type.
pub(crate) trait Bounded {
    /// It.
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

/// A text on one line: what would end the line is written as a blank.
pub(crate) struct OneLine<'a>(pub(crate) &'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_end = |letter| matches!(letter, '\n' | '\r');
        self.0
            .chars()
            .try_for_each(|letter| f.write_char(if is_end(letter) { ' ' } else { letter }))
    }
}

/// Moves, each with a blank before it.
pub(crate) struct Moves<'a>(pub(crate) &'a [UciMove]);

impl fmt::Display for Moves<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|mv| write!(f, " {mv}"))
    }
}

/// A move; old programs write what a pawn becomes in upper case.
pub(crate) fn read_move(text: &str) -> Option<UciMove> {
    let is_shouted = text.len() == 5 && text.ends_with(|letter: char| letter.is_ascii_uppercase());
    if is_shouted {
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
