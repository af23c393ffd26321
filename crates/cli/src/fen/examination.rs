//! A FEN and everything that was found in it.

use castellan_rules::{Bitboard, Color, Piece, Position, Rank, Reason, Role, Setup, Square, fen};

use super::finding::{Finding, Severity};
use crate::board::checked_kings;
use crate::{Verdict, limits};

/// What came of looking at a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Examination {
    /// The text as it was given.
    pub(super) fen: String,
    /// What it says, if it is a FEN.
    pub(super) setup: Option<Setup>,
    /// The position, if one can play from there.
    pub(super) position: Option<Position>,
    pub(super) findings: Vec<Finding>,
}

impl Examination {
    /// Looks at a text. Spaces around it do not matter.
    pub(super) fn of_text(text: &str) -> Examination {
        if text.len() > limits::FEN_BYTES {
            return Examination::of_long_text(text);
        }
        let trimmed = text.trim_ascii();
        if trimmed.is_empty() {
            return Examination::refused(text, Finding::in_text("empty", 1, "there is no FEN"));
        }
        let indent = text.len() - text.trim_ascii_start().len();
        let shift = |finding: Finding| Finding { column: finding.column + indent, ..finding };
        match fen::parse(trimmed) {
            Err(error) => Examination::refused(text, shift(Finding::of_syntax(error))),
            Ok(setup) => {
                let place = |reason| {
                    let squares = squares(&setup, reason);
                    shift(Finding::of_reason(reason, squares, column(trimmed, reason, squares)))
                };
                Examination {
                    fen: text.into(),
                    setup: Some(setup),
                    position: setup.position().ok(),
                    findings: setup.reasons().iter().map(place).collect(),
                }
            }
        }
    }

    /// A text that is not looked at further because of its length.
    pub(super) fn of_long_text(beginning: &str) -> Examination {
        let text = format!("expected at most {} bytes", limits::FEN_BYTES);
        let mut end = limits::FEN_BYTES.min(beginning.len());
        while !beginning.is_char_boundary(end) {
            end -= 1;
        }
        let column = beginning[..end].chars().count() + 1;
        Examination::refused(&beginning[..end], Finding::in_text("too-long", column, text))
    }

    /// A text, here with what is no text replaced, that is not UTF-8.
    pub(super) fn of_broken_text(text: &str) -> Examination {
        let before = text.chars().take_while(|&c| c != char::REPLACEMENT_CHARACTER).count();
        Examination::refused(text, Finding::in_text("not-utf8", before + 1, "expected UTF-8 text"))
    }

    fn refused(fen: &str, finding: Finding) -> Examination {
        Examination { fen: fen.into(), setup: None, position: None, findings: vec![finding] }
    }

    /// What is to be told to the shell.
    pub(super) fn verdict(&self) -> Verdict {
        if self.findings.is_empty() { Verdict::Fine } else { Verdict::Found }
    }

    /// The word for programs. Whether a game leads to the position is not looked into here.
    pub(super) fn verdict_word(&self) -> &'static str {
        let is_error = |finding: &Finding| finding.severity == Severity::Error;
        if self.setup.is_none() {
            "malformed"
        } else if self.findings.iter().any(is_error) {
            "illegal"
        } else {
            "unknown"
        }
    }

    /// Every square of a finding.
    pub(super) fn marked_squares(&self) -> Bitboard {
        self.findings.iter().fold(Bitboard::EMPTY, |all, finding| all | finding.squares)
    }
}

/// The squares that a reason is about, where it is about some rather than all.
fn squares(setup: &Setup, reason: Reason) -> Bitboard {
    let pieces = &setup.pieces;
    let of = |color, role| pieces.piece(Piece { color, role });
    match reason {
        Reason::ManyWhiteKings => of(Color::White, Role::King),
        Reason::ManyBlackKings => of(Color::Black, Role::King),
        Reason::KingsAdjacent => pieces.role(Role::King),
        Reason::PawnOnBackRank => {
            let back_ranks = Bitboard::rank(Rank::First) | Bitboard::rank(Rank::Eighth);
            pieces.role(Role::Pawn) & back_ranks
        }
        Reason::OpponentInCheck => {
            let king = checked_kings(setup) & of(!setup.turn, Role::King);
            king | attackers_of(setup, !setup.turn)
        }
        Reason::ManyCheckers => attackers_of(setup, setup.turn),
        Reason::CastlingWithoutRook => unsound_castling(setup),
        Reason::EnPassantWithoutStep | Reason::ClockAfterStep => {
            setup.en_passant.map_or(Bitboard::EMPTY, Bitboard::of)
        }
        Reason::ManyWhitePawns => of(Color::White, Role::Pawn),
        Reason::ManyBlackPawns => of(Color::Black, Role::Pawn),
        Reason::NoWhiteKing
        | Reason::NoBlackKing
        | Reason::ManyWhiteMen
        | Reason::ManyBlackMen
        | Reason::ManyWhitePromotions
        | Reason::ManyBlackPromotions
        | Reason::ClockBeyondGame
        | Reason::MoveNumberZero => Bitboard::EMPTY,
    }
}

/// The pieces that attack the king of a color.
fn attackers_of(setup: &Setup, color: Color) -> Bitboard {
    let king = setup.pieces.piece(Piece { color, role: Role::King }).first();
    king.map_or(Bitboard::EMPTY, |king| {
        setup.pieces.attackers(!color, king, setup.pieces.occupied())
    })
}

/// The squares of the castling rights that nothing on the board bears out: no such rook, no king
/// on its rank, or another right on the same side of the king.
fn unsound_castling(setup: &Setup) -> Bitboard {
    let is_sound = |rook: Square| {
        let color = if rook.rank() == Rank::First { Color::White } else { Color::Black };
        let home = Bitboard::rank(rook.rank());
        let Some(king) = (setup.pieces.piece(Piece { color, role: Role::King }) & home).first()
        else {
            return false;
        };
        let rivals = setup.castling_rooks & home;
        let is_rival = |other: Square| other != rook && (other > king) == (rook > king);
        setup.pieces.piece(Piece { color, role: Role::Rook }).contains(rook)
            && !rivals.into_iter().any(is_rival)
    };
    setup.castling_rooks.into_iter().filter(|&rook| !is_sound(rook)).collect()
}

/// The column that a reason is about, in a FEN that could be read.
fn column(fen: &str, reason: Reason, squares: Bitboard) -> usize {
    let field = match reason {
        Reason::OpponentInCheck => 1,
        Reason::CastlingWithoutRook => 2,
        Reason::EnPassantWithoutStep => 3,
        Reason::ClockBeyondGame | Reason::ClockAfterStep => 4,
        Reason::MoveNumberZero => 5,
        _ => {
            return squares.first().and_then(|square| square_column(fen, square)).unwrap_or(1);
        }
    };
    let before: usize = fen.split(' ').take(field).map(|text| text.len() + 1).sum();
    before + 1
}

/// The column of the letter for the piece on a square.
fn square_column(fen: &str, square: Square) -> Option<usize> {
    let placement = fen.split(' ').next()?;
    let rank = placement.split('/').nth(7 - square.rank().index())?;
    let mut file = 0;
    let within = rank.chars().position(|c| {
        let is_here = file == square.file().index();
        file += c.to_digit(10).map_or(1, |empty| empty as usize);
        is_here
    })?;
    let before: usize =
        placement.split('/').take(7 - square.rank().index()).map(|text| text.len() + 1).sum();
    Some(before + within + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Findings as `code column squares`.
    #[track_caller]
    fn check(fen: &str, verdict: &str, expected: &[&str]) {
        let examination = Examination::of_text(fen);
        let line = |finding: &Finding| {
            let squares = finding.squares.into_iter().map(|square| format!(" {square}"));
            format!("{} {}{}", finding.code, finding.column, squares.collect::<String>())
        };
        let found: Vec<String> = examination.findings.iter().map(line).collect();
        assert_eq!(found, expected, "{fen}");
        assert_eq!(examination.verdict_word(), verdict, "{fen}");
        assert_eq!(examination.position.is_some(), verdict == "unknown", "{fen}");
    }

    #[test]
    fn nothing_is_found_where_nothing_is_wrong() {
        check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "unknown", &[]);
        check("  4k3/8/8/8/8/8/8/4K3 b - -\t", "unknown", &[]);
    }

    #[test]
    fn errors_in_the_text_have_a_column() {
        check("", "malformed", &["empty 1"]);
        check("   ", "malformed", &["empty 1"]);
        check("hello", "malformed", &["bad-piece 1"]);
        check("  4k3/8/8/8/8/8/8/4K3 x - -", "malformed", &["bad-turn 23"]);
        check("4k3/8/8/8/8/8/8/4K3", "malformed", &["missing-field 20"]);
        check("4k3/8/8/8/8/8/8/4K3 w - - 0 1 x", "malformed", &["trailing-text 30"]);
        check("4k3/8/8/8/8/8/8/4K3 w - - 0 99999999999", "malformed", &["number-too-large 29"]);
        check("4k3/8/8/8/8/8/8/4Kß2 w - -", "malformed", &["bad-piece 19"]);
    }

    #[test]
    fn findings_on_the_board_name_their_squares() {
        check("8/8/8/8/8/8/8/8 w - -", "illegal", &["no-white-king 1", "no-black-king 1"]);
        check("4k3/8/8/8/8/8/8/K3K3 w - -", "illegal", &["many-white-kings 17 a1 e1"]);
        check(
            "8/8/8/3kK3/8/8/8/8 w - -",
            "illegal",
            &["kings-adjacent 8 d5 e5", "opponent-in-check 20 d5 e5"],
        );
        check("4k2p/8/8/8/8/8/8/4K3 w - -", "illegal", &["pawn-on-back-rank 4 h8"]);
        check("4k3/8/8/1B6/8/8/8/4K3 w - -", "illegal", &["opponent-in-check 23 b5 e8"]);
    }

    #[test]
    fn findings_about_other_fields_point_there() {
        check("4k3/8/8/8/8/8/8/4K2R w KQ - 0 1", "illegal", &["castling-without-rook 24 a1"]);
        check("4k3/8/8/8/8/8/8/4K1RR w GH - 0 1", "illegal", &["castling-without-rook 25 g1 h1"]);
        check("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "illegal", &["en-passant-without-step 25 e6"]);
        check("4k3/8/8/8/8/8/8/4K3 w - - 5 1", "unknown", &["clock-beyond-game 27"]);
        check("4k3/8/8/8/8/8/8/4K3 w - - 0 0", "unknown", &["move-number-zero 29"]);
        let fen = "4k3/8/8/4pP2/8/8/8/4K3 w - e6 3 9";
        check(fen, "unknown", &["clock-after-step 31 e6"]);
    }

    #[test]
    fn many_pawns_and_promotions_are_only_warnings() {
        check(
            "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - -",
            "unknown",
            &["many-white-pawns 16 a2 b2 c2 d2 e2 f2 g2 h2 a3"],
        );
        check("4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - -", "unknown", &["many-white-promotions 1"]);
    }

    #[test]
    fn a_long_text_is_refused_between_letters() {
        let text = "ß".repeat(limits::FEN_BYTES);
        let examination = Examination::of_text(&text);
        assert_eq!(examination.findings[0].code, "too-long");
        assert_eq!(examination.findings[0].column, limits::FEN_BYTES / 2 + 1);
        assert_eq!(examination.fen.len(), limits::FEN_BYTES);
    }
}
