//! Splits a text into the six fields, even if some are missing or more text follows.
//!
//! Words are assigned to fields in order. If the number of words is wrong, each word goes to the
//! field it resembles, so that a missing side to move does not turn the castling rights into a
//! bad side to move.

use crate::Field;

/// The fields in order.
pub(crate) const ALL_FIELDS: [Field; 6] = [
    Field::Placement,
    Field::Turn,
    Field::Castling,
    Field::EnPassant,
    Field::HalfmoveClock,
    Field::FullmoveNumber,
];

/// How many words are examined; later ones cannot be part of a FEN.
const MAX_WORDS: usize = 9;

/// A byte range of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Span {
    /// Returns that part of the text, or an empty string if it is out of range.
    pub(crate) fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or("")
    }
}

/// The positions of the fields in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fields<'a> {
    /// The whole text.
    pub(crate) text: &'a str,
    /// The text without surrounding whitespace.
    whole: Span,
    spans: [Option<Span>; 6],
    /// The text after the last field.
    pub(crate) rest: Option<Span>,
}

impl<'a> Fields<'a> {
    /// Finds the fields of a text.
    pub(crate) fn of(text: &'a str) -> Fields<'a> {
        let end = text.trim_end_matches(is_margin).len();
        let start = end - text[..end].trim_start_matches(is_margin).len();
        let mut found = [Span { start, end: start }; MAX_WORDS];
        let mut count = 0;
        for (slot, span) in found.iter_mut().zip(words(text, start, end)) {
            *slot = span;
            count += 1;
        }
        let whole = Span { start, end };
        let mut fields = Fields { text, whole, spans: [None; 6], rest: None };
        let Some((&placement, others)) = found[..count].split_first() else { return fields };
        fields.spans[0] = Some(placement);
        let alignment = align(text, others, 0);
        for (span, word) in fields.spans[1..].iter_mut().zip(alignment.words) {
            *span = word;
        }
        // Trailing text is not a field, so its spacing is not checked.
        fields.rest = alignment.rest.map(|first| Span { start: first.start, end });
        fields
    }

    /// Returns where a field is, or `None` if it is missing.
    pub(crate) fn span(&self, field: Field) -> Option<Span> {
        self.spans[field as usize]
    }

    /// Returns the text of a field, or an empty string if it is missing.
    pub(crate) fn get(&self, field: Field) -> &'a str {
        self.span(field).map_or("", |span| span.of(self.text))
    }

    /// Returns the end of the last field.
    pub(crate) fn end(&self) -> usize {
        self.spans.iter().flatten().map(|span| span.end).max().unwrap_or(0)
    }

    /// Returns the missing fields. Both clocks may be left out together.
    pub(crate) fn missing(&self) -> impl Iterator<Item = Field> {
        let needed = if self.spans[4..].iter().any(Option::is_some) { 6 } else { 4 };
        ALL_FIELDS.into_iter().take(needed).filter(|&field| self.span(field).is_none())
    }

    /// Returns where a missing field would begin: at the next field that is present, or else at
    /// the end.
    pub(crate) fn place_of_missing(&self, field: Field) -> usize {
        let next = self.spans.iter().skip(field as usize).flatten().next();
        next.map_or(self.end(), |span| span.start)
    }

    /// Returns each gap between two fields that is not a single space, and unexpected space
    /// around all fields, together with the text that should be there.
    pub(crate) fn odd_gaps(&self) -> impl Iterator<Item = (Span, &'static str)> {
        let present = || self.spans.iter().flatten();
        let between = present().zip(present().skip(1));
        let between = between.map(|(one, next)| (Span { start: one.end, end: next.start }, " "));
        let first = self.spans[0].map_or(self.whole.end, |span| span.start);
        let last = self.rest.map_or(self.end(), |rest| rest.end);
        let before = (Span { end: first, ..self.whole }, "");
        let after = (Span { start: last, ..self.whole }, "");
        let gaps = [before].into_iter().chain(between).chain([after]);
        gaps.filter(|(gap, wanted)| gap.of(self.text) != *wanted)
    }
}

/// Returns whether a character may surround a FEN: whitespace or a byte order mark.
pub(super) fn is_margin(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// Returns whether a character separates words: any whitespace, or the underscore that URLs use
/// instead.
fn is_separator(c: char) -> bool {
    c.is_whitespace() || c == '_'
}

/// Splits the text between two byte offsets into words. Both must be character boundaries.
fn words(text: &str, start: usize, end: usize) -> impl Iterator<Item = Span> {
    let mut at = start;
    text[start..end].split(is_separator).filter_map(move |word| {
        let span = Span { start: at, end: at + word.len() };
        at = span.end + text[span.end..].chars().next().map_or(0, char::len_utf8);
        (!word.is_empty()).then_some(span)
    })
}

/// An assignment of words to the five fields after the placement.
#[derive(Clone, Copy)]
struct Alignment {
    cost: u32,
    words: [Option<Span>; 5],
    /// The first word that belongs to no field.
    rest: Option<Span>,
}

/// The cost of a missing field in an alignment. A word that does not resemble its field at all
/// costs three, so that one wrong word is cheaper than two errors.
const MISSING: u32 = 2;

/// Returns the cheapest assignment of words to the fields from `field` on.
fn align(text: &str, words: &[Span], field: usize) -> Alignment {
    let nothing = Alignment { cost: 0, words: [None; 5], rest: None };
    let Some((&word, others)) = words.split_first() else {
        // Both clocks may be left out together.
        let missing = if field <= 3 { 3 - field as u32 } else { 5 - field as u32 };
        return Alignment { cost: missing * MISSING, ..nothing };
    };
    if field == 5 {
        return Alignment { cost: 2, rest: Some(word), ..nothing };
    }
    let mut best = align(text, others, field + 1);
    best.cost += unlikeness(ALL_FIELDS[field + 1], word.of(text));
    best.words[field] = Some(word);
    if best.cost == 0 {
        return best;
    }
    let mut skipping = align(text, words, field + 1);
    skipping.cost += MISSING;
    // Four fields and something else, as in an EPD record of a test suite.
    let stopping =
        Alignment { cost: if field == 3 { 4 } else { u32::MAX }, rest: Some(word), ..nothing };
    for other in [skipping, stopping] {
        if other.cost < best.cost {
            best = other;
        }
    }
    best
}

/// Rates how unlike its field a word is, from 0 (a valid word) to 3 (nothing like it).
fn unlikeness(field: Field, word: &str) -> u32 {
    let has = |letters: &str| word.chars().any(|c| letters.contains(c));
    let is_all = |letters: &str| word.chars().all(|c| letters.contains(c));
    match field {
        Field::Placement => 0,
        Field::Turn => match word.to_ascii_lowercase().as_str() {
            "w" | "b" => u32::from(word.chars().any(|c| c.is_ascii_uppercase())),
            "white" | "black" => 1,
            _ => 3,
        },
        Field::Castling if word == "-" || is_all("KQkqABCDEFGHabcdefgh") => 0,
        Field::Castling => {
            if has("KQkq") {
                1
            } else {
                3
            }
        }
        Field::EnPassant if word == "-" || word.parse::<castellan_rules::Square>().is_ok() => 0,
        Field::EnPassant => {
            if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
                2
            } else {
                3
            }
        }
        Field::HalfmoveClock | Field::FullmoveNumber if is_all("0123456789") => 0,
        Field::HalfmoveClock | Field::FullmoveNumber => {
            if has("0123456789") && is_all("+-.0123456789") { 1 } else { 3 }
        }
    }
}
