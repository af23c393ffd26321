//! Stored chat lines.
//!
//! This module defines the type that callers pass in and get back; the server decides who may
//! write and who may read. Invariant: the lines of a game come back in the order in which they
//! were stored.

use castellan_game::{GameId, Moment, PlayerId};

/// One chat message in a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatLine {
    /// The game that the message belongs to.
    pub game: GameId,
    /// When the message was sent.
    pub at: Moment,
    /// The player who sent the message.
    pub player: PlayerId,
    /// The player's name at that time.
    pub name: String,
    /// The exact message text. Clients must escape it before they display it.
    pub text: String,
}
