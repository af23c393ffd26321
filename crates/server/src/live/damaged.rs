//! The games that cannot be played because the store cannot read them or has lost some of their
//! events.
//!
//! Such a game is set aside: it is named in the log once, counted, and its players are told. All
//! other games go on. None of its data is deleted. If it can be read again because the database was
//! repaired, it continues like any other game, and no player is charged for the time in between.

use core::fmt;
use std::collections::BTreeMap;
use std::sync::Mutex;

use castellan_game::{GameId, Moment};
use metrics::Gauge;

use super::lock;
use crate::clock::Clock;

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
    /// What is wrong with each of them, and since when it has been set aside.
    games: Mutex<BTreeMap<GameId, (Damage, Moment)>>,
    count: Gauge,
    clock: Clock,
}

impl DamagedGames {
    /// Creates an empty list whose length is a metric.
    pub(crate) fn new(count: Gauge, clock: Clock) -> DamagedGames {
        DamagedGames { games: Mutex::default(), count, clock }
    }

    /// Sets a game aside, and logs the reason the first time.
    pub(crate) fn add(&self, game: GameId, damage: Damage, why: impl fmt::Display) {
        let mut games = lock(&self.games);
        if games.len() < MAX_DAMAGED && !games.contains_key(&game) {
            games.insert(game, (damage, self.clock.now()));
            self.count.set(games.len() as f64);
            tracing::error!(%game, "the game is damaged in the database and was set aside: {why}");
        }
    }

    /// Forgets a game that could not be read before, and returns since when.
    pub(crate) fn note_readable(&self, game: GameId) -> Option<Moment> {
        let mut games = lock(&self.games);
        let (damage, since) = *games.get(&game)?;
        if damage != Damage::Unreadable {
            return None;
        }
        games.remove(&game);
        self.count.set(games.len() as f64);
        tracing::info!(%game, "the game can be read again");
        Some(since)
    }

    /// Forgets a game that was deleted.
    pub(crate) fn forget(&self, game: GameId) {
        let mut games = lock(&self.games);
        games.remove(&game);
        self.count.set(games.len() as f64);
    }

    /// Returns `true` if a game was set aside.
    pub(crate) fn contains(&self, game: GameId) -> bool {
        lock(&self.games).contains_key(&game)
    }
}
