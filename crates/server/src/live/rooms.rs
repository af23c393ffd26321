//! The games in memory, and the players of those that are running.
//!
//! A running game without a clock that no client follows has no room. The server keeps only a small
//! record of such a game, until a client asks for it or a player has been away for too long.
//! Invariants: each game has at most one room, because a room is added under the same lock that
//! finds none, and a game that sleeps has none.

use std::collections::BTreeMap;
use std::sync::Mutex;

use castellan_game::{GameId, Moment, Player, PlayerId, TimeControl};
use tokio::sync::mpsc;

use super::lock;
use super::room::Call;
use crate::address_limit::AddressGuard;

/// Sender for a room's inbox.
pub(crate) type RoomSender = mpsc::Sender<Call>;

/// Why a room was not added.
#[derive(Debug)]
pub(crate) enum OpenRoomError {
    /// The game already has a room.
    Open(RoomSender),
    /// The maximum number of rooms is reached.
    Full,
}

/// Maximum number of sleeping games for each room that may be open. The record of a sleeping game
/// takes about a hundredth of the memory of a room.
const SLEEPING_PER_ROOM: usize = 10;

/// A running game without a clock that no client follows.
#[derive(Debug)]
pub(crate) struct SleepingGame {
    /// Version of the game.
    pub(crate) version: u32,
    /// Its human players.
    pub(crate) players: Vec<PlayerId>,
    /// When each color went away; `None` for an engine.
    pub(crate) away_since: [Option<Moment>; 2],
    /// When a player counts as having abandoned the game.
    pub(crate) wake_at: Moment,
    /// Counts the game against the limits of the addresses that are responsible for it.
    pub(crate) quota_guard: AddressGuard,
}

/// All rooms of this node.
#[derive(Debug)]
pub(crate) struct Rooms {
    inner: Mutex<RoomsInner>,
    limit: usize,
}

#[derive(Debug, Default)]
struct RoomsInner {
    senders: BTreeMap<GameId, RoomSender>,
    sleeping: BTreeMap<GameId, SleepingGame>,
    /// The running games of each player.
    running: BTreeMap<PlayerId, Vec<GameId>>,
    /// The running games in the order in which they started.
    games: BTreeMap<u64, RunningGame>,
    /// The key in `games` of each running game.
    numbers: BTreeMap<GameId, u64>,
    /// The highest key so far.
    last: u64,
}

/// A running game as the list of games to watch shows it.
#[derive(Clone, Debug)]
pub(crate) struct RunningGame {
    pub(crate) id: GameId,
    /// The players, White first.
    pub(crate) seats: [Option<Player>; 2],
    pub(crate) time_control: TimeControl,
    pub(crate) is_rated: bool,
}

impl Rooms {
    /// Creates an empty list for at most `limit` rooms.
    pub(crate) fn new(limit: usize) -> Rooms {
        Rooms { inner: Mutex::default(), limit }
    }

    /// Adds a room for a game.
    pub(crate) fn open(&self, game: GameId, sender: &RoomSender) -> Result<(), OpenRoomError> {
        let mut inner = lock(&self.inner);
        if let Some(sender) = inner.senders.get(&game) {
            return Err(OpenRoomError::Open(sender.clone()));
        }
        if inner.senders.len() >= self.limit {
            return Err(OpenRoomError::Full);
        }
        inner.senders.insert(game, sender.clone());
        Ok(())
    }

    /// Replaces the room of a running game by a note.
    pub(crate) fn sleep(&self, game: GameId, note: SleepingGame) {
        let mut inner = lock(&self.inner);
        inner.senders.remove(&game);
        inner.sleeping.insert(game, note);
    }

    /// Returns `true` if there is space for another note.
    pub(crate) fn may_sleep(&self) -> bool {
        lock(&self.inner).sleeping.len() < self.limit.saturating_mul(SLEEPING_PER_ROOM)
    }

    /// Removes the note of a game whose room has been added.
    pub(crate) fn wake(&self, game: GameId) -> Option<SleepingGame> {
        lock(&self.inner).sleeping.remove(&game)
    }

    /// Returns the version of a sleeping game, or `None` if the game does not sleep.
    pub(crate) fn sleeping_version(&self, game: GameId) -> Option<u32> {
        lock(&self.inner).sleeping.get(&game).map(|note| note.version)
    }

    /// Returns the sleeping games that a player has abandoned by now.
    pub(crate) fn due(&self, now: Moment) -> Vec<GameId> {
        let inner = lock(&self.inner);
        let due = inner.sleeping.iter().filter(|(_, note)| note.wake_at <= now);
        due.map(|(game, _)| *game).collect()
    }

    /// Returns the number of rooms.
    pub(crate) fn open_count(&self) -> usize {
        lock(&self.inner).senders.len()
    }

    /// Removes a room.
    pub(crate) fn close(&self, game: GameId) {
        lock(&self.inner).senders.remove(&game);
    }

    /// Returns the inbox of a game's room.
    pub(crate) fn get(&self, game: GameId) -> Option<RoomSender> {
        lock(&self.inner).senders.get(&game).cloned()
    }

    /// Returns the number of calls in the longest inbox.
    pub(crate) fn longest_inbox(&self) -> usize {
        let inner = lock(&self.inner);
        let lengths = inner.senders.values().map(|it| it.max_capacity() - it.capacity());
        lengths.max().unwrap_or(0)
    }

    /// Returns the inboxes of all rooms.
    pub(crate) fn senders(&self) -> Vec<RoomSender> {
        lock(&self.inner).senders.values().cloned().collect()
    }

    /// Adds a running game. `players` are its human players, so engines are not among them.
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

    /// Removes a game that is no longer running. Returns `true` if it was in the list.
    pub(crate) fn ended(&self, game: GameId, players: &[PlayerId]) -> bool {
        let mut inner = lock(&self.inner);
        let number = inner.numbers.remove(&game);
        if let Some(number) = number {
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
        number.is_some()
    }

    /// Returns the running games of a player.
    pub(crate) fn games_of(&self, player: PlayerId) -> Vec<GameId> {
        lock(&self.inner).running.get(&player).cloned().unwrap_or_default()
    }

    /// Returns the number of running games.
    pub(crate) fn running_count(&self) -> usize {
        lock(&self.inner).games.len()
    }

    /// Returns at most `count` running games, newest first.
    pub(crate) fn newest(&self, count: usize) -> Vec<RunningGame> {
        lock(&self.inner).games.values().rev().take(count).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(id: GameId) -> RunningGame {
        let time_control = TimeControl::Unlimited {};
        RunningGame { id, seats: [None, None], time_control, is_rated: false }
    }

    #[test]
    fn there_is_one_room_for_a_game_and_a_bounded_number_of_rooms() {
        let rooms = Rooms::new(2);
        let (sender, _inbox) = mpsc::channel(1);
        let game = |byte| GameId::from_random([byte; 16]);
        rooms.open(game(1), &sender).unwrap();
        assert!(matches!(rooms.open(game(1), &sender), Err(OpenRoomError::Open(_))));
        rooms.open(game(2), &sender).unwrap();
        assert!(matches!(rooms.open(game(3), &sender), Err(OpenRoomError::Full)));
        rooms.close(game(1));
        rooms.open(game(3), &sender).unwrap();
    }

    #[test]
    fn the_running_games_of_a_player_are_found() {
        let rooms = Rooms::new(2);
        let game = GameId::from_random([1; 16]);
        let players = [PlayerId(1), PlayerId(2)];
        rooms.started(running(game), &players);
        assert_eq!((rooms.games_of(PlayerId(1)), rooms.running_count()), (vec![game], 1));
        rooms.ended(game, &players);
        assert!(rooms.games_of(PlayerId(1)).is_empty());
        assert_eq!(rooms.running_count(), 0);
    }

    #[test]
    fn the_newest_running_games_come_first() {
        let rooms = Rooms::new(9);
        let games = [1, 2, 3, 4].map(|byte| GameId::from_random([byte; 16]));
        for id in games {
            rooms.started(running(id), &[]);
        }
        rooms.ended(games[2], &[]);
        let listed: Vec<GameId> = rooms.newest(2).iter().map(|game| game.id).collect();
        assert_eq!(listed, [games[3], games[1]]);
    }
}
