//! The games that cannot be played because the store cannot read them or has lost some of their
//! events.
//!
//! Such a game is set aside: it is named in the log once, counted, and its players are told.
//! Everything else goes on. Nothing of it is deleted, and if it can be read again, because the
//! database was repaired, it is a game like any other.

use core::fmt;
use std::collections::BTreeMap;
use std::sync::Mutex;

use castellan_game::GameId;
use metrics::Gauge;

use super::lock;

/// Maximum number of games that are remembered. If more are damaged, the whole database is.
const MAX_DAMAGED: usize = 10_000;

/// What is wrong with a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Damage {
    /// The store cannot read it.
    Unreadable,
    /// The store has lost events that were announced. The rest can be read, but is not the game
    /// that was played.
    Incomplete,
}

/// The damaged games that this node knows of.
#[derive(Debug)]
pub(crate) struct DamagedGames {
    games: Mutex<BTreeMap<GameId, Damage>>,
    count: Gauge,
}

impl DamagedGames {
    /// Creates an empty list whose length is a metric.
    pub(crate) fn new(count: Gauge) -> DamagedGames {
        DamagedGames { games: Mutex::default(), count }
    }

    /// Sets a game aside, and logs the reason the first time.
    pub(crate) fn add(&self, game: GameId, damage: Damage, why: impl fmt::Display) {
        let mut games = lock(&self.games);
        if games.len() < MAX_DAMAGED && games.insert(game, damage).is_none() {
            self.count.set(games.len() as f64);
            tracing::error!(%game, "the game is damaged in the database and was set aside: {why}");
        }
    }

    /// Forgets a game that could not be read before.
    pub(crate) fn note_readable(&self, game: GameId) {
        let mut games = lock(&self.games);
        if games.get(&game) == Some(&Damage::Unreadable) {
            games.remove(&game);
            self.count.set(games.len() as f64);
            tracing::info!(%game, "the game can be read again");
        }
    }

    /// Returns `true` if a game was set aside.
    pub(crate) fn contains(&self, game: GameId) -> bool {
        lock(&self.games).contains_key(&game)
    }
}
