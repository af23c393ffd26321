//! What players and the server may ask of a game.
//!
//! Owns: the commands. They have no JSON on purpose: what comes from a client is another type,
//! and only the server fills in what it has measured itself.

use core::time::Duration;

use castellan_rules::{Color, Square, UciMove};
use serde::{Deserialize, Serialize};

use crate::Player;

/// Something asked of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// To sit down; a player seats only himself, the server seats anybody.
    Seat {
        /// Which seat.
        color: Color,
        /// Who.
        player: Player,
    },
    /// To move.
    Move {
        /// The ply it is meant for, so that a repeat is harmless and a late one is noticed. When
        /// moves are taken back their plies come again: what was sent before is not sent again.
        ply: u32,
        /// The move.
        mv: UciMove,
        /// The time on the wire, as the server has measured it.
        lag: Duration,
    },
    /// To touch a piece, where touch-move is played.
    Touch {
        /// The ply it is meant for.
        ply: u32,
        /// The piece's square.
        square: Square,
    },
    /// To resign.
    Resign,
    /// To propose something.
    Offer(Proposal),
    /// To agree to what the opponent proposed.
    Accept(Proposal),
    /// To refuse what the opponent proposed, or to withdraw one's own proposal.
    Decline(Proposal),
    /// To claim a draw by repetition or by the fifty-move rule (FIDE 9.2, 9.3).
    Claim {
        /// The ply it is meant for.
        ply: u32,
        /// The move that would bring the claimed position about.
        announced: Option<UciMove>,
        /// The time on the wire, as the server has measured it.
        lag: Duration,
    },
    /// To call the game off before both have moved.
    Abort,
    /// To give the opponent time.
    AddTime,
    /// To say that the time of the player to move is up.
    Flag,
    /// The server says that a player has left for good.
    Abandon {
        /// The player who left.
        color: Color,
    },
    /// The server says that it was away itself; the running clock is credited.
    Resume {
        /// How long, up to now.
        away: Duration,
    },
}

/// Something that takes two to do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proposal {
    /// To end the game in a draw (FIDE 9.1).
    Draw,
    /// To take back so much that the proposer is to move again.
    Takeback,
    /// To play once more with colors reversed.
    Rematch,
}

impl Proposal {
    /// All three.
    pub const ALL: [Proposal; 3] = [Proposal::Draw, Proposal::Takeback, Proposal::Rematch];
}
