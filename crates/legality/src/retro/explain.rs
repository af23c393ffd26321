//! Explains, piece by piece, why there was no last move.

use castellan_rules::{Bitboard, Rank, Role, Square, attacks};

use super::generate::Unmoves;
use crate::{Case, Code, Finding, Value};

/// Creates the finding for a case without a last move.
pub(super) fn no_last_move(case: &Case, unmoves: &mut Unmoves<'_>) -> Finding {
    let checkers = unmoves.checkers;
    if checkers.count() > 2 {
        return Finding::new(Code::TripleCheck, checkers.with(unmoves.king()))
            .with(Value::Square(unmoves.king()))
            .with(Value::Squares(checkers));
    }
    if let Some(passed) = case.setup.en_passant {
        return checked_before_step(case, passed, unmoves.king());
    }
    match (checkers.first(), checkers.is_many()) {
        (None, _) => nobody_moved(case, unmoves),
        (Some(checker), false) => impossible_check(case, unmoves, checker),
        (Some(_), true) => Finding::new(Code::ImpossibleDoubleCheck, checkers.with(unmoves.king()))
            .with(Value::Square(unmoves.king()))
            .with(Value::Squares(checkers)),
    }
}

/// Creates the finding that the other king was already in check before the double step.
fn checked_before_step(case: &Case, passed: Square, king: Square) -> Finding {
    let (mover, pieces) = (case.last_mover(), &case.setup.pieces);
    let [from, to] = [Rank::Second, Rank::Fourth]
        .map(|rank| Square::new(passed.file(), rank.relative_to(mover)));
    let occupied = pieces.occupied().without(to).with(from);
    let mut attackers = pieces.attackers(mover, king, occupied).without(to);
    if attacks::pawn(mover, from).contains(king) {
        attackers = attackers.with(from);
    }
    Finding::new(Code::EnPassantCheck, attackers.with(passed).with(king))
        .with(Value::Square(passed))
        .with(Value::Square(king))
        .with(Value::Squares(attackers))
}

/// Creates the finding that a piece cannot have given check with the last move.
fn impossible_check(case: &Case, unmoves: &mut Unmoves<'_>, checker: Square) -> Finding {
    let king = unmoves.king();
    let role = case.setup.pieces.role_at(checker).unwrap_or(Role::Pawn);
    let reason: u64 = match unmoves.stillness(role, checker) {
        Stillness::HomePawn => 1,
        Stillness::MayCastle => 2,
        Stillness::ShutIn => 3,
        Stillness::KingInCheck | Stillness::BesideKing => 4,
    };
    // The line of a distant slider may also have been opened by another piece.
    let has_line = attacks::between(checker, king).any();
    Finding::new(Code::ImpossibleCheck, Bitboard::of(checker).with(king))
        .with(Value::Square(king))
        .with(Value::Man(role, checker))
        .with(Value::Number(reason))
        .with(Value::Number(has_line.into()))
}

/// Creates the finding that no piece of the side that has just moved can have moved.
fn nobody_moved(case: &Case, unmoves: &mut Unmoves<'_>) -> Finding {
    let men = case.setup.pieces.color(case.last_mover());
    let [mut home_pawns, mut castlers, mut shut_in, mut others, mut kings] = [Bitboard::EMPTY; 5];
    for square in men {
        let Some(role) = case.setup.pieces.role_at(square) else { continue };
        let group = match unmoves.stillness(role, square) {
            Stillness::HomePawn => &mut home_pawns,
            Stillness::MayCastle => &mut castlers,
            Stillness::ShutIn => &mut shut_in,
            Stillness::KingInCheck => &mut others,
            Stillness::BesideKing => &mut kings,
        };
        *group = group.with(square);
    }
    Finding::new(Code::NoLastMove, men)
        .with(Value::Color(case.last_mover()))
        .with(Value::Squares(castlers))
        .with(Value::Squares(home_pawns))
        .with(Value::Squares(shut_in))
        .with(Value::Squares(others))
        .with(Value::Square(unmoves.king()))
        .with(Value::Squares(kings))
}

/// Why a piece did not make the last move.
pub(super) enum Stillness {
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
