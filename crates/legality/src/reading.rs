//! Reads the text of a FEN: reports every error in it, and returns as much of the described setup
//! as can be understood.
//!
//! A text that the rules crate can parse takes a fast path without allocation. Any other text
//! goes through a reader that continues after each error, so that the user sees all errors at
//! once and still gets a board. Whether the described position makes sense is decided by other
//! modules.

mod castling;
mod fields;
mod numbers;
mod placement;
#[cfg(test)]
mod tests;

pub(crate) use castling::{
    Letters, is_in_usual_order, is_no_letter, outermost_rook, rook_of_letter,
};
#[cfg(test)]
pub(crate) use fields::ALL_FIELDS;
use fields::is_margin;
pub(crate) use fields::{Fields, Span};
pub(crate) use placement::{RankText, figurine, rank_texts};

use castellan_rules::{Bitboard, Clocks, Color, Setup, Square, fen};

use crate::{Code, Field, Finding, Severity, Value, case};

/// The longest text that is examined, in bytes. A real FEN has fewer than 100.
pub(crate) const MAX_BYTES: usize = 4096;

/// The most errors that are listed. If the text is another kind of file, more would not help.
const MAX_FINDINGS: usize = 64;

/// How many characters of a faulty text are quoted in a message.
const MAX_QUOTED_CHARS: usize = 24;

/// The result of reading a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Reading {
    /// The setup the text describes, with guesses where the text is faulty. `None` if the text
    /// does not look like a FEN.
    pub(crate) setup: Option<Setup>,
    /// Everything that is wrong with the text, from left to right, each with its column.
    pub(crate) findings: Vec<Finding>,
    /// Whether any of the findings is an error, so that the setup is a guess.
    pub(crate) is_malformed: bool,
    /// How the castling letters were read.
    pub(crate) letters: Letters,
}

impl Reading {
    /// Returns whether the text leaves no doubt where the pieces stand, so that the board can be
    /// judged.
    pub(crate) fn has_board(&self) -> bool {
        let is_about_placement = |finding: &Finding| {
            let code = finding.code;
            code.field() == Field::Placement
                && !matches!(code, Code::MissingField | Code::ExtraSpace)
        };
        self.setup.is_some() && !self.findings.iter().any(is_about_placement)
    }
}

/// Reads a text. Surrounding whitespace is ignored.
///
/// `KQkq` are read as standard chess, unless the caller asks for Chess960 or the field contains
/// another letter that is impossible in standard chess.
pub(crate) fn read(text: &str, is_chess960: bool) -> Reading {
    let trimmed = text.trim_ascii();
    let mut reading = if text.len() <= MAX_BYTES
        && let Ok(setup) = fen::parse(trimmed)
        && setup.clocks.is_none_or(|clocks| clocks.fullmove_number > 0)
        && (!setup.castling_rooks.has_multiple() || has_usual_castling(trimmed, &setup))
    {
        let letters = Letters::Chess960;
        Reading { setup: Some(setup), findings: Vec::new(), is_malformed: false, letters }
    } else {
        read_with_recovery(text)
    };
    if !is_chess960 {
        read_standard_letters(text, &mut reading);
    }
    reading
}

/// Rereads the castling letters as standard chess if they allow it.
fn read_standard_letters(text: &str, reading: &mut Reading) {
    reading.letters = Letters::Standard;
    let Some(setup) = reading.setup.as_mut() else { return };
    // If the kings and rooks stand at home, both readings agree.
    if setup.castling_rooks.any() && !case::has_standard_rights(setup) {
        let fields = Fields::of(text);
        let word = fields.get(Field::Castling);
        reading.letters = castling::letters_of(&setup.pieces, word);
        setup.castling_rooks = castling::rooks_of(&setup.pieces, word, reading.letters);
    }
}

/// Returns the column a finding is about, in characters from 1: that of the first of its pieces
/// or castling letters in the text, or else the start of its field.
pub(crate) fn column_of(text: &str, finding: &Finding, is_chess960: bool) -> usize {
    let fields = Fields::of(text);
    let field = finding.code.field();
    let Some(span) = fields.span(field) else { return column(text, fields.end()) };
    let color = finding.values.iter().find_map(|value| match value {
        Value::Color(color) => Some(*color),
        _ => None,
    });
    let at = match field {
        Field::Placement => placement::first_of(fields.get(field), finding.squares),
        Field::Castling => castling::first_of(&fields, finding.squares, color, is_chess960),
        _ => None,
    };
    column(text, span.start + at.unwrap_or(0))
}

/// Returns the column of a byte offset, in characters from 1.
pub(crate) fn column(text: &str, at: usize) -> usize {
    text.get(..at).map_or(0, |before| before.chars().count()) + 1
}

/// Returns the byte offset of a column, or the length of the text if it is shorter.
pub(crate) fn byte_of_column(text: &str, column: usize) -> usize {
    text.char_indices().nth(column.saturating_sub(1)).map_or(text.len(), |(at, _)| at)
}

/// Returns whether the castling letters are in the usual order. Looks for the field from the end
/// of the text, which is nearer than the beginning.
fn has_usual_castling(trimmed: &str, setup: &Setup) -> bool {
    let after = if setup.clocks.is_some() { 3 } else { 1 };
    trimmed.rsplit(' ').nth(after).is_none_or(is_in_usual_order)
}

#[cold]
fn read_with_recovery(text: &str) -> Reading {
    let mut errors = TextErrors { text, findings: Vec::new() };
    let setup = if text.len() > MAX_BYTES {
        let end = text.floor_char_boundary(MAX_BYTES);
        errors.add(Code::TooLong, end, [Value::Number(MAX_BYTES as u64)]);
        None
    } else {
        let fields = Fields::of(text);
        if fields.get(Field::Placement).is_empty() {
            errors.add(Code::Empty, 0, []);
        }
        read_fields(&fields, &mut errors)
    };
    let mut findings = errors.findings;
    findings.sort_by_key(|finding| finding.column);
    let is_malformed = findings.iter().any(|finding| finding.severity() == Severity::Error);
    // An empty board does not look like a FEN, but if it has no error, it is one.
    let setup = if is_malformed { setup } else { fen::parse(text.trim_matches(is_margin)).ok() };
    Reading { setup, findings, is_malformed, letters: Letters::Chess960 }
}

/// Reads all fields of a text that is not too long.
fn read_fields(fields: &Fields<'_>, errors: &mut TextErrors<'_>) -> Option<Setup> {
    let span = fields.span(Field::Placement)?;
    let pieces = placement::read(fields.get(Field::Placement), span.start, errors);
    for (gap, _) in fields.odd_gaps() {
        errors.add(Code::ExtraSpace, gap.start, []);
    }
    for field in fields.missing() {
        let at = fields.place_of_missing(field);
        errors.add(Code::MissingField, at, [Value::Number(field as u64 + 1)]);
    }
    let mut setup = Setup { turn: turn(fields, errors), ..Setup::empty() };
    setup.pieces = pieces.unwrap_or_default();
    castling::check(fields, &setup.pieces, errors);
    let word = fields.get(Field::Castling);
    setup.castling_rooks = castling::rooks_of(&setup.pieces, word, Letters::Chess960);
    setup.en_passant = en_passant(fields, errors);
    let halfmove_clock = numbers::halfmove_clock(fields, errors);
    let fullmove_number = numbers::fullmove_number(fields, errors);
    setup.clocks = halfmove_clock
        .zip(fullmove_number)
        .map(|(halfmove_clock, fullmove_number)| Clocks { halfmove_clock, fullmove_number });
    if let Some(rest) = fields.rest {
        errors.add(Code::TrailingText, rest.start, [quoted(rest.of(fields.text))]);
    }
    pieces.map(|_| setup)
}

/// Reads the side to move; White if the field cannot be understood.
fn turn(fields: &Fields<'_>, errors: &mut TextErrors<'_>) -> Color {
    let word = fields.get(Field::Turn);
    if let (Some(span), false) = (fields.span(Field::Turn), matches!(word, "w" | "b")) {
        errors.add(Code::BadTurn, span.start, [quoted(word)]);
    }
    if word.starts_with(['b', 'B']) { Color::Black } else { Color::White }
}

/// Reads the en passant square, even if it is written in capitals.
fn en_passant(fields: &Fields<'_>, errors: &mut TextErrors<'_>) -> Option<Square> {
    let word = fields.get(Field::EnPassant);
    let square = word.parse::<Square>().ok();
    if let (Some(span), None, false) = (fields.span(Field::EnPassant), square, word == "-") {
        errors.add(Code::BadEnPassant, span.start, [quoted(word)]);
    }
    square.or_else(|| word.to_ascii_lowercase().parse().ok())
}

/// Quotes a text for a message, shortened if necessary.
fn quoted(text: &str) -> Value {
    let mut quote: String = text.chars().take(MAX_QUOTED_CHARS).collect();
    if quote.len() < text.len() {
        quote.push('…');
    }
    Value::Text(quote)
}

/// The errors found so far.
struct TextErrors<'a> {
    text: &'a str,
    findings: Vec<Finding>,
}

impl TextErrors<'_> {
    /// Adds an error at a byte offset of the text.
    fn add<const N: usize>(&mut self, code: Code, at: usize, values: [Value; N]) {
        self.add_on(Bitboard::EMPTY, code, at, values);
    }

    /// Adds an error about some squares.
    fn add_on<const N: usize>(
        &mut self,
        squares: Bitboard,
        code: Code,
        at: usize,
        values: [Value; N],
    ) {
        if self.findings.len() < MAX_FINDINGS {
            let column = column(self.text, at);
            self.findings.push(Finding { code, squares, column, values: values.into() });
        }
    }
}
