//! Explains, piece by piece, why there was no last move.

use castellan_rules::{Bitboard, Rank, Role, Square, attacks};

use super::generate::RetroMoves;
use crate::{Case, Code, Finding, Value};

/// Creates the finding for a case without a last move.
pub(super) fn no_last_move(case: &Case, retro_moves: &mut RetroMoves<'_>) -> Finding {
    let checkers = retro_moves.checkers;
    if checkers.count() > 2 {
        return Finding::new(Code::TripleCheck, checkers.with(retro_moves.king()))
            .with_value(Value::Square(retro_moves.king()))
            .with_value(Value::Squares(checkers));
    }
    if let Some(step) = case.double_step() {
        return checked_before_step(case, step, retro_moves.king());
    }
    match (checkers.first(), checkers.has_multiple()) {
        (None, _) => no_piece_moved(case, retro_moves),
        (Some(checker), false) => impossible_check(case, retro_moves, checker),
        (Some(_), true) => {
            Finding::new(Code::ImpossibleDoubleCheck, checkers.with(retro_moves.king()))
                .with_value(Value::Square(retro_moves.king()))
                .with_value(Value::Squares(checkers))
        }
    }
}

/// Creates the finding that the other king was already in check before the double step.
fn checked_before_step(case: &Case, [from, to]: [Square; 2], king: Square) -> Finding {
    let (mover, pieces) = (case.last_mover(), &case.setup.pieces);
    let passed = Square::new(to.file(), Rank::Third.relative_to(mover));
    let occupied = pieces.occupied().without(to).with(from);
    let mut attackers = pieces.attackers(mover, king, occupied).without(to);
    if attacks::pawn(mover, from).contains(king) {
        attackers = attackers.with(from);
    }
    Finding::new(Code::EnPassantCheck, attackers.with(passed).with(king))
        .with_value(Value::Square(passed))
        .with_value(Value::Square(king))
        .with_value(Value::Squares(attackers))
}

/// Creates the finding that a piece cannot have given check with the last move.
fn impossible_check(case: &Case, retro_moves: &mut RetroMoves<'_>, checker: Square) -> Finding {
    let king = retro_moves.king();
    let role = case.setup.pieces.role_at(checker).unwrap_or(Role::Pawn);
    let reason: u64 = match retro_moves.why_not_moved(role, checker) {
        WhyNotMoved::HomePawn => 1,
        WhyNotMoved::MayCastle => 2,
        WhyNotMoved::ShutIn => 3,
        WhyNotMoved::KingInCheck | WhyNotMoved::BesideKing => 4,
    };
    // The line of a distant slider may also have been opened by another piece.
    let has_line = attacks::between(checker, king).any();
    Finding::new(Code::ImpossibleCheck, Bitboard::of(checker).with(king))
        .with_value(Value::Square(king))
        .with_value(Value::Piece(role, checker))
        .with_value(Value::Number(reason))
        .with_value(Value::Number(has_line.into()))
}

/// Creates the finding that no piece of the side that has just moved can have moved.
fn no_piece_moved(case: &Case, retro_moves: &mut RetroMoves<'_>) -> Finding {
    let pieces = case.setup.pieces.color(case.last_mover());
    let [mut home_pawns, mut castlers, mut shut_in, mut others, mut kings] = [Bitboard::EMPTY; 5];
    for square in pieces {
        let Some(role) = case.setup.pieces.role_at(square) else { continue };
        let group = match retro_moves.why_not_moved(role, square) {
            WhyNotMoved::HomePawn => &mut home_pawns,
            WhyNotMoved::MayCastle => &mut castlers,
            WhyNotMoved::ShutIn => &mut shut_in,
            WhyNotMoved::KingInCheck => &mut others,
            WhyNotMoved::BesideKing => &mut kings,
        };
        *group = group.with(square);
    }
    Finding::new(Code::NoLastMove, pieces)
        .with_value(Value::Color(case.last_mover()))
        .with_value(Value::Squares(castlers))
        .with_value(Value::Squares(home_pawns))
        .with_value(Value::Squares(shut_in))
        .with_value(Value::Squares(others))
        .with_value(Value::Square(retro_moves.king()))
        .with_value(Value::Squares(kings))
}

/// Why a piece did not make the last move.
pub(super) enum WhyNotMoved {
    /// It is a pawn on its start square.
    HomePawn,
    /// It may still castle, so it has never moved.
    MayCastle,
    /// Every square it can have come from is occupied.
    ShutIn,
    /// Wherever it came from, the enemy king was in check before it moved.
    KingInCheck,
    /// It is a king, and every square it can have come from is adjacent to the enemy king.
    BesideKing,
}
