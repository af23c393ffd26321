//! How a game ends under the rules on the board.

use std::fmt;

use crate::Color;

/// Why a game ended without a claim, a resignation or an agreement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndReason {
    /// The side to move is in check and has no legal move (FIDE 5.1.1).
    Checkmate,
    /// The side to move is not in check and has no legal move (FIDE 5.2.1).
    Stalemate,
    /// Neither player can checkmate by any series of legal moves (FIDE 5.2.2).
    /// [`Line`](crate::Line) does not detect this; callers that do can report it with this value.
    DeadPosition,
    /// The same position occurred for the fifth time (FIDE 9.6.1).
    FivefoldRepetition,
    /// Each side made 75 moves without a pawn move or a capture (FIDE 9.6.2).
    SeventyFiveMoves,
}

/// The end of a game: the reason and the winner.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    /// Why the game ended.
    pub reason: EndReason,
    /// The winner, or `None` for a draw.
    pub winner: Option<Color>,
}

impl Outcome {
    /// Creates a draw with this reason.
    pub fn draw(reason: EndReason) -> Outcome {
        Outcome { reason, winner: None }
    }

    /// Returns the result as PGN writes it: `1-0`, `0-1` or `1/2-1/2`.
    pub fn score(self) -> &'static str {
        match self.winner {
            Some(Color::White) => "1-0",
            Some(Color::Black) => "0-1",
            None => "1/2-1/2",
        }
    }
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EndReason::Checkmate => "checkmate",
            EndReason::Stalemate => "stalemate",
            EndReason::DeadPosition => "dead position",
            EndReason::FivefoldRepetition => "fivefold repetition",
            EndReason::SeventyFiveMoves => "the seventy-five-move rule",
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner {
            Some(winner) => write!(f, "{winner} wins by {}", self.reason),
            None => write!(f, "draw by {}", self.reason),
        }
    }
}

/// The draws the player to move may claim. The game continues until one is claimed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Claims {
    /// The same position occurred for the third time (FIDE 9.2).
    pub threefold_repetition: bool,
    /// Each side made 50 moves without a pawn move or a capture (FIDE 9.3).
    pub fifty_moves: bool,
}

impl Claims {
    /// Returns `true` if there is a draw to claim.
    pub fn any(self) -> bool {
        self.threefold_repetition || self.fifty_moves
    }
}
