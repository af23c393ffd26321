//! The checks that turn a setup into a position.

use crate::{
    Bitboard, Color, Piece, Rank, Role, Setup, SetupProblem, SetupProblems, Square, attacks,
};

/// Returns `true` if any unplayable problem applies, without naming it. This is the fast path for
/// the many setups that are fine. A test compares it with [`problems`].
pub(crate) fn is_unplayable(setup: &Setup) -> bool {
    let pieces = &setup.pieces;
    let kings = pieces.role(Role::King);
    for color in Color::ALL {
        let ours = pieces.color(color);
        let king = kings & ours;
        if king.is_empty() || king.has_multiple() || ours.count() > 16 {
            return true;
        }
    }
    has_pawn_on_back_rank(setup)
        || is_in_check(setup, !setup.turn)
        || setup.castling_rooks.any() && !is_castling_sound(setup)
        || setup.en_passant.is_some_and(|passed| !is_en_passant_sound(setup, passed))
}

/// Returns every problem that applies.
pub(crate) fn problems(setup: &Setup) -> SetupProblems {
    let mut problems = SetupProblems::NONE;
    for color in Color::ALL {
        count_pieces(setup, color, &mut problems);
    }
    let one_king_each = kings(setup).is_some();
    problems.add_if(has_pawn_on_back_rank(setup), SetupProblem::PawnOnBackRank);
    problems.add_if(one_king_each && are_kings_adjacent(setup), SetupProblem::KingsAdjacent);
    problems
        .add_if(one_king_each && is_in_check(setup, !setup.turn), SetupProblem::OpponentInCheck);
    problems.add_if(!is_castling_sound(setup), SetupProblem::CastlingWithoutRook);
    let is_step = setup.en_passant.is_none_or(|passed| is_en_passant_sound(setup, passed));
    problems.add_if(!is_step, SetupProblem::EnPassantWithoutStep);
    problems.add_if(one_king_each && has_many_checkers(setup), SetupProblem::TooManyCheckers);
    check_clocks(setup, &mut problems);
    problems
}

/// Returns both kings, White's first, if each side has exactly one.
fn kings(setup: &Setup) -> Option<[Square; 2]> {
    let king = |color| {
        let kings = setup.pieces.piece(Piece { color, role: Role::King });
        if kings.has_multiple() { None } else { kings.first() }
    };
    Some([king(Color::White)?, king(Color::Black)?])
}

fn are_kings_adjacent(setup: &Setup) -> bool {
    kings(setup).is_some_and(|[white, black]| attacks::king(white).contains(black))
}

/// Checks the number of pieces: FIDE 2.2 gives each side sixteen, and 3.7.3.3 promotes pawns one
/// for one.
fn count_pieces(setup: &Setup, color: Color, problems: &mut SetupProblems) {
    let count = |role| setup.pieces.piece(Piece { color, role }).count();
    let pawns = count(Role::Pawn);
    let bishops = setup.pieces.piece(Piece { color, role: Role::Bishop });
    let promoted = count(Role::Queen).saturating_sub(1)
        + count(Role::Rook).saturating_sub(2)
        + count(Role::Knight).saturating_sub(2)
        + (bishops & Bitboard::LIGHT).count().saturating_sub(1)
        + (bishops & Bitboard::DARK).count().saturating_sub(1);
    problems.add_if(count(Role::King) == 0, SetupProblem::no_king(color));
    problems.add_if(count(Role::King) > 1, SetupProblem::too_many_kings(color));
    problems.add_if(setup.pieces.color(color).count() > 16, SetupProblem::too_many_pieces(color));
    problems.add_if(pawns > 8, SetupProblem::too_many_pawns(color));
    problems.add_if(pawns <= 8 && pawns + promoted > 8, SetupProblem::too_many_promotions(color));
}

fn has_pawn_on_back_rank(setup: &Setup) -> bool {
    let back_ranks = Bitboard::rank(Rank::First) | Bitboard::rank(Rank::Eighth);
    (setup.pieces.role(Role::Pawn) & back_ranks).any()
}

fn is_in_check(setup: &Setup, color: Color) -> bool {
    checkers(setup, color).any()
}

fn checkers(setup: &Setup, color: Color) -> Bitboard {
    let king = setup.pieces.piece(Piece { color, role: Role::King }).first();
    king.map_or(Bitboard::EMPTY, |king| {
        setup.pieces.attackers(!color, king, setup.pieces.occupied())
    })
}

/// Returns `true` if every castling right is backed by a king and a rook of the same color on
/// their first rank, with at most one such rook on each side of the king (FIDE 3.8.2.1 and
/// Guidelines II.3).
fn is_castling_sound(setup: &Setup) -> bool {
    let mut unexplained = setup.castling_rooks;
    for color in Color::ALL {
        let home = Bitboard::rank(Rank::First.relative_to(color));
        let king = setup.pieces.piece(Piece { color, role: Role::King }) & home;
        if king.is_empty() {
            continue;
        }
        let rooks = setup.pieces.piece(Piece { color, role: Role::Rook }) & home;
        let left = setup.castling_rooks & rooks & Bitboard(king.0 - 1);
        let right = setup.castling_rooks & rooks & !left;
        for rooks in [left, right] {
            if !rooks.has_multiple() {
                unexplained &= !rooks;
            }
        }
    }
    unexplained.is_empty()
}

/// Returns `true` if the pawn stands in front of the passed square, and that square and the
/// pawn's origin are empty (FIDE 3.7.3.1).
fn is_en_passant_sound(setup: &Setup, passed: Square) -> bool {
    let mover = !setup.turn;
    let forward = mover.fold(1, -1);
    let pawns = setup.pieces.piece(Piece { color: mover, role: Role::Pawn });
    let occupied = setup.pieces.occupied();
    passed.rank() == Rank::Third.relative_to(mover)
        && passed.offset(0, forward).is_some_and(|pawn| pawns.contains(pawn))
        && passed.offset(0, -forward).is_some_and(|from| !occupied.contains(from))
        && !occupied.contains(passed)
}

/// Returns `true` if more than two pieces give check, since one move gives check with two at
/// most.
fn has_many_checkers(setup: &Setup) -> bool {
    checkers(setup, setup.turn).count() > 2
}

fn check_clocks(setup: &Setup, problems: &mut SetupProblems) {
    let Some(clocks) = setup.clocks else { return };
    let full_moves = u64::from(clocks.fullmove_number.max(1)) - 1;
    let plies = 2 * full_moves + u64::from(setup.turn == Color::Black);
    problems.add_if(clocks.fullmove_number == 0, SetupProblem::MoveNumberZero);
    problems.add_if(u64::from(clocks.halfmove_clock) > plies, SetupProblem::ClockBeyondGame);
    let has_stepped = setup.en_passant.is_some() && clocks.halfmove_clock > 0;
    problems.add_if(has_stepped, SetupProblem::ClockAfterStep);
}
