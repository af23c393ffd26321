//! How a played game ends.
//!
//! This module defines the end reasons: those that follow from the board and those that follow
//! from the players or the clocks. Invariant: an [`End`] has a winner exactly when its reason
//! calls for one.

use std::fmt;

use castellan_rules::{Color, EndReason as BoardReason, Line, Outcome};
use serde::{Deserialize, Serialize};

use crate::json;

/// Why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum EndReason {
    /// The player to move is checkmated (FIDE 5.1.1).
    Checkmate,
    /// The player to move has no legal move and is not in check (FIDE 5.2.1).
    Stalemate,
    /// Neither player can checkmate by any sequence of legal moves (FIDE 5.2.2).
    DeadPosition,
    /// The same position occurred five times (FIDE 9.6.1).
    FivefoldRepetition,
    /// 75 moves by each player without a capture or a pawn move (FIDE 9.6.2).
    SeventyFiveMoves,
    /// A player claimed a draw because the same position occurred three times (FIDE 9.2).
    ThreefoldRepetition,
    /// A player claimed a draw after 50 moves without a capture or a pawn move (FIDE 9.3).
    FiftyMoves,
    /// A player resigned (FIDE 5.1.2).
    Resignation,
    /// The players agreed to a draw (FIDE 5.2.3).
    Agreement,
    /// The loser ran out of time (FIDE 6.9).
    Timeout,
    /// A player ran out of time, but the opponent cannot checkmate by any sequence of legal moves
    /// (FIDE 6.9).
    TimeoutAgainstNoMate,
    /// A player left for good. This is a draw if the opponent cannot checkmate.
    Abandoned,
    /// The game reached the maximum number of plies.
    PlyLimit,
    /// The game was aborted before both players had moved; it has no result.
    Aborted,
    /// The result is known, but not the reason. Only games that were read from a PGN end like this.
    Unstated,
}

impl EndReason {
    /// All end reasons.
    pub const ALL: [EndReason; 15] = [
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
        EndReason::Unstated,
    ];
}

/// The end of a game: the reason and the winner.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct End {
    /// Why the game ended.
    pub reason: EndReason,
    /// The winner; `None` for a draw or an aborted game.
    #[serde(default, with = "json::maybe_color", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "Color"))]
    pub winner: Option<Color>,
}

impl End {
    /// Creates an end with a winner.
    pub fn win(reason: EndReason, winner: Color) -> End {
        End { reason, winner: Some(winner) }
    }

    /// Creates a draw, or the end of an aborted game.
    pub fn without_winner(reason: EndReason) -> End {
        End { reason, winner: None }
    }

    /// Returns how the position or the ply limit ends a game after these moves, whatever the
    /// players want; `None` if the game goes on.
    pub fn by_rules(line: &Line) -> Option<End> {
        crate::game::end_of(line)
    }

    /// Returns `true` if the reason allows this winner, or the lack of one.
    pub fn is_consistent(self) -> bool {
        match self.reason {
            EndReason::Checkmate | EndReason::Resignation | EndReason::Timeout => {
                self.winner.is_some()
            }
            EndReason::Abandoned | EndReason::Unstated => true,
            EndReason::Stalemate
            | EndReason::DeadPosition
            | EndReason::FivefoldRepetition
            | EndReason::SeventyFiveMoves
            | EndReason::ThreefoldRepetition
            | EndReason::FiftyMoves
            | EndReason::Agreement
            | EndReason::TimeoutAgainstNoMate
            | EndReason::PlyLimit
            | EndReason::Aborted => self.winner.is_none(),
        }
    }

    /// Returns the result in PGN notation; `*` if the game was aborted.
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
            EndReason::Unstated => "an unstated reason",
        })
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner {
            Some(winner) if self.reason == EndReason::Unstated => write!(f, "{winner} wins"),
            None if self.reason == EndReason::Unstated => f.write_str("draw"),
            Some(winner) => write!(f, "{winner} wins by {}", self.reason),
            None if self.reason == EndReason::Aborted => f.write_str("called off"),
            None => write!(f, "draw by {}", self.reason),
        }
    }
}
