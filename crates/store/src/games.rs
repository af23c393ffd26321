//! Games as they are stored: settings, and the events in the order of their versions.
//!
//! Owns: what is handed in and out about a game. Leaves to `castellan-game`: what the events
//! mean. Invariant: the events of a stored game have the versions 1, 2, 3 and so on.

use castellan_game::{End, GameId, Moment, Recorded, Settings};

use crate::ratings::RatingChange;

/// A game that has been agreed on and has no events yet.
#[derive(Debug, Clone)]
pub struct NewGame {
    /// Its id, which the server drew at random.
    pub id: GameId,
    /// Everything that was agreed.
    pub settings: Settings,
    /// When it was created.
    pub created: Moment,
}

/// The beginning of a game: stored as a whole or not at all.
#[derive(Debug, Clone)]
pub struct Beginning {
    /// The game.
    pub game: NewGame,
    /// Its first events.
    pub events: Vec<Recorded>,
    /// What only one game can have, as the seeks that it answers.
    pub claims: Vec<String>,
}

/// Events of one game, and what follows from them; stored as a whole or not at all.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Which game.
    pub game: GameId,
    /// At least one; the first has the version after the last stored one.
    pub events: Vec<Recorded>,
    /// How the game ended, if one of the events ended it.
    pub finish: Option<Summary>,
    /// What the end does to ratings.
    pub ratings: Vec<RatingChange>,
}

impl Batch {
    /// A batch of events that does not end the game.
    #[must_use]
    pub fn new(game: GameId, events: Vec<Recorded>) -> Batch {
        Batch { game, events, finish: None, ratings: Vec::new() }
    }
}

/// What the lists of finished games tell about the end of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Why it ended and who won.
    pub end: End,
    /// How many plies were played.
    pub plies: u32,
    /// When it ended.
    pub finished: Moment,
}

/// A game as it was stored; replaying the events gives the game.
#[derive(Debug, Clone)]
pub struct StoredGame {
    /// Its id.
    pub id: GameId,
    /// Everything that was agreed.
    pub settings: Settings,
    /// When it was created.
    pub created: Moment,
    /// All events, by version.
    pub events: Vec<Recorded>,
}
