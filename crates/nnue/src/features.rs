//! Which row of weights belongs to a piece on a square, as one color sees the board.

use castellan_rules::{Color, Piece, Square};

/// Inputs of one king bucket: two sides, six roles, 64 squares.
pub(crate) const INPUTS: usize = 768;

const INPUTS_PER_SIDE: u32 = 384;
const INPUTS_PER_ROLE: u32 = 64;

/// How a color sees the board while its king stands on a certain square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct View {
    color: Color,
    /// Turns squares: 56 exchanges the ranks for Black, 7 the files for a king on e to h.
    turn: u8,
    /// Which weights are used, times two, plus one if the files are exchanged. Views of one color
    /// with the same number have the same rows.
    number: u8,
}

impl View {
    /// The view of a color with a king on a square.
    pub(crate) fn new(color: Color, king: Square, buckets: &[u8; 64]) -> View {
        let ranks = color.fold(0, 56);
        let is_mirrored = king.file().index() >= 4;
        let turn = ranks | if is_mirrored { 7 } else { 0 };
        let bucket = buckets[king.index() ^ usize::from(turn)];
        View { color, turn, number: 2 * bucket + u8::from(is_mirrored) }
    }

    /// A number less than twice the number of king buckets.
    pub(crate) fn number(self) -> usize {
        self.number.into()
    }

    /// The row of a piece on a square.
    #[inline(always)]
    pub(crate) fn row(self, piece: Piece, square: Square) -> u32 {
        let bucket = u32::from(self.number / 2);
        let side = if piece.color == self.color { 0 } else { INPUTS_PER_SIDE };
        let square = square.index() as u32 ^ u32::from(self.turn);
        bucket * INPUTS as u32 + side + piece.role.index() as u32 * INPUTS_PER_ROLE + square
    }
}
