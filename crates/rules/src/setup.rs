//! What a FEN says, before anyone has asked whether it makes sense.

use crate::reasons::{Reason, Reasons};
use crate::{Bitboard, Color, Pieces, Position, Square, validate};

/// The two counters of a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Clocks {
    /// Moves of either side since the last capture or pawn move.
    pub halfmove_clock: u16,
    /// The number of the move being played. Zero is not a number for a move, but is written.
    pub fullmove_number: u32,
}

/// A position as somebody set it up, checked by nobody.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Setup {
    /// The pieces.
    pub pieces: Pieces,
    /// Whose turn it is.
    pub turn: Color,
    /// The squares of the rooks said to be able to castle.
    pub castling_rooks: Bitboard,
    /// The square a pawn is said to have just passed over.
    pub en_passant: Option<Square>,
    /// The counters, which a FEN of four fields lacks.
    pub clocks: Option<Clocks>,
}

impl Setup {
    /// An empty board with White to move.
    pub const fn empty() -> Setup {
        Setup {
            pieces: Pieces::EMPTY,
            turn: Color::White,
            castling_rooks: Bitboard::EMPTY,
            en_passant: None,
            clocks: None,
        }
    }

    /// Everything that is wrong or odd, unplayable or only suspicious.
    pub fn reasons(&self) -> Reasons {
        validate::reasons(self)
    }

    /// Whether there is a checked position of it: [`position`](Setup::position) without the
    /// work of making one.
    #[inline]
    pub fn is_playable(&self) -> bool {
        !validate::is_unplayable(self)
    }

    /// The checked position; the only way from a setup to one.
    ///
    /// Fails if anything is unplayable, and then names everything that is, and everything
    /// suspicious too. What is only suspicious is playable. Without clocks they are 0 and 1,
    /// and a move number of 0 becomes 1.
    #[inline]
    pub fn position(&self) -> Result<Position, Reasons> {
        if !self.is_playable() {
            return Err(self.reasons());
        }
        Ok(Position::of_checked(self))
    }
}

impl Reasons {
    /// Whether a position with these reasons cannot be played.
    pub fn is_unplayable(self) -> bool {
        self.iter().any(Reason::is_unplayable)
    }
}
