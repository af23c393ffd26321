//! Everything that can happen in a game: the events that are stored and broadcast.
//!
//! This module defines the events and their JSON. Stored events are kept forever, so the format
//! may only be extended. Unknown names are errors, because a record with missing parts is
//! useless.

use castellan_rules::{Color, Square, UciMove};
use serde::{Deserialize, Serialize};

use crate::{End, Moment, Player, Proposal, json};

/// A fact about a game: something that has happened in it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(rename = "GameEventKind"))]
pub enum Event {
    /// A player took a seat.
    Seated {
        /// The seat that was taken.
        #[serde(with = "json::color")]
        #[cfg_attr(feature = "typescript", ts(type = "Color"))]
        color: Color,
        /// The player who took it.
        player: Player,
    },
    /// Both seats are taken and the game starts. In online games the first clock starts now.
    Started {},
    /// A move was made.
    Moved {
        /// Number of plies played before this move.
        ply: u32,
        /// The move. Castling is written as the settings specify.
        #[serde(with = "json::text")]
        #[cfg_attr(feature = "typescript", ts(type = "UciMove"))]
        mv: UciMove,
        /// Time charged for the move, in milliseconds; lag compensation is already subtracted.
        spent_ms: u64,
        /// Lag compensation granted, in milliseconds.
        compensated_ms: u64,
        /// Time left on the mover's clock after the move; `None` if it does not count down.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        remaining_ms: Option<u64>,
    },
    /// The player to move touched a piece.
    Touched {
        /// Square of the touched piece.
        #[serde(with = "json::text")]
        #[cfg_attr(feature = "typescript", ts(type = "Square"))]
        square: Square,
    },
    /// A player made a proposal.
    Offered {
        /// The player who made it.
        #[serde(with = "json::color")]
        #[cfg_attr(feature = "typescript", ts(type = "Color"))]
        by: Color,
        /// What was proposed.
        what: Proposal,
    },
    /// The opponent declined a proposal, or its author withdrew it.
    Declined {
        /// The player who declined or withdrew it.
        #[serde(with = "json::color")]
        #[cfg_attr(feature = "typescript", ts(type = "Color"))]
        by: Color,
        /// What had been proposed.
        what: Proposal,
    },
    /// Moves were taken back.
    TakenBack {
        /// Number of plies that remain.
        ply: u32,
    },
    /// A player received extra time from the opponent.
    TimeAdded {
        /// The player who received it.
        #[serde(with = "json::color")]
        #[cfg_attr(feature = "typescript", ts(type = "Color"))]
        to: Color,
        /// Time added, in milliseconds.
        added_ms: u64,
    },
    /// The server is back after an outage; the running clock is credited.
    Resumed {
        /// Part of the outage during which the clock was running, in milliseconds.
        credited_ms: u64,
    },
    /// The game is over.
    Ended(End),
    /// Both players want a rematch with colors reversed.
    RematchAgreed {},
}

/// An event with its position in the record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Recorded {
    /// Sequence number: 1 for the first event of a game, then counting up without gaps.
    pub version: u32,
    /// When the event happened; never earlier than the event before it.
    pub at: Moment,
    /// What happened.
    pub event: Event,
}
