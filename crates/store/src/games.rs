//! Stored games: settings, and events in version order.
//!
//! This module defines the types that callers pass in and get back; what the events mean is up to
//! `castellan-game`. Invariant: the events of a stored game have versions 1, 2, 3 and so on.

use castellan_game::{End, GameId, Moment, Recorded, Settings};

use crate::ratings::RatingChange;

/// A game that the players have agreed on and that has no events yet.
#[derive(Debug, Clone)]
pub struct NewGame {
    /// The game's id, which the server generated at random.
    pub id: GameId,
    /// Everything the players agreed on.
    pub settings: Settings,
    /// When the game was created.
    pub created: Moment,
}

/// The start of a game, stored atomically.
#[derive(Debug, Clone)]
pub struct NewGameBatch {
    /// The game.
    pub game: NewGame,
    /// The game's first events.
    pub events: Vec<Recorded>,
    /// Claims that only one game can hold, such as the seeks that this game answers.
    pub claims: Vec<String>,
    /// Claims that the game holds only until it ends, such as the players who may have only one such
    /// game at a time.
    pub claims_while_running: Vec<String>,
}

/// Events of one game and their consequences, stored atomically.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The game's id.
    pub game: GameId,
    /// At least one event; the first has the version after the last stored one.
    pub events: Vec<Recorded>,
    /// How the game ended, if one of the events ended it.
    pub finish: Option<Summary>,
    /// The rating changes that follow from the end of the game.
    pub ratings: Vec<RatingChange>,
}

impl Batch {
    /// Creates a batch of events that does not end the game.
    #[must_use]
    pub fn new(game: GameId, events: Vec<Recorded>) -> Batch {
        Batch { game, events, finish: None, ratings: Vec::new() }
    }
}

/// The end of a game, as the lists of finished games show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Why the game ended, and which color won.
    pub end: End,
    /// Number of plies played.
    pub plies: u32,
    /// When the game ended.
    pub finished: Moment,
}

/// A game as it was stored; replaying its events reconstructs the game.
#[derive(Debug, Clone)]
pub struct StoredGame {
    /// The game's id.
    pub id: GameId,
    /// Everything the players agreed on.
    pub settings: Settings,
    /// When the game was created.
    pub created: Moment,
    /// All events, in version order.
    pub events: Vec<Recorded>,
}
