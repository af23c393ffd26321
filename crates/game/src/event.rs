//! What has happened in a game: the record that is stored and announced.
//!
//! Owns: the events and their JSON, which is kept for ever and so only ever grows. Unknown names
//! are errors, because half a record is no record.

use castellan_rules::{Color, Square, UciMove};
use serde::{Deserialize, Serialize};

use crate::{End, Moment, Player, Proposal, text};

/// Something that has happened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// A player sat down.
    Seated {
        /// The seat.
        #[serde(with = "text::color")]
        color: Color,
        /// The player.
        player: Player,
    },
    /// Both are seated; online the first clock runs from here.
    Started {},
    /// A move was made.
    Moved {
        /// How many plies there were before it.
        ply: u32,
        /// The move; castling as the settings spell it.
        #[serde(with = "text::shown")]
        mv: UciMove,
        /// The time it took, compensation already subtracted.
        spent_ms: u64,
        /// What was forgiven for the time on the wire.
        compensated_ms: u64,
        /// What the mover's clock shows after it, if it counts down.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        remaining_ms: Option<u64>,
    },
    /// The player to move touched a piece.
    Touched {
        /// The piece's square.
        #[serde(with = "text::shown")]
        square: Square,
    },
    /// Something was proposed.
    Offered {
        /// By whom.
        #[serde(with = "text::color")]
        by: Color,
        /// What.
        what: Proposal,
    },
    /// A proposal was refused, or withdrawn by the one who made it.
    Declined {
        /// By whom.
        #[serde(with = "text::color")]
        by: Color,
        /// What.
        what: Proposal,
    },
    /// Moves were taken back.
    TakenBack {
        /// How many plies are left.
        ply: u32,
    },
    /// A player was given time.
    TimeAdded {
        /// Who received it.
        #[serde(with = "text::color")]
        to: Color,
        /// How much.
        added_ms: u64,
    },
    /// The server was away; the running clock is credited.
    Resumed {
        /// How much of the absence the running clock had seen.
        credited_ms: u64,
    },
    /// The game is over.
    Ended(End),
    /// Both want to play once more with colors reversed.
    RematchAgreed {},
}

/// An event with its place in the record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// 1 for the first event of a game, and one more for each.
    pub version: u32,
    /// When it happened; never before the event that precedes it.
    pub at: Moment,
    /// What happened.
    pub event: Event,
}
