//! How a game ends by the rules of the board.

use std::fmt;

use crate::Color;

/// Why a game is over, without anybody asking for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndReason {
    /// FIDE 5.1.1.
    Checkmate,
    /// FIDE 5.2.1.
    Stalemate,
    /// FIDE 5.2.2: nobody can mate by any legal moves. [`Line`](crate::Line) does not look for it;
    /// whoever does can say so.
    DeadPosition,
    /// FIDE 9.6.1: the same position for the fifth time.
    FivefoldRepetition,
    /// FIDE 9.6.2: 75 moves by each side without a pawn move or a capture.
    SeventyFiveMoves,
}

/// The end of a game: why, and who won.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    /// Why.
    pub reason: EndReason,
    /// Who won; nobody in a draw.
    pub winner: Option<Color>,
}

impl Outcome {
    /// A draw for this reason.
    pub fn draw(reason: EndReason) -> Outcome {
        Outcome { reason, winner: None }
    }

    /// The result as a PGN writes it.
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

/// The draws that the player to move may claim; the game goes on until one is claimed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Claims {
    /// FIDE 9.2: the same position for the third time.
    pub threefold_repetition: bool,
    /// FIDE 9.3: 50 moves by each side without a pawn move or a capture.
    pub fifty_moves: bool,
}

impl Claims {
    /// Whether there is anything to claim.
    pub fn any(self) -> bool {
        self.threefold_repetition || self.fifty_moves
    }
}
