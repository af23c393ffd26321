//! The network in place of the terms made by hand, with what is certain about endings around it.

use std::sync::Arc;

use castellan_nnue::{Accumulators, Changes};
use castellan_rules::{Observer, Piece, Position, Square};

use super::endings::{WHOLE, pawnless};
use super::{Sums, known_ending, sign};
use crate::score::Value;

/// A network that the engine was given.
pub(crate) type SharedNetwork = Arc<castellan_nnue::Network>;

/// Endings with at most this many pieces are checked for a side that cannot win without pawns;
/// with more pieces the network knows better.
const FEW_PIECES: usize = 6;

/// The value of a position for the side to move, as the network and known endings say.
pub(super) fn value(accumulators: &mut Accumulators, position: &Position) -> Value {
    let turn = position.turn();
    if let Some(value) = known_ending(position) {
        return value * sign(turn);
    }
    let value = accumulators.evaluate(position);
    let strong = if value >= 0 { turn } else { !turn };
    let is_small = position.occupied().count() <= FEW_PIECES;
    let share = if is_small { pawnless(position, strong) } else { None };
    // The network is bounded by its file only, so the product may need more bits.
    let scaled = |share| (i64::from(value) * i64::from(share) / i64::from(WHOLE)) as Value;
    share.map_or(value, scaled)
}

/// Tells the sums and the network what a move changes.
pub(super) struct Followers<'a> {
    pub(super) sums: &'a mut Sums,
    pub(super) changes: Changes,
}

impl Observer for Followers<'_> {
    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.sums.removed(piece, square);
        self.changes.removed(piece, square);
    }

    #[inline(always)]
    fn placed(&mut self, piece: Piece, square: Square) {
        self.sums.placed(piece, square);
        self.changes.placed(piece, square);
    }
}
