//! One thing found in a FEN.
//!
//! The codes are for programs and stay the same; the sentences are for people and may change.

use castellan_rules::fen::ExpectedInFen;
use castellan_rules::{Bitboard, ParseFenError, Reason};
use serde::{Serialize, Serializer};

use crate::terminal::Style;

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Severity {
    /// Nobody can play on from there, or the text says nothing.
    Error,
    /// One can play on, but no game leads there.
    Warning,
}

/// One thing found in a FEN.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Finding {
    pub(super) code: &'static str,
    pub(super) severity: Severity,
    #[serde(serialize_with = "square_names")]
    pub(super) squares: Bitboard,
    /// The column it is about, from 1; where the field begins if it is about no one column.
    pub(super) column: usize,
    pub(super) text: String,
    /// Whether the column is the place to look at: it is for what is wrong with the text itself.
    #[serde(skip)]
    pub(super) is_in_text: bool,
}

impl Finding {
    /// Something wrong with the text itself.
    pub(super) fn in_text(code: &'static str, column: usize, text: impl Into<String>) -> Finding {
        Finding {
            code,
            severity: Severity::Error,
            squares: Bitboard::EMPTY,
            column,
            text: text.into(),
            is_in_text: true,
        }
    }

    /// A FEN that could not be read. What comes before the error is ASCII, so bytes are columns.
    pub(super) fn of_syntax(error: ParseFenError) -> Finding {
        let sentence = error.to_string();
        // The column says it better than the number of bytes in front.
        let text = sentence.split_once(": ").map_or(sentence.as_str(), |(_, expected)| expected);
        Finding::in_text(syntax_code(error.expected), error.at + 1, text)
    }

    /// A setup that cannot be played or looks odd.
    pub(super) fn of_reason(reason: Reason, squares: Bitboard, column: usize) -> Finding {
        let is_error = reason.is_unplayable();
        Finding {
            code: reason_code(reason),
            severity: if is_error { Severity::Error } else { Severity::Warning },
            squares,
            column,
            text: reason.to_string(),
            is_in_text: false,
        }
    }

    /// The finding in one line for a person.
    pub(super) fn sentence(&self, style: Style) -> String {
        let (word, color) = match self.severity {
            Severity::Error => ("error", 31),
            Severity::Warning => ("warning", 33),
        };
        let word = match style {
            Style::Colored => format!("\x1b[1;{color}m{word}:\x1b[0m"),
            Style::Letters | Style::Figurines => format!("{word}:"),
        };
        let place =
            if self.is_in_text { format!(" column {}:", self.column) } else { String::new() };
        let names: Vec<String> =
            self.squares.into_iter().map(|square| square.to_string()).collect();
        let squares =
            if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
        format!("{word}{place} {}{squares}", self.text)
    }
}

fn square_names<S: Serializer>(squares: &Bitboard, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(squares.into_iter().map(|square| square.to_string()))
}

fn syntax_code(expected: ExpectedInFen) -> &'static str {
    match expected {
        ExpectedInFen::PieceOrDigit => "bad-piece",
        ExpectedInFen::PieceAfterDigit => "two-digits",
        ExpectedInFen::EightSquares { .. } => "rank-length",
        ExpectedInFen::Slash => "missing-rank",
        ExpectedInFen::Space => "missing-field",
        ExpectedInFen::Turn => "bad-turn",
        ExpectedInFen::Castling => "bad-castling",
        ExpectedInFen::NewCastling => "repeated-castling",
        ExpectedInFen::EnPassant => "bad-en-passant",
        ExpectedInFen::HalfmoveClock => "bad-halfmove-clock",
        ExpectedInFen::FullmoveNumber => "bad-fullmove-number",
        ExpectedInFen::SmallerNumber => "number-too-large",
        ExpectedInFen::End => "trailing-text",
    }
}

fn reason_code(reason: Reason) -> &'static str {
    match reason {
        Reason::NoWhiteKing => "no-white-king",
        Reason::NoBlackKing => "no-black-king",
        Reason::ManyWhiteKings => "many-white-kings",
        Reason::ManyBlackKings => "many-black-kings",
        Reason::KingsAdjacent => "kings-adjacent",
        Reason::ManyWhiteMen => "many-white-men",
        Reason::ManyBlackMen => "many-black-men",
        Reason::PawnOnBackRank => "pawn-on-back-rank",
        Reason::OpponentInCheck => "opponent-in-check",
        Reason::CastlingWithoutRook => "castling-without-rook",
        Reason::EnPassantWithoutStep => "en-passant-without-step",
        Reason::ManyWhitePawns => "many-white-pawns",
        Reason::ManyBlackPawns => "many-black-pawns",
        Reason::ManyWhitePromotions => "many-white-promotions",
        Reason::ManyBlackPromotions => "many-black-promotions",
        Reason::ManyCheckers => "many-checkers",
        Reason::ClockBeyondGame => "clock-beyond-game",
        Reason::ClockAfterStep => "clock-after-step",
        Reason::MoveNumberZero => "move-number-zero",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use castellan_rules::Square;

    use super::*;

    #[test]
    fn every_reason_has_its_own_code_in_kebab_case() {
        let codes: BTreeSet<&str> = Reason::ALL.into_iter().map(reason_code).collect();
        assert_eq!(codes.len(), Reason::ALL.len());
        let is_kebab = |code: &&str| code.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        assert!(codes.iter().all(is_kebab), "{codes:?}");
    }

    #[test]
    fn a_sentence_names_the_squares_or_the_column() {
        let finding = Finding::of_reason(
            Reason::PawnOnBackRank,
            [Square::A1, Square::C8].into_iter().collect(),
            1,
        );
        let sentence = "error: a pawn stands on the first or the last rank (a1, c8)";
        assert_eq!(finding.sentence(Style::Letters), sentence);
        let finding = Finding::in_text("empty", 1, "there is no FEN");
        assert_eq!(finding.sentence(Style::Figurines), "error: column 1: there is no FEN");
        assert_eq!(
            finding.sentence(Style::Colored),
            "\x1b[1;31merror:\x1b[0m column 1: there is no FEN"
        );
    }
}
