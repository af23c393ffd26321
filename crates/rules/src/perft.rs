//! Counts the leaves of the tree of legal moves.

use std::marker::PhantomData;

use crate::board::Board;
use crate::movegen::{self, Selection, Sink, generate};
use crate::side::{Black, Side, White};
use crate::{Color, Move, Position};

/// Returns the number of lines of exactly `depth` moves. The moves of the last ply are counted
/// without being made.
///
/// ```
/// use castellan_rules::{Position, perft};
/// assert_eq!(perft(&Position::start(), 4), 197_281);
/// ```
pub fn perft(position: &Position, depth: u32) -> u64 {
    match (depth, position.turn()) {
        (0, _) => 1,
        (_, Color::White) => leaves::<White>(position.board(), depth),
        (_, Color::Black) => leaves::<Black>(position.board(), depth),
    }
}

/// Returns the number of leaves below a position in which `S` is to move.
fn leaves<S: Side>(board: &Board, depth: u32) -> u64 {
    if depth == 1 {
        return count::<S>(board);
    }
    let mut descent = Descent { board, depth, leaves: 0, side: PhantomData::<S> };
    generate::<S, Descent<S>>(board, Selection::All, &mut descent);
    descent.leaves
}

#[inline(never)]
fn count<S: Side>(board: &Board) -> u64 {
    movegen::count::<S>(board) as u64
}

/// A board with its bitboards in one cache line, aligned as they are in a `Position`.
#[repr(align(64))]
struct Aligned(Board);

/// A sink that makes each move as it is generated and counts the leaves below it. Without a move
/// list in between, the compiler knows the kind of the move that is made.
struct Descent<'a, S> {
    board: &'a Board,
    depth: u32,
    leaves: u64,
    side: PhantomData<S>,
}

impl<S: Side> Descent<'_, S> {
    #[inline(always)]
    fn make(&mut self, mv: Move) {
        let Aligned(next) = &Aligned(self.board.after::<S>(mv));
        self.leaves += if self.depth == 2 {
            count::<S::Other>(next)
        } else {
            leaves::<S::Other>(next, self.depth - 1)
        };
    }
}

impl<S: Side> Sink for Descent<'_, S> {
    #[inline(always)]
    fn one(&mut self, mv: Move) {
        self.make(mv);
    }
}
