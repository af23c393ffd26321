//! Finds errors in the placement and the other fields by simple checks, without any argument about
//! the history of the game.
//!
//! Every check runs no matter what the others found, and each looks only at what it needs, so nine
//! pawns are reported even on a board without a king. A sound setup allocates nothing. No position
//! of a game has an error here, and neither does a position of a Chess960 game that is read as
//! Chess960.

mod castling;
#[cfg(test)]
mod tests;

use castellan_rules::{Bitboard, Color, Piece, Rank, Role, Setup, Square, attacks};

pub(crate) use castling::sound_rights;

use crate::material::{self, Material};
use crate::reading::Letters;
use crate::{Code, Finding, Value};

const BACK_RANKS: Bitboard =
    Bitboard(Bitboard::rank(Rank::First).0 | Bitboard::rank(Rank::Eighth).0);

/// Adds everything that is wrong with the pieces, the side to move, the castling rights and the
/// en passant square.
pub(crate) fn examine(setup: &Setup, letters: Letters, findings: &mut Vec<Finding>) {
    for color in Color::ALL {
        count_kings(setup, color, findings);
        count_pieces(setup, color, findings);
    }
    let astray = setup.pieces.role(Role::Pawn) & BACK_RANKS;
    if astray.any() {
        findings
            .push(Finding::new(Code::PawnOnBackRank, astray).with_value(Value::Squares(astray)));
    }
    check_kings(setup, findings);
    if setup.castling_rooks.any() {
        castling::check(setup, letters, findings);
    }
    if let Some(passed) = setup.en_passant {
        check_en_passant(setup, passed, findings);
    }
}

/// Checks that the side has exactly one king (FIDE 2.2).
fn count_kings(setup: &Setup, color: Color, findings: &mut Vec<Finding>) {
    let kings = setup.pieces.piece(Piece { color, role: Role::King });
    if kings.is_empty() {
        let code = color.fold(Code::NoWhiteKing, Code::NoBlackKing);
        findings.push(Finding::new(code, Bitboard::EMPTY));
    } else if kings.has_multiple() {
        let code = color.fold(Code::TooManyWhiteKings, Code::TooManyBlackKings);
        findings.push(numbered(code, kings, [kings.count()]).with_value(Value::Squares(kings)));
    }
}

/// Checks that the side has at most sixteen pieces and eight pawns (FIDE 2.2), and at most one
/// promoted piece for each missing pawn (FIDE 3.7.3.3). Pieces beyond the initial number of their
/// kind, and bishops beyond the first on squares of one color, must be promoted; no look at the
/// past is needed to see that.
fn count_pieces(setup: &Setup, color: Color, findings: &mut Vec<Finding>) {
    let pawns = setup.pieces.piece(Piece { color, role: Role::Pawn });
    let (piece_count, pawn_count) = (setup.pieces.color(color).count(), pawns.count());
    if piece_count > 16 {
        let code = color.fold(Code::TooManyWhitePieces, Code::TooManyBlackPieces);
        findings.push(numbered(code, Bitboard::EMPTY, [piece_count]));
    }
    if pawn_count > 8 {
        let code = color.fold(Code::TooManyWhitePawns, Code::TooManyBlackPawns);
        findings.push(numbered(code, pawns, [pawn_count]));
        return;
    }
    let material = Material::of(&setup.pieces, color);
    if !material.is_possible() {
        let code = color.fold(Code::TooManyWhitePromotions, Code::TooManyBlackPromotions);
        let kinds = material::kinds(&setup.pieces, color).into_iter().zip(material::FIRST_SET);
        let surplus = kinds.filter(|(squares, usual)| squares.count() > *usual as usize);
        let squares = surplus.fold(Bitboard::EMPTY, |all, (squares, _)| all | squares);
        let finding = numbered(code, squares, [material.promoted() as usize, pawn_count]);
        findings.push(finding.with_value(Value::Squares(squares)));
    }
}

/// Checks that the kings are not adjacent and that the side that moved is not in check (FIDE
/// 3.9.2).
fn check_kings(setup: &Setup, findings: &mut Vec<Finding>) {
    let pieces = &setup.pieces;
    let kings = pieces.role(Role::King);
    let [white, black] = Color::ALL.map(|color| sole(kings & pieces.color(color)));
    if let (Some(white), Some(black)) = (white, black)
        && attacks::king(white).contains(black)
    {
        findings.push(Finding::new(Code::KingsAdjacent, kings).with_value(Value::Squares(kings)));
    }
    // An adjacent king is reported once and does not count as a check as well.
    let checkers = |color: Color| {
        let king = color.fold(white, black)?;
        let checkers = pieces.attackers(!color, king, pieces.occupied()) & !kings;
        checkers.any().then_some((king, checkers))
    };
    let Some((king, by)) = checkers(!setup.turn) else { return };
    let finding = match checkers(setup.turn) {
        None => Finding::new(Code::OpponentInCheck, by.with(king))
            .with_value(Value::Color(setup.turn))
            .with_value(Value::Square(king))
            .with_value(Value::Squares(by)),
        Some((other, other_by)) => {
            let squares = (by | other_by).with(king).with(other);
            let turn = setup.turn;
            let ((white, white_by), (black, black_by)) =
                turn.fold(((other, other_by), (king, by)), ((king, by), (other, other_by)));
            Finding::new(Code::BothKingsInCheck, squares)
                .with_value(Value::Square(white))
                .with_value(Value::Squares(white_by))
                .with_value(Value::Square(black))
                .with_value(Value::Squares(black_by))
        }
    };
    findings.push(finding);
}

/// Returns the square of a set that contains exactly one.
fn sole(squares: Bitboard) -> Option<Square> {
    if squares.has_multiple() { None } else { squares.first() }
}

/// Checks the square that a pawn has just passed over (FIDE 3.7.3.1).
fn check_en_passant(setup: &Setup, passed: Square, findings: &mut Vec<Finding>) {
    let mover = !setup.turn;
    let finding = |code, squares| Finding::new(code, squares).with_value(Value::Square(passed));
    let rank = Rank::Third.relative_to(mover);
    if passed.rank() != rank {
        let value = Value::Number(rank.index() as u64 + 1);
        let finding = finding(Code::EnPassantRank, passed.into()).with_value(value);
        findings.push(finding.with_value(Value::Color(setup.turn)));
        return;
    }
    let forward = mover.fold(1, -1);
    let (Some(from), Some(to)) = (passed.offset(0, -forward), passed.offset(0, forward)) else {
        return;
    };
    let is_there = setup.pieces.piece(Piece { color: mover, role: Role::Pawn }).contains(to);
    if !is_there {
        let squares = Bitboard::of(passed).with(to);
        findings.push(finding(Code::EnPassantWithoutPawn, squares).with_value(Value::Square(to)));
    }
    let blocked = setup.pieces.occupied() & Bitboard::of(passed).with(from);
    if blocked.any() {
        let value = Value::Squares(blocked);
        findings.push(finding(Code::EnPassantBlocked, blocked.with(passed)).with_value(value));
    }
    if is_there && blocked.is_empty() && !can_capture(setup, passed, to) {
        findings.push(finding(Code::EnPassantUseless, passed.into()));
    }
}

/// Returns whether a pawn can capture en passant without leaving its king in check. If the side
/// does not have exactly one king, there is no answer, and `true` suppresses the finding.
fn can_capture(setup: &Setup, passed: Square, captured: Square) -> bool {
    let (turn, pieces) = (setup.turn, &setup.pieces);
    let Some(king) = sole(pieces.piece(Piece { color: turn, role: Role::King })) else {
        return true;
    };
    let capturers =
        attacks::pawn(!turn, passed) & pieces.piece(Piece { color: turn, role: Role::Pawn });
    let is_safe = |from: Square| {
        let occupied = pieces.occupied().without(from).without(captured).with(passed);
        (pieces.attackers(!turn, king, occupied).without(captured)).is_empty()
    };
    capturers.into_iter().any(is_safe)
}

/// Creates a finding with numbers for its message.
fn numbered<const N: usize>(code: Code, squares: Bitboard, numbers: [usize; N]) -> Finding {
    let values = numbers.into_iter().map(|number| Value::Number(number as u64));
    values.fold(Finding::new(code, squares), Finding::with_value)
}
