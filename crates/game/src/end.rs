//! How a played game ends.
//!
//! Owns: the reasons, those of the board and those of people and clocks. Invariant: an [`End`]
//! has a winner exactly where its reason has one.

use std::fmt;

use castellan_rules::{Color, EndReason as BoardReason, Outcome};
use serde::{Deserialize, Serialize};

use crate::text;

/// Why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// FIDE 5.1.1.
    Checkmate,
    /// FIDE 5.2.1.
    Stalemate,
    /// FIDE 5.2.2: nobody can mate any more.
    DeadPosition,
    /// FIDE 9.6.1.
    FivefoldRepetition,
    /// FIDE 9.6.2.
    SeventyFiveMoves,
    /// FIDE 9.2, claimed.
    ThreefoldRepetition,
    /// FIDE 9.3, claimed.
    FiftyMoves,
    /// FIDE 5.1.2.
    Resignation,
    /// FIDE 5.2.3.
    Agreement,
    /// FIDE 6.9: the time of the loser is up.
    Timeout,
    /// FIDE 6.9: the time of a player is up, but the opponent cannot mate by any legal moves.
    TimeoutAgainstNoMate,
    /// A player left for good; a draw if the opponent cannot mate.
    Abandoned,
    /// The game has as many plies as a game may have.
    PlyLimit,
    /// Called off before both had moved: no result.
    Aborted,
}

impl EndReason {
    /// Every reason.
    pub const ALL: [EndReason; 14] = [
        EndReason::Checkmate,
        EndReason::Stalemate,
        EndReason::DeadPosition,
        EndReason::FivefoldRepetition,
        EndReason::SeventyFiveMoves,
        EndReason::ThreefoldRepetition,
        EndReason::FiftyMoves,
        EndReason::Resignation,
        EndReason::Agreement,
        EndReason::Timeout,
        EndReason::TimeoutAgainstNoMate,
        EndReason::Abandoned,
        EndReason::PlyLimit,
        EndReason::Aborted,
    ];
}

/// The end of a game: why, and who won.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// Why.
    pub reason: EndReason,
    /// Who won, if anybody.
    #[serde(default, with = "text::maybe_color", skip_serializing_if = "Option::is_none")]
    pub winner: Option<Color>,
}

impl End {
    /// A win for a color.
    pub fn win(reason: EndReason, winner: Color) -> End {
        End { reason, winner: Some(winner) }
    }

    /// A draw, or no result at all.
    pub fn without_winner(reason: EndReason) -> End {
        End { reason, winner: None }
    }

    /// Whether the reason can have this winner, or this absence of one.
    pub fn is_consistent(self) -> bool {
        match self.reason {
            EndReason::Checkmate | EndReason::Resignation | EndReason::Timeout => {
                self.winner.is_some()
            }
            EndReason::Abandoned => true,
            _ => self.winner.is_none(),
        }
    }

    /// The result as a PGN writes it; a game that was called off has none.
    pub fn score(self) -> &'static str {
        match self.winner {
            Some(winner) => winner.fold("1-0", "0-1"),
            None if self.reason == EndReason::Aborted => "*",
            None => "1/2-1/2",
        }
    }
}

impl From<Outcome> for End {
    fn from(outcome: Outcome) -> End {
        let reason = match outcome.reason {
            BoardReason::Checkmate => EndReason::Checkmate,
            BoardReason::Stalemate => EndReason::Stalemate,
            BoardReason::DeadPosition => EndReason::DeadPosition,
            BoardReason::FivefoldRepetition => EndReason::FivefoldRepetition,
            BoardReason::SeventyFiveMoves => EndReason::SeventyFiveMoves,
        };
        End { reason, winner: outcome.winner }
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
            EndReason::ThreefoldRepetition => "threefold repetition",
            EndReason::FiftyMoves => "the fifty-move rule",
            EndReason::Resignation => "resignation",
            EndReason::Agreement => "agreement",
            EndReason::Timeout => "timeout",
            EndReason::TimeoutAgainstNoMate => "timeout against a player who cannot mate",
            EndReason::Abandoned => "abandonment",
            EndReason::PlyLimit => "the limit of plies",
            EndReason::Aborted => "being called off",
        })
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner {
            Some(winner) => write!(f, "{winner} wins by {}", self.reason),
            None if self.reason == EndReason::Aborted => f.write_str("called off"),
            None => write!(f, "draw by {}", self.reason),
        }
    }
}
