//! Whether a king can be mated anywhere, given what all men can ever do.
//!
//! A mate is a check by some man from some square, and each square next to the king is either
//! attacked or taken by a man of the king's own. Who attacks is only partly kept apart: the
//! man that gives check stands on one square, the winner's king on one square, every other man
//! is allowed to be everywhere it can reach at once, and men in the way of an attack are
//! allowed to be elsewhere. So a net that is not found does not exist; one that is found may be
//! a mirage.

use castellan_rules::{Bitboard, Color, Role, Square, attacks};

use super::men::{Man, Men, promoted_attacks};
use super::reach::Reach;

/// Whether the reach of the men leaves a mate of `winner`'s enemy possible.
pub(super) fn may_mate(reach: &Reach, winner: Color) -> bool {
    Net::of(reach, winner).may_close()
}

/// What both sides can contribute.
struct Net<'a> {
    men: &'a Men,
    winner: Color,
    /// Squares never empty, where no line passes.
    walls: Bitboard,
    /// For each square of the loser's king, those of the winner's.
    partners: [Bitboard; 64],
    loser_king: Bitboard,
    /// What the winner's men attack from anywhere; twice: by one man at least, by two.
    attacked: [Bitboard; 2],
    /// Where men of the loser may stand.
    blocked: Bitboard,
}

impl<'a> Net<'a> {
    fn of(reach: &'a Reach, winner: Color) -> Net<'a> {
        // The loser's king is no wall: lines that attack it go on behind it.
        let walls = reach.fixed[0] | reach.fixed[1] | reach.fixed_kings[winner.index()];
        let mut attacked = [Bitboard::EMPTY; 2];
        let mut blocked = Bitboard::EMPTY;
        for man in reach.men.iter() {
            if man.color == winner {
                let attacks = attacks_from_anywhere(man, walls);
                attacked[1] |= attacked[0] & attacks;
                attacked[0] |= attacks;
            } else {
                blocked |= man.anywhere();
            }
        }
        let partners = reach.kings.partners(!winner);
        let loser_king = reach.kings.squares(!winner);
        Net { men: &reach.men, winner, walls, partners, loser_king, attacked, blocked }
    }

    /// Whether some man may mate the king somewhere.
    fn may_close(&self) -> bool {
        self.men.iter().filter(|man| man.color == self.winner).any(|man| {
            let own = attacks_from_anywhere(man, self.walls);
            // What the others attack: what two attack, and what one does that is not this man.
            let others = self.attacked[1] | self.attacked[0] & !own;
            let mut kings = (self.loser_king & own).into_iter();
            kings.any(|king| self.may_mate_with(man, king, others))
        })
    }

    /// Whether a check by this man on a king may be mate.
    fn may_mate_with(&self, man: &Man, king: Square, others: Bitboard) -> bool {
        let around = attacks::king(king);
        let open = around & !others;
        let is_in_check = |from: Square, attacks: &dyn Fn(Square) -> Bitboard| {
            from != king && attacks(from).contains(king)
        };
        let as_itself = |from| man.attacks(from, self.walls);
        let as_promoted = |from| promoted_attacks(from, self.walls);
        let own = man.squares.into_iter().any(|from| {
            is_in_check(from, &as_itself)
                && self.may_close_rest(king, from, open & !self.cover(man, from, king))
        });
        own || man.promoted.into_iter().any(|from| {
            is_in_check(from, &as_promoted)
                && self.may_close_rest(king, from, open & !as_promoted(from))
        })
    }

    /// What the checking man attacks besides: lines go on through the king.
    fn cover(&self, man: &Man, from: Square, king: Square) -> Bitboard {
        man.attacks(from, self.walls.without(king))
    }

    /// Whether the open squares around the king can be closed by the winner's king and by men
    /// of the loser, each on a square of its own.
    fn may_close_rest(&self, king: Square, from: Square, open: Bitboard) -> bool {
        let unblockable = open & (!self.blocked | from.into());
        let partners = self.partners[king.index()].without(from);
        partners.into_iter().any(|other| {
            let near = attacks::king(other);
            (unblockable & !near).is_empty() && self.can_block(open & !near)
        })
    }

    /// Whether different men of the loser can stand on all of these squares.
    fn can_block(&self, squares: Bitboard) -> bool {
        let mut used = 0;
        self.block_next(squares, &mut used)
    }

    fn block_next(&self, squares: Bitboard, used: &mut u32) -> bool {
        let Some(square) = squares.first() else { return true };
        for (index, man) in self.men.iter().enumerate() {
            let is_free = *used & 1 << index == 0;
            if is_free && man.color != self.winner && man.anywhere().contains(square) {
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

/// Everything a man may attack at some time.
fn attacks_from_anywhere(man: &Man, walls: Bitboard) -> Bitboard {
    let mut attacked = Bitboard::EMPTY;
    for square in man.squares {
        // The king that is attacked does not stop the line behind it, and it is no wall.
        attacked |= man.attacks(square, walls);
    }
    if man.role == Role::Pawn {
        for square in man.promoted {
            attacked |= promoted_attacks(square, walls);
        }
    }
    attacked
}
