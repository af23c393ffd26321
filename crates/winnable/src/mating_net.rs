//! Decides whether a king can be mated anywhere, given everything that all pieces can ever do.
//!
//! A mate is a check by some piece from some square, where each square next to the king is
//! attacked or occupied by a piece of the king's own side. The attackers are only partly told
//! apart. The checking piece stands on one square, and so does the winner's king. Every other
//! piece may be on all squares it can reach at once, and pieces in the way of an attack may be
//! elsewhere. So a mating net that is not found does not exist, while one that is found may not
//! be real.

use castellan_rules::{Bitboard, Color, Role, Square, attacks};

use crate::pieces::{PieceList, TrackedPiece, promoted_attacks};
use crate::reach::Reach;

/// Returns whether the reach of the pieces leaves a mate by `winner` possible.
pub(crate) fn may_mate(reach: &Reach, winner: Color) -> bool {
    MatingNet::of(reach, winner).may_close()
}

/// What both sides can contribute to a mate.
struct MatingNet<'a> {
    pieces: &'a PieceList,
    winner: Color,
    /// Squares that are never empty, so that no line passes them.
    walls: Bitboard,
    /// For each square of the loser's king, the possible squares of the winner's king.
    partners: [Bitboard; 64],
    loser_king: Bitboard,
    /// The squares attacked by at least one, and by at least two, of the winner's pieces from
    /// anywhere.
    attacked: [Bitboard; 2],
    /// Where pieces of the loser may stand.
    blocked: Bitboard,
}

impl<'a> MatingNet<'a> {
    fn of(reach: &'a Reach, winner: Color) -> MatingNet<'a> {
        // The loser's king is not a wall: lines that attack it continue behind it.
        let walls = reach.fixed[0] | reach.fixed[1] | reach.fixed_kings[winner.index()];
        let mut attacked = [Bitboard::EMPTY; 2];
        let mut blocked = Bitboard::EMPTY;
        for piece in reach.pieces.iter() {
            if piece.color == winner {
                let attacks = attacks_from_anywhere(piece, walls);
                attacked[1] |= attacked[0] & attacks;
                attacked[0] |= attacks;
            } else {
                blocked |= piece.anywhere();
            }
        }
        let partners = reach.kings.partners(!winner);
        let loser_king = reach.kings.squares(!winner);
        MatingNet { pieces: &reach.pieces, winner, walls, partners, loser_king, attacked, blocked }
    }

    /// Returns whether some piece may mate the king somewhere.
    fn may_close(&self) -> bool {
        self.pieces.iter().filter(|piece| piece.color == self.winner).any(|piece| {
            let own = attacks_from_anywhere(piece, self.walls);
            // What the other pieces attack: squares attacked twice, and those attacked once but
            // not by this one.
            let others = self.attacked[1] | self.attacked[0] & !own;
            let mut kings = (self.loser_king & own).into_iter();
            kings.any(|king| self.may_mate_with(piece, king, others))
        })
    }

    /// Returns whether a check by this piece on a king may be mate.
    fn may_mate_with(&self, piece: &TrackedPiece, king: Square, others: Bitboard) -> bool {
        let around = attacks::king(king);
        let open = around & !others;
        let gives_check = |from: Square, attacks: &dyn Fn(Square) -> Bitboard| {
            from != king && attacks(from).contains(king)
        };
        let as_itself = |from| piece.attacks(from, self.walls);
        let as_promoted = |from| promoted_attacks(from, self.walls);
        let own = piece.squares.into_iter().any(|from| {
            gives_check(from, &as_itself)
                && self.may_close_rest(king, from, open & !self.cover(piece, from, king))
        });
        own || piece.promoted.into_iter().any(|from| {
            gives_check(from, &as_promoted)
                && self.may_close_rest(king, from, open & !as_promoted(from))
        })
    }

    /// Returns what the checking piece also attacks; its lines continue through the king.
    fn cover(&self, piece: &TrackedPiece, from: Square, king: Square) -> Bitboard {
        piece.attacks(from, self.walls.without(king))
    }

    /// Returns whether the winner's king and pieces of the loser, each on a square of its own,
    /// can close the open squares around the king.
    fn may_close_rest(&self, king: Square, from: Square, open: Bitboard) -> bool {
        let unblockable = open & (!self.blocked | from.into());
        let partners = self.partners[king.index()].without(from);
        partners.into_iter().any(|other| {
            let near = attacks::king(other);
            (unblockable & !near).is_empty() && self.can_block(open & !near)
        })
    }

    /// Returns whether different pieces of the loser can occupy all of these squares.
    fn can_block(&self, squares: Bitboard) -> bool {
        let mut used = 0;
        self.block_next(squares, &mut used)
    }

    fn block_next(&self, squares: Bitboard, used: &mut u32) -> bool {
        let Some(square) = squares.first() else { return true };
        for (index, piece) in self.pieces.iter().enumerate() {
            let is_free = *used & 1 << index == 0;
            if is_free && piece.color != self.winner && piece.anywhere().contains(square) {
                *used |= 1 << index;
                if self.block_next(squares.without(square), used) {
                    return true;
                }
                *used &= !(1 << index);
            }
        }
        false
    }
}

/// Returns everything a piece may ever attack.
fn attacks_from_anywhere(piece: &TrackedPiece, walls: Bitboard) -> Bitboard {
    let mut attacked = Bitboard::EMPTY;
    for square in piece.squares {
        // An attacked king does not stop the line behind it, so the loser's king is not among the
        // walls.
        attacked |= piece.attacks(square, walls);
    }
    if piece.role == Role::Pawn {
        for square in piece.promoted {
            attacked |= promoted_attacks(square, walls);
        }
    }
    attacked
}
