//! The changes a move makes on the board.

use castellan_rules::{Observer, Piece, Square};

/// The pieces that a move removes and places, at most two of each.
///
/// Recording them is all that making a move costs; accumulators are updated when a position is
/// evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Changes {
    removed: [(Piece, Square); 2],
    placed: [(Piece, Square); 2],
    removed_len: u8,
    placed_len: u8,
}

const FILLER: (Piece, Square) =
    (Piece { color: castellan_rules::Color::White, role: castellan_rules::Role::Pawn }, Square::A1);

impl Changes {
    /// No changes, for a null move.
    pub const NONE: Changes =
        Changes { removed: [FILLER; 2], placed: [FILLER; 2], removed_len: 0, placed_len: 0 };

    /// Returns the pieces that left a square.
    #[inline(always)]
    pub(crate) fn removed(&self) -> &[(Piece, Square)] {
        &self.removed[..usize::from(self.removed_len).min(2)]
    }

    /// Returns the pieces that entered a square.
    #[inline(always)]
    pub(crate) fn placed(&self) -> &[(Piece, Square)] {
        &self.placed[..usize::from(self.placed_len).min(2)]
    }
}

impl Observer for Changes {
    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        self.removed[usize::from(self.removed_len & 1)] = (piece, square);
        self.removed_len += 1;
    }

    #[inline(always)]
    fn placed(&mut self, piece: Piece, square: Square) {
        self.placed[usize::from(self.placed_len & 1)] = (piece, square);
        self.placed_len += 1;
    }
}
