//! Describes a FEN and the doctor's report in words.
//!
//! This module decides which rows and remarks there are, and leaves their layout to the program.

use castellan_rules::{
    Bitboard, Color, File, Move, Piece, Position, Rank, Role, Setup, Square, san,
};

use super::{Language, Phrase, phrase, sentence};
use crate::reading::{Fields, Letters, rook_of_letter};
use crate::{Code, Field, Report, Value, Verdict, basics};

/// A line of a report: a label and a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// What the line is about.
    pub label: String,
    /// The content of the line.
    pub text: String,
}

impl Row {
    fn new(label: Phrase, text: String, language: Language) -> Row {
        Row { label: phrase(label, &[], language), text }
    }
}

/// Describes the fields of a FEN, one row each. The list is empty if there is no board.
pub fn describe(report: &Report, language: Language) -> Vec<Row> {
    let Some(setup) = &report.setup else { return Vec::new() };
    let position = report.position.as_ref();
    let row = |label, text| Row::new(label, text, language);
    let mut rows = vec![
        row(Phrase::TurnLabel, turn(setup.turn, position, language)),
        row(Phrase::CastlingLabel, castling(report, setup, language)),
        row(Phrase::EnPassantLabel, en_passant(setup, position, language)),
        row(Phrase::ClocksLabel, clocks(setup, language)),
    ];
    if let Some(count) = position.map(Position::count_legal_moves).filter(|&count| count > 0) {
        let count = Value::Number(count as u64);
        rows.push(row(Phrase::MovesLabel, phrase(Phrase::Moves, &[count], language)));
    }
    rows
}

fn turn(turn: Color, position: Option<&Position>, language: Language) -> String {
    let color = Value::Color(turn);
    match position {
        Some(position) if position.is_checkmate() => {
            phrase(Phrase::TurnCheckmate, &[color], language)
        }
        Some(position) if position.is_stalemate() => {
            phrase(Phrase::TurnStalemate, &[color], language)
        }
        Some(position) if position.is_check() => {
            phrase(Phrase::TurnCheck, &[color, Value::Squares(position.checkers())], language)
        }
        _ => phrase(Phrase::Turn, &[color], language),
    }
}

/// Lists the castling rights that can be right and the letters that cannot.
fn castling(report: &Report, setup: &Setup, language: Language) -> String {
    let letters = if report.is_chess960 { Letters::Chess960 } else { Letters::Standard };
    let sound = basics::sound_rights(setup, letters) & !contradicted(report);
    let side = |color: Color| {
        let home = Bitboard::rank(Rank::First.relative_to(color));
        let mut ways: Vec<String> = (sound & home)
            .into_iter()
            .map(|rook| castling_way(setup, color, rook, language))
            .collect();
        // Squares come from left to right, but kingside is named first.
        ways.reverse();
        let values = [Value::Color(color), Value::Text(ways.join(", "))];
        (!ways.is_empty()).then(|| phrase(Phrase::Side, &values, language))
    };
    let mut sides: Vec<String> = Color::ALL.into_iter().filter_map(side).collect();
    let is_wrong = |c: &char| {
        let rook = rook_of_letter(&setup.pieces, *c, letters);
        *c != '-' && rook.is_none_or(|rook| !sound.contains(rook))
    };
    let fields = Fields::of(&report.fen);
    let wrong: String = fields.get(Field::Castling).chars().filter(is_wrong).collect();
    if !wrong.is_empty() {
        sides.push(phrase(Phrase::CastlingWrong, &[Value::Text(wrong)], language));
    }
    if sides.is_empty() {
        return phrase(Phrase::CastlingNone, &[], language);
    }
    sides.join("; ")
}

/// Returns the rooks whose castling rights contradict the rest of the position.
fn contradicted(report: &Report) -> Bitboard {
    let blamed =
        report.findings.iter().filter_map(|finding| match (finding.code, finding.values.first()) {
            (Code::CastlingContradiction, Some(Value::Squares(rooks))) => Some(*rooks),
            _ => None,
        });
    blamed.fold(Bitboard::EMPTY, |all, rooks| all | rooks)
}

/// Names kingside or queenside if the king and rook stand as in standard chess, otherwise the
/// rook.
fn castling_way(setup: &Setup, color: Color, rook: Square, language: Language) -> String {
    let kings = setup.pieces.piece(Piece { color, role: Role::King });
    let is_home = kings.contains(Square::new(File::E, rook.rank()));
    match rook.file() {
        File::H if is_home => phrase(Phrase::CastlingKingside, &[], language),
        File::A if is_home => phrase(Phrase::CastlingQueenside, &[], language),
        _ => phrase(Phrase::CastlingRook, &[Value::Square(rook)], language),
    }
}

fn en_passant(setup: &Setup, position: Option<&Position>, language: Language) -> String {
    let Some(square) = setup.en_passant else {
        return phrase(Phrase::EnPassantNone, &[], language);
    };
    let what = match position {
        None => Phrase::EnPassantSquare,
        Some(position) if position.en_passant() == Some(square) => Phrase::EnPassantLegal,
        Some(_) => Phrase::EnPassantIdle,
    };
    phrase(what, &[Value::Square(square)], language)
}

fn clocks(setup: &Setup, language: Language) -> String {
    let Some(clocks) = setup.clocks else {
        return phrase(Phrase::ClocksNone, &[], language);
    };
    let values = [clocks.halfmove_clock.into(), clocks.fullmove_number.into()].map(Value::Number);
    phrase(Phrase::Clocks, &values, language)
}

/// Returns the verdict as a word, and the reason for it.
pub fn verdict(verdict: &Verdict, language: Language) -> (String, String) {
    let (word, reason, number) = match verdict {
        Verdict::Malformed => (Phrase::VerdictMalformed, Phrase::MalformedReason, None),
        Verdict::Illegal => (Phrase::VerdictIllegal, Phrase::IllegalReason, None),
        Verdict::Legal { moves } if moves.is_empty() => {
            (Phrase::VerdictLegal, Phrase::StartReason, None)
        }
        Verdict::Legal { moves } => {
            let count = moves.len().div_ceil(2) as u64;
            (Phrase::VerdictLegal, Phrase::LegalReason, Some(count))
        }
        Verdict::Unknown { nodes: 0 } => (Phrase::VerdictUnknown, Phrase::UnsearchedReason, None),
        Verdict::Unknown { nodes } => (Phrase::VerdictUnknown, Phrase::UnknownReason, Some(*nodes)),
    };
    let values: Vec<Value> = number.into_iter().map(Value::Number).collect();
    (phrase(word, &[], language), phrase(reason, &values, language))
}

/// Returns the verdict and the findings, one sentence each.
pub fn remarks(report: &Report, language: Language) -> Vec<String> {
    let (word, reason) = verdict(&report.verdict, language);
    let findings = report.findings.iter().map(|finding| sentence(finding, language));
    [format!("{word}: {reason}")].into_iter().chain(findings).collect()
}

/// Writes a game from the start position, such as `1. e4 e5 2. Nf3`. Stops at the first illegal
/// move.
pub fn movetext(moves: &[Move]) -> String {
    let mut parts = Vec::new();
    let mut position = Position::start();
    for &mv in moves {
        let Ok(next) = position.play(mv) else { break };
        if position.turn() == Color::White {
            parts.push(format!("{}.", position.fullmove_number()));
        }
        parts.push(san::write(&position, mv));
        position = next;
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use castellan_rules::San;

    use super::*;
    use crate::{Doctor, Effort};

    /// Checks that the rows, written as `label: text`, include the expected ones.
    #[track_caller]
    fn check(fen: &str, expected: &[&str]) {
        let report = Doctor::new(Effort::Quick).examine(fen, &|| false);
        let rows = describe(&report, Language::English);
        let lines: Vec<String> =
            rows.iter().map(|row| format!("{}: {}", row.label, row.text)).collect();
        for line in expected {
            assert!(lines.iter().any(|found| found == line), "{line:?} is not in\n{lines:#?}");
        }
    }

    #[test]
    fn the_start_position_in_words() {
        check(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            &[
                "To move: White",
                "Castling: White: kingside, queenside; Black: kingside, queenside",
                "En passant: none",
                "Clocks: 0 half-moves since the last capture or pawn move; move 1",
                "Moves: 20 legal moves",
            ],
        );
    }

    #[test]
    fn check_mate_and_stalemate() {
        check("4k3/8/8/8/7b/8/8/4K3 w - -", &["To move: White, in check from h4"]);
        check("4k3/8/8/8/7b/8/8/r3K3 w - -", &["To move: White, in check from a1 and h4"]);
        let mate = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
        check(mate, &["To move: White, but it is checkmate: Black has won"]);
        let stalemate = "7k/5Q2/6K1/8/8/8/8/8 b - -";
        check(stalemate, &["To move: Black, but it is stalemate: a draw"]);
    }

    #[test]
    fn castling_names_the_rooks_of_chess960() {
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R w Kq -";
        check(fen, &["Castling: White: kingside; Black: queenside"]);
        check(
            "1r1k1r2/8/8/8/8/8/8/1R1K1R2 w FBf -",
            &["Castling: White: with the rook on f1, with the rook on b1; \
             Black: with the rook on f8"],
        );
        let fen = "4k3/8/8/8/8/8/8/4KR1R w F -";
        check(fen, &["Castling: White: with the rook on f1"]);
        check("4k3/8/8/8/8/8/8/4K3 w - -", &["Castling: no longer possible"]);
    }

    #[test]
    fn castling_names_only_what_can_be_right() {
        let fen = "4k3/8/8/8/8/8/8/R3K3 w KQ -";
        check(fen, &["Castling: White: queenside; “K” is wrong"]);
        check("4k3/8/8/8/8/8/8/R2K3R w KQ -", &["Castling: “KQ” is wrong"]);
        check("4k3/8/8/8/8/8/8/R3K2R w Kx -", &["Castling: White: kingside; “x” is wrong"]);
    }

    #[test]
    fn en_passant_says_whether_it_can_be_used() {
        let fen = "4k3/8/8/4pP2/8/8/8/4K3 w - e6";
        check(fen, &["En passant: e6, and a pawn can capture there"]);
        let fen = "4k3/8/8/4p3/8/8/8/4K3 w - e6";
        check(fen, &["En passant: e6, but no pawn can capture there"]);
        check("4k3/8/8/8/8/8/8/4K3 w - e6", &["En passant: e6"]);
    }

    #[test]
    fn clocks_may_be_missing() {
        check("4k3/8/8/8/8/8/8/R3K3 w - -", &["Clocks: not given"]);
        let fen = "4k3/8/8/8/8/8/8/R3K3 w - - 1 90";
        check(fen, &["Clocks: 1 half-move since the last capture or pawn move; move 90"]);
    }

    #[test]
    fn one_legal_move_is_one() {
        check("7k/8/8/8/8/8/6q1/7K w - -", &["Moves: 1 legal move"]);
        let fen = "7k/8/8/8/8/8/5q2/7K w - -";
        check(fen, &["To move: White, but it is stalemate: a draw"]);
    }

    #[test]
    fn a_game_is_written_from_the_start() {
        let mut position = Position::start();
        let mut moves = Vec::new();
        for text in ["e4", "e5", "Nf3"] {
            let mv = San::parse(text).unwrap().resolve(&position).unwrap();
            moves.push(mv);
            position = position.play(mv).unwrap();
        }
        assert_eq!(movetext(&moves), "1. e4 e5 2. Nf3");
        assert_eq!(movetext(&[]), "");
        let (word, reason) = verdict(&Verdict::Legal { moves }, Language::English);
        assert_eq!(format!("{word}: {reason}"), "legal: a game of 2 moves reaches this position");
    }
}
