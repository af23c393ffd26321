//! Which games are in memory, and who plays in those that run.
//!
//! Invariant: of each game there is at most one room, because a room is opened only under the
//! lock that finds none.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use castellan_game::{GameId, Player, PlayerId};
use tokio::sync::mpsc;

use super::lock;
use super::room::Call;

/// The way into a room.
pub(crate) type Door = mpsc::Sender<Call>;

/// Why no room is opened.
#[derive(Debug)]
pub(crate) enum NoRoom {
    /// There is one for this game already.
    Open(Door),
    /// There are as many as there may be.
    Full,
}

/// All rooms.
#[derive(Debug)]
pub(crate) struct Rooms {
    inner: Mutex<Inner>,
    limit: usize,
}

#[derive(Debug, Default)]
struct Inner {
    doors: HashMap<GameId, Door>,
    running: HashMap<PlayerId, Vec<GameId>>,
    /// The running games by the number in which they began.
    games: BTreeMap<u64, RunningGame>,
    numbers: HashMap<GameId, u64>,
    last: u64,
}

/// A game that runs, for whoever looks for one to watch.
#[derive(Clone, Debug)]
pub(crate) struct RunningGame {
    pub(crate) id: GameId,
    /// White first.
    pub(crate) seats: [Option<Player>; 2],
}

impl Rooms {
    /// None yet, and at most so many.
    pub(crate) fn new(limit: usize) -> Rooms {
        Rooms { inner: Mutex::default(), limit }
    }

    /// Opens a room for a game.
    pub(crate) fn open(&self, game: GameId, door: &Door) -> Result<(), NoRoom> {
        let mut inner = lock(&self.inner);
        if let Some(door) = inner.doors.get(&game) {
            return Err(NoRoom::Open(door.clone()));
        }
        if inner.doors.len() >= self.limit {
            return Err(NoRoom::Full);
        }
        inner.doors.insert(game, door.clone());
        Ok(())
    }

    /// Forgets a room.
    pub(crate) fn close(&self, game: GameId) {
        lock(&self.inner).doors.remove(&game);
    }

    /// The way into the room of a game.
    pub(crate) fn get(&self, game: GameId) -> Option<Door> {
        lock(&self.inner).doors.get(&game).cloned()
    }

    /// All ways.
    pub(crate) fn doors(&self) -> Vec<Door> {
        lock(&self.inner).doors.values().cloned().collect()
    }

    /// A game runs, with these players; engines sit at boards and are no players here.
    pub(crate) fn started(&self, game: RunningGame, players: &[PlayerId]) {
        let mut inner = lock(&self.inner);
        for player in players {
            inner.running.entry(*player).or_default().push(game.id);
        }
        inner.last += 1;
        let number = inner.last;
        inner.numbers.insert(game.id, number);
        inner.games.insert(number, game);
    }

    /// A game that was started runs no more.
    pub(crate) fn ended(&self, game: GameId, players: &[PlayerId]) {
        let mut inner = lock(&self.inner);
        if let Some(number) = inner.numbers.remove(&game) {
            inner.games.remove(&number);
        }
        for player in players {
            if let Some(games) = inner.running.get_mut(player) {
                games.retain(|it| *it != game);
                if games.is_empty() {
                    inner.running.remove(player);
                }
            }
        }
    }

    /// The running games of a player.
    pub(crate) fn games_of(&self, player: PlayerId) -> Vec<GameId> {
        lock(&self.inner).running.get(&player).cloned().unwrap_or_default()
    }

    /// How many games run.
    pub(crate) fn running_count(&self) -> usize {
        lock(&self.inner).games.len()
    }

    /// The games that run, the newest first, at most so many.
    pub(crate) fn newest(&self, most: usize) -> Vec<RunningGame> {
        lock(&self.inner).games.values().rev().take(most).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_room_for_a_game_and_a_bounded_number_of_rooms() {
        let rooms = Rooms::new(2);
        let (door, _inbox) = mpsc::channel(1);
        let game = |byte| GameId::from_random([byte; 16]);
        rooms.open(game(1), &door).unwrap();
        assert!(matches!(rooms.open(game(1), &door), Err(NoRoom::Open(_))));
        rooms.open(game(2), &door).unwrap();
        assert!(matches!(rooms.open(game(3), &door), Err(NoRoom::Full)));
        rooms.close(game(1));
        rooms.open(game(3), &door).unwrap();
    }

    #[test]
    fn players_are_known_by_their_running_games() {
        let rooms = Rooms::new(2);
        let game = GameId::from_random([1; 16]);
        let players = [PlayerId(1), PlayerId(2)];
        rooms.started(RunningGame { id: game, seats: [None, None] }, &players);
        assert_eq!((rooms.games_of(PlayerId(1)), rooms.running_count()), (vec![game], 1));
        rooms.ended(game, &players);
        assert!(rooms.games_of(PlayerId(1)).is_empty());
        assert_eq!(rooms.running_count(), 0);
    }

    #[test]
    fn the_newest_games_are_told_first_and_those_that_ended_are_not() {
        let rooms = Rooms::new(9);
        let games = [1, 2, 3, 4].map(|byte| GameId::from_random([byte; 16]));
        for id in games {
            rooms.started(RunningGame { id, seats: [None, None] }, &[]);
        }
        rooms.ended(games[2], &[]);
        let told: Vec<GameId> = rooms.newest(2).iter().map(|game| game.id).collect();
        assert_eq!(told, [games[3], games[1]]);
    }
}
