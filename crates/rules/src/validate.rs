//! The checks that turn a setup into a position.

use crate::{Bitboard, Color, Piece, Rank, Reason, Reasons, Role, Setup, Square, attacks};

/// Returns `true` if any unplayable reason applies, without naming it. This is the fast path for
/// the many setups that are fine. A test compares it with [`reasons`].
pub(crate) fn is_unplayable(setup: &Setup) -> bool {
    let pieces = &setup.pieces;
    let kings = pieces.role(Role::King);
    for color in Color::ALL {
        let ours = pieces.color(color);
        let king = kings & ours;
        if king.is_empty() || king.is_many() || ours.count() > 16 {
            return true;
        }
    }
    has_pawn_on_back_rank(setup)
        || is_in_check(setup, !setup.turn)
        || setup.castling_rooks.any() && !is_castling_sound(setup)
        || setup.en_passant.is_some_and(|passed| !is_en_passant_sound(setup, passed))
}

/// Returns every reason that applies.
pub(crate) fn reasons(setup: &Setup) -> Reasons {
    let mut reasons = Reasons::NONE;
    for color in Color::ALL {
        count_men(setup, color, &mut reasons);
    }
    let one_king_each = kings(setup).is_some();
    reasons.add_if(has_pawn_on_back_rank(setup), Reason::PawnOnBackRank);
    reasons.add_if(one_king_each && are_kings_adjacent(setup), Reason::KingsAdjacent);
    reasons.add_if(one_king_each && is_in_check(setup, !setup.turn), Reason::OpponentInCheck);
    reasons.add_if(!is_castling_sound(setup), Reason::CastlingWithoutRook);
    let is_step = setup.en_passant.is_none_or(|passed| is_en_passant_sound(setup, passed));
    reasons.add_if(!is_step, Reason::EnPassantWithoutStep);
    reasons.add_if(one_king_each && has_many_checkers(setup), Reason::ManyCheckers);
    check_clocks(setup, &mut reasons);
    reasons
}

/// Returns both kings, White's first, if each side has exactly one.
fn kings(setup: &Setup) -> Option<[Square; 2]> {
    let king = |color| {
        let kings = setup.pieces.piece(Piece { color, role: Role::King });
        if kings.is_many() { None } else { kings.first() }
    };
    Some([king(Color::White)?, king(Color::Black)?])
}

fn are_kings_adjacent(setup: &Setup) -> bool {
    kings(setup).is_some_and(|[white, black]| attacks::king(white).contains(black))
}

/// Checks the number of pieces: FIDE 2.2 gives each side sixteen, and 3.7.3.3 promotes pawns one
/// for one.
fn count_men(setup: &Setup, color: Color, reasons: &mut Reasons) {
    let count = |role| setup.pieces.piece(Piece { color, role }).count();
    let pawns = count(Role::Pawn);
    let bishops = setup.pieces.piece(Piece { color, role: Role::Bishop });
    let promoted = count(Role::Queen).saturating_sub(1)
        + count(Role::Rook).saturating_sub(2)
        + count(Role::Knight).saturating_sub(2)
        + (bishops & Bitboard::LIGHT).count().saturating_sub(1)
        + (bishops & Bitboard::DARK).count().saturating_sub(1);
    reasons.add_if(count(Role::King) == 0, Reason::no_king(color));
    reasons.add_if(count(Role::King) > 1, Reason::many_kings(color));
    reasons.add_if(setup.pieces.color(color).count() > 16, Reason::many_men(color));
    reasons.add_if(pawns > 8, Reason::many_pawns(color));
    reasons.add_if(pawns <= 8 && pawns + promoted > 8, Reason::many_promotions(color));
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
        for wing in [left, right] {
            if !wing.is_many() {
                unexplained &= !wing;
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

fn check_clocks(setup: &Setup, reasons: &mut Reasons) {
    let Some(clocks) = setup.clocks else { return };
    let full_moves = u64::from(clocks.fullmove_number.max(1)) - 1;
    let plies = 2 * full_moves + u64::from(setup.turn == Color::Black);
    reasons.add_if(clocks.fullmove_number == 0, Reason::MoveNumberZero);
    reasons.add_if(u64::from(clocks.halfmove_clock) > plies, Reason::ClockBeyondGame);
    let has_stepped = setup.en_passant.is_some() && clocks.halfmove_clock > 0;
    reasons.add_if(has_stepped, Reason::ClockAfterStep);
}
