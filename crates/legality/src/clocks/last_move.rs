//! Whether the last move can have been a capture or a pawn move, and whether it can have been
//! anything else.
//!
//! The last move is taken back in every way of a kind. A way is refused only if the board before
//! it would be impossible for a plain reason: the side that had just moved then would be in check,
//! or somebody who may still castle would have moved. So "cannot" is always true, "can" is not.

use castellan_rules::{Bitboard, Color, File, Piece, Rank, Role, Square, attacks};

use crate::Case;

/// Whether the last move can have been neither a capture nor a pawn move.
pub(super) fn can_be_quiet(case: &Case) -> bool {
    let last = LastMove::of(case);
    last.can_king_have_come_easily()
        || last.can_piece_have_come(Bitboard::EMPTY)
        || last.can_have_castled()
}

/// Whether the last move can have been a capture or a pawn move.
pub(super) fn can_be_zeroing(case: &Case) -> bool {
    let last = LastMove::of(case);
    last.can_pawn_have_come_easily()
        || last.has_captured && last.can_king_have_come_easily()
        || last.can_pawn_have_come()
        || last.has_captured && last.can_piece_have_come(Bitboard::FULL)
        || last.can_have_promoted()
}

/// Quick and slow answers to the same questions: a king's move, a pawn's step.
#[cfg(test)]
pub(super) fn ways(case: &Case) -> [[bool; 2]; 2] {
    let last = LastMove::of(case);
    [
        [last.can_king_have_come_easily(), last.can_piece_have_come(Bitboard::EMPTY)],
        [last.can_pawn_have_come_easily(), last.can_pawn_have_come()],
    ]
}

struct LastMove<'a> {
    case: &'a Case,
    mover: Color,
    /// The king that must not have been in check before the last move.
    king: Square,
    occupied: Bitboard,
    /// Whether the mover has captured anything in this game.
    has_captured: bool,
    /// The first men that the king sees in each direction, and the empty squares up to them.
    seen: Bitboard,
    is_check: bool,
}

impl LastMove<'_> {
    fn of(case: &Case) -> LastMove<'_> {
        let turn = case.setup.turn;
        let king = case.piece(turn, Role::King).first().expect("a case has both kings");
        let occupied = case.setup.pieces.occupied();
        LastMove {
            case,
            mover: !turn,
            king,
            occupied,
            has_captured: case.missing(turn) > 0,
            seen: attacks::queen(king, occupied),
            is_check: case.setup.pieces.attackers(!turn, king, occupied).any(),
        }
    }

    /// Whether the mover's king can have come, with or without a capture; quick, and a no means
    /// nothing. Who is not seen by the other king opens no line by having been elsewhere.
    fn can_king_have_come_easily(&self) -> bool {
        let king = self.case.piece(self.mover, Role::King);
        let ways = king.first().map_or(Bitboard::EMPTY, attacks::king);
        let is_free = (king & (self.seen | self.unmoved())).is_empty();
        is_free && !self.is_check && (ways & !self.occupied & !attacks::king(self.king)).any()
    }

    /// Whether a pawn can have made a single step, as quickly.
    fn can_pawn_have_come_easily(&self) -> bool {
        let start = Bitboard::rank(Rank::Second.relative_to(self.mover));
        let pawns = self.case.piece(self.mover, Role::Pawn) & !start & !self.seen;
        let behind = Bitboard(self.mover.fold(pawns.0 >> 8, pawns.0 << 8));
        !self.is_check && (behind & !self.occupied & !attacks::pawn(!self.mover, self.king)).any()
    }

    /// Whether the board before a move was possible: the mover's man back on its square as
    /// another one perhaps, and so many squares occupied.
    fn is_possible(&self, man: Role, from: Square, to: Square, occupied: Bitboard) -> bool {
        let pieces = &self.case.setup.pieces;
        let checkers = pieces.attackers(self.mover, self.king, occupied).without(to);
        let piece = Piece { color: self.mover, role: man };
        checkers.is_empty() && !attacks::of_piece(piece, from, occupied).contains(self.king)
    }

    /// Whether a man other than a pawn can have come to its square. The squares of `captured`
    /// were occupied before it came.
    fn can_piece_have_come(&self, captured: Bitboard) -> bool {
        let ours = self.case.setup.pieces.color(self.mover);
        let unmoved = self.unmoved();
        let movable = ours & !self.case.setup.pieces.role(Role::Pawn) & !unmoved;
        movable.into_iter().any(|to| {
            let Some(piece) = self.case.setup.pieces.piece_at(to) else { return false };
            let ways = attacks::of_piece(piece, to, self.occupied) & !self.occupied;
            let left = self.occupied.without(to) | captured & Bitboard::of(to);
            ways.into_iter().any(|from| self.is_possible(piece.role, from, to, left.with(from)))
        })
    }

    /// The king and the rooks that may still castle.
    fn unmoved(&self) -> Bitboard {
        let rooks = self.case.setup.castling_rooks & self.case.setup.pieces.color(self.mover);
        if rooks.is_empty() { rooks } else { rooks | self.case.piece(self.mover, Role::King) }
    }

    /// Whether the mover can have castled, from any squares that a Chess960 game may have.
    fn can_have_castled(&self) -> bool {
        let rank = Rank::First.relative_to(self.mover);
        let at = |file| Square::new(file, rank);
        let can_to = |king: File, rook: File| {
            self.case.piece(self.mover, Role::King).contains(at(king))
                && self.case.piece(self.mover, Role::Rook).contains(at(rook))
                && self.unmoved().is_empty()
                && self.can_have_castled_to(at(king), at(rook))
        };
        can_to(File::G, File::F) || can_to(File::C, File::D)
    }

    fn can_have_castled_to(&self, king_to: Square, rook_to: Square) -> bool {
        let rank = Bitboard::rank(king_to.rank());
        let left = self.occupied.without(king_to).without(rook_to);
        let pieces = &self.case.setup.pieces;
        let free = rank & !left;
        free.into_iter().any(|rook| {
            free.without(rook).into_iter().any(|king| {
                let occupied = left.with(king).with(rook);
                let checkers = pieces.attackers(self.mover, self.king, occupied);
                checkers.without(king_to).without(rook_to).is_empty()
                    && !attacks::rook(rook, occupied).contains(self.king)
            })
        })
    }

    /// Whether a pawn that still is one can have made the last move.
    fn can_pawn_have_come(&self) -> bool {
        let start = Bitboard::rank(Rank::Second.relative_to(self.mover));
        let pawns = self.case.piece(self.mover, Role::Pawn) & !start;
        pawns.into_iter().any(|to| self.can_pawn_have_come_to(to))
    }

    /// Whether one of the pieces on the last rank can have been a pawn just before.
    fn can_have_promoted(&self) -> bool {
        let last = Bitboard::rank(Rank::Eighth.relative_to(self.mover));
        let pieces = &self.case.setup.pieces;
        let kings_and_pawns = pieces.role(Role::King) | pieces.role(Role::Pawn);
        let promoted = pieces.color(self.mover) & last & !kings_and_pawns & !self.unmoved();
        self.case.piece(self.mover, Role::Pawn).count() < 8
            && promoted.into_iter().any(|to| self.can_pawn_have_come_to(to))
    }

    /// Whether a pawn can have moved to a square, whatever it is there now.
    fn can_pawn_have_come_to(&self, to: Square) -> bool {
        let back = self.mover.fold(-1, 1);
        let is_free = |square: &Square| !self.occupied.contains(*square);
        let left = self.occupied.without(to);
        let can_from = |from: Square, occupied: Bitboard| {
            self.is_possible(Role::Pawn, from, to, occupied.with(from))
        };
        let Some(behind) = to.offset(0, back) else { return false };
        if is_free(&behind) {
            let fourth = Rank::Fourth.relative_to(self.mover);
            let twice = behind.offset(0, back).filter(is_free);
            if can_from(behind, left)
                || to.rank() == fourth && twice.is_some_and(|from| can_from(from, left))
            {
                return true;
            }
        }
        // A capture leaves the square occupied; in passing it was the one behind.
        let ways = [to.offset(-1, back), to.offset(1, back)].into_iter().flatten();
        self.has_captured
            && ways.filter(is_free).any(|from| {
                can_from(from, self.occupied)
                    || is_free(&behind) && can_from(from, left.with(behind))
            })
    }
}
