//! Evaluation by a neural network instead of the hand-written terms, combined with endings whose
//! result is certain.

use std::sync::Arc;

use castellan_nnue::{Accumulators, Changes};
use castellan_rules::{Observer, Piece, Position, Square};

use super::endings::{WHOLE, pawnless};
use super::incremental::FULL_PHASE;
use super::{IncrementalState, known_ending, sign};
use crate::score::Value;

/// A network shared by the threads of the engine.
pub(crate) type SharedNetwork = Arc<castellan_nnue::Network>;

/// The maximum number of pieces, kings and pawns included, for which the evaluation checks
/// whether a side without pawns can win. With more pieces the network knows better.
const FEW_PIECES: usize = 6;

/// The weight of the network's values, which are in centipawns of its training, in 128ths.
///
/// The search prunes by margins in centipawns, so the weight decides how cautious it is. Because the
/// weight grows with the pieces on the board, the search prefers to keep pieces when it is ahead, as
/// they are what it wins with, and to trade them when it is behind.
#[derive(Clone, Copy)]
pub(crate) struct NetworkWeight {
    /// The weight when only kings and pawns are left.
    pub(crate) endgame: i32,
    /// What the pieces of the initial position add to it.
    pub(crate) growth: i32,
}

const WEIGHT_UNIT: i32 = 128;

/// Returns the value of a position for the side to move, from the network and from known endings.
/// `phase` is the game phase of the position.
pub(super) fn value(
    accumulators: &mut Accumulators,
    position: &Position,
    phase: i32,
    weight: NetworkWeight,
) -> Value {
    let turn = position.turn();
    if let Some(value) = known_ending(position) {
        return value * sign(turn);
    }
    let value = weighted(accumulators.evaluate(position), phase, weight);
    let strong = if value >= 0 { turn } else { !turn };
    let has_few_pieces = position.occupied().count() <= FEW_PIECES;
    let share = if has_few_pieces { pawnless(position, strong) } else { None };
    share.map_or(value, |share| product(value, share, WHOLE))
}

/// Returns a value of the network weighted by the pieces on the board.
fn weighted(value: Value, phase: i32, weight: NetworkWeight) -> Value {
    let sum = weight.endgame * FULL_PHASE + weight.growth * phase.min(FULL_PHASE);
    product(value, sum, WEIGHT_UNIT * FULL_PHASE)
}

/// Returns `value * numerator / denominator`. The file format allows outputs so large that the
/// product would overflow 32 bits.
fn product(value: Value, numerator: i32, denominator: i32) -> Value {
    (i64::from(value) * i64::from(numerator) / i64::from(denominator)) as Value
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
