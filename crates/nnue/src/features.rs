//! Maps a piece on a square to its row of weights, from one color's point of view.

use castellan_rules::{Color, Piece, Square};

/// The number of inputs of one king bucket: two sides, six roles, 64 squares.
pub(crate) const INPUTS: usize = 768;

const INPUTS_PER_SIDE: u32 = 384;
const INPUTS_PER_ROLE: u32 = 64;

/// A color's view of the board while its king stands on a given square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct View {
    color: Color,
    /// The mask to exclusive-or squares with: 56 flips the ranks for Black, 7 mirrors the files
    /// for a king on e to h.
    square_mask: u8,
    /// Twice the king bucket, plus one if the files are mirrored. Views of one color with the
    /// same number use the same rows.
    number: u8,
}

impl View {
    /// Creates the view of a color with its king on a square.
    pub(crate) fn new(color: Color, king: Square, buckets: &[u8; 64]) -> View {
        let ranks = color.fold(0, 56);
        let is_mirrored = king.file().index() >= 4;
        let square_mask = ranks | if is_mirrored { 7 } else { 0 };
        let bucket = buckets[king.index() ^ usize::from(square_mask)];
        View { color, square_mask, number: 2 * bucket + u8::from(is_mirrored) }
    }

    /// Returns the view number, which is less than twice the number of king buckets.
    pub(crate) fn number(self) -> usize {
        self.number.into()
    }

    /// Returns the row of a piece on a square.
    #[inline(always)]
    pub(crate) fn row(self, piece: Piece, square: Square) -> u32 {
        let bucket = u32::from(self.number / 2);
        let side = if piece.color == self.color { 0 } else { INPUTS_PER_SIDE };
        let square = square.index() as u32 ^ u32::from(self.square_mask);
        bucket * INPUTS as u32 + side + piece.role.index() as u32 * INPUTS_PER_ROLE + square
    }
}
