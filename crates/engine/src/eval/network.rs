//! Evaluation by a neural network instead of the hand-written terms, combined with endings whose
//! result is certain.

use std::sync::Arc;

use castellan_nnue::{Accumulators, Changes};
use castellan_rules::{Observer, Piece, Position, Square};

use super::endings::{WHOLE, pawnless};
use super::{IncrementalState, known_ending, sign};
use crate::score::Value;

/// A network shared by the threads of the engine.
pub(crate) type SharedNetwork = Arc<castellan_nnue::Network>;

/// The maximum number of pieces, kings and pawns included, for which the evaluation checks
/// whether a side without pawns can win. With more pieces the network knows better.
const FEW_PIECES: usize = 6;

/// Returns the value of a position for the side to move, from the network and from known endings.
pub(super) fn value(accumulators: &mut Accumulators, position: &Position) -> Value {
    let turn = position.turn();
    if let Some(value) = known_ending(position) {
        return value * sign(turn);
    }
    let value = accumulators.evaluate(position);
    let strong = if value >= 0 { turn } else { !turn };
    let has_few_pieces = position.occupied().count() <= FEW_PIECES;
    let share = if has_few_pieces { pawnless(position, strong) } else { None };
    // The file format allows outputs so large that the product would overflow 32 bits.
    let scaled = |share| (i64::from(value) * i64::from(share) / i64::from(WHOLE)) as Value;
    share.map_or(value, scaled)
}

/// Passes the changes of a move on to the state and the network.
pub(super) struct Observers<'a> {
    pub(super) state: &'a mut IncrementalState,
    pub(super) changes: Changes,
}

impl Observer for Observers<'_> {
    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.state.removed(piece, square);
        self.changes.removed(piece, square);
    }

    #[inline(always)]
    fn placed(&mut self, piece: Piece, square: Square) {
        self.state.placed(piece, square);
        self.changes.placed(piece, square);
    }
}
