//! The requests that players and the server can make of a game.
//!
//! Commands deliberately have no JSON form. Messages from a client are a different type, and only
//! the server fills in values that it measures itself.

use core::time::Duration;

use castellan_rules::{Color, Square, UciMove};
use serde::{Deserialize, Serialize};

use crate::Player;

/// A request to a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Take a seat. Players can only seat themselves; the server can seat any player.
    Seat {
        /// The seat to take.
        color: Color,
        /// The player who takes it.
        player: Player,
    },
    /// Make a move.
    Move {
        /// Ply the move is meant for, so that a duplicate is harmless and a late move is
        /// detected. After a takeback, ply numbers are used again, so a client must not resend
        /// moves from before it.
        ply: u32,
        /// The move.
        mv: UciMove,
        /// Network lag of the message, as measured by the server.
        lag: Duration,
    },
    /// Touch a piece, in games with touch-move.
    Touch {
        /// Ply the touch is meant for.
        ply: u32,
        /// Square of the touched piece.
        square: Square,
    },
    /// Resign.
    Resign,
    /// Make a proposal to the opponent.
    Offer(Proposal),
    /// Accept the opponent's proposal.
    Accept(Proposal),
    /// Decline the opponent's proposal, or withdraw the player's own.
    Decline(Proposal),
    /// Claim a draw by repetition or by the fifty-move rule (FIDE 9.2, 9.3).
    Claim {
        /// Ply the claim is meant for.
        ply: u32,
        /// Move that would produce the claimed position; `None` to claim the current one.
        announced: Option<UciMove>,
        /// Network lag of the message, as measured by the server.
        lag: Duration,
    },
    /// Abort the game before both players have moved.
    Abort,
    /// Give the opponent more time.
    AddTime,
    /// Report that the player to move has run out of time.
    Flag,
    /// Report that a player has left for good. Only the server sends this.
    Abandon {
        /// Color of the player who left.
        color: Color,
    },
    /// Report that the server was down; the running clock is credited for it. Only the server
    /// sends this.
    Resume {
        /// Length of the outage, up to now.
        away: Duration,
    },
}

/// A proposal that takes effect only if the opponent accepts it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Proposal {
    /// Ends the game in a draw (FIDE 9.1).
    Draw,
    /// Takes back moves until the player who proposed it is to move again.
    Takeback,
    /// Starts a new game with colors reversed.
    Rematch,
}

impl Proposal {
    /// All kinds of proposals.
    pub const ALL: [Proposal; 3] = [Proposal::Draw, Proposal::Takeback, Proposal::Rematch];
}
