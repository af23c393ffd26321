//! What a FEN says, before it is validated.

use crate::setup_problem::{SetupProblem, SetupProblems};
use crate::{Bitboard, Color, Pieces, Position, Square, validate};

/// The two move counters of a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Clocks {
    /// Moves by either side since the last capture or pawn move.
    pub halfmove_clock: u16,
    /// The number of the current move. Valid numbers start at 1, but some FENs contain 0.
    pub fullmove_number: u32,
}

/// A position as it was set up, not validated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Setup {
    /// The piece placement.
    pub pieces: Pieces,
    /// The side to move.
    pub turn: Color,
    /// The squares of the rooks that are claimed to be able to castle.
    pub castling_rooks: Bitboard,
    /// The square that a pawn is claimed to have just passed over.
    pub en_passant: Option<Square>,
    /// The counters, or `None` for a FEN with four fields.
    pub clocks: Option<Clocks>,
}

impl Setup {
    /// Returns an empty board with White to move.
    pub const fn empty() -> Setup {
        Setup {
            pieces: Pieces::EMPTY,
            turn: Color::White,
            castling_rooks: Bitboard::EMPTY,
            en_passant: None,
            clocks: None,
        }
    }

    /// Returns everything that is wrong with the setup, both unplayable and only suspicious.
    pub fn problems(&self) -> SetupProblems {
        validate::problems(self)
    }

    /// Returns `true` if [`position`](Setup::position) would succeed, without building the
    /// position.
    #[inline]
    pub fn is_playable(&self) -> bool {
        !validate::is_unplayable(self)
    }

    /// Validates the setup and returns the position. This is the only way from a setup to a
    /// position.
    ///
    /// Fails if any problem is unplayable, and then returns all problems, including suspicious
    /// ones. A setup that is only suspicious is playable. Missing clocks default to 0 and 1, and
    /// a move number of 0 becomes 1.
    #[inline]
    pub fn position(&self) -> Result<Position, SetupProblems> {
        if !self.is_playable() {
            return Err(self.problems());
        }
        Ok(Position::of_checked(self))
    }
}

impl SetupProblems {
    /// Returns `true` if a setup with these problems cannot be played.
    pub fn is_unplayable(self) -> bool {
        self.iter().any(SetupProblem::is_unplayable)
    }
}
