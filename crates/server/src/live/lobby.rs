//! Players who are waiting for an opponent.
//!
//! This module is responsible for the queues and for pairing. It leaves starting the game to
//! [`seeking`](super::seeking). Invariants: a player waits at most once, is never paired with
//! themselves, and players who want the same kind of game are paired first come, first served.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use castellan_game::{PlayerId, TimeControl};

use super::connection::{Connection, ConnectionId};
use super::reply::RequestRef;
use crate::identity::Identity;

/// The kind of game that a player is waiting for. Only equal kinds are paired.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SeekTerms {
    /// Time control of the game.
    pub(crate) time_control: TimeControl,
    /// `true` if the game should be rated.
    pub(crate) is_rated: bool,
}

/// A player who is looking for a game.
#[derive(Clone, Debug)]
pub(crate) struct Seeker {
    /// The player.
    pub(crate) who: Arc<Identity>,
    /// The connection that sent the request and will receive the response.
    pub(crate) connection: Arc<Connection>,
    /// The request.
    pub(crate) request: RequestRef,
}

/// Result of a seek.
#[derive(Debug)]
pub(crate) enum SeekResult {
    /// An opponent, who was already waiting.
    Paired(Seeker),
    /// The number of players now waiting for the same kind of game, including this one.
    Waiting(usize),
}

/// The queues are full.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("too many players are waiting; try again later")]
pub(crate) struct QueueFull;

/// All waiting players.
#[derive(Debug)]
pub(crate) struct Lobby {
    queues: HashMap<SeekTerms, VecDeque<Seeker>>,
    waiting: HashMap<PlayerId, SeekTerms>,
    limit: usize,
}

impl Lobby {
    /// Creates an empty lobby for at most `limit` players.
    pub(crate) fn new(limit: usize) -> Lobby {
        Lobby { queues: HashMap::new(), waiting: HashMap::new(), limit }
    }

    /// Pairs the player or adds them to a queue. Any earlier seek of the same player is dropped.
    pub(crate) fn seek(
        &mut self,
        seeker: Seeker,
        terms: SeekTerms,
    ) -> Result<SeekResult, QueueFull> {
        let player = seeker.who.player;
        self.remove(player, |_| true);
        let queue = self.queues.entry(terms).or_default();
        while let Some(other) = queue.pop_front() {
            self.waiting.remove(&other.who.player);
            // The connection may be closing without having canceled its seek yet.
            if !other.connection.is_closing() {
                self.drop_empty(terms);
                return Ok(SeekResult::Paired(other));
            }
        }
        if self.waiting.len() >= self.limit {
            self.drop_empty(terms);
            return Err(QueueFull);
        }
        queue.push_back(seeker);
        let count = queue.len();
        self.waiting.insert(player, terms);
        Ok(SeekResult::Waiting(count))
    }

    /// Cancels the seek of this connection and returns `true` if there was one.
    pub(crate) fn cancel(&mut self, player: PlayerId, connection: ConnectionId) -> bool {
        self.remove(player, |seeker| seeker.connection.id() == connection)
    }

    /// Returns the number of waiting players.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    fn remove(&mut self, player: PlayerId, which: impl Fn(&Seeker) -> bool) -> bool {
        let Some(&terms) = self.waiting.get(&player) else { return false };
        let Some(queue) = self.queues.get_mut(&terms) else { return false };
        let is_meant = |seeker: &Seeker| seeker.who.player == player && which(seeker);
        let Some(place) = queue.iter().position(is_meant) else { return false };
        queue.remove(place);
        self.waiting.remove(&player);
        self.drop_empty(terms);
        true
    }

    fn drop_empty(&mut self, terms: SeekTerms) {
        if self.queues.get(&terms).is_some_and(VecDeque::is_empty) {
            self.queues.remove(&terms);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::connection::{CloseReason, Protocol};
    use super::*;

    const QUICK: SeekTerms = terms(60_000, false);

    const fn terms(initial_ms: u32, is_rated: bool) -> SeekTerms {
        SeekTerms { time_control: TimeControl::Increment { initial_ms, increment_ms: 0 }, is_rated }
    }

    fn seeker(player: u64, connection: u64) -> Seeker {
        let connection = Connection::new(ConnectionId(connection), Protocol::Full, None);
        let (player, name) = (PlayerId(player), "anna".to_owned());
        let who = Identity { player, name, is_account: false, session: None };
        Seeker {
            who: Arc::new(who),
            connection: Arc::new(connection),
            request: RequestRef::default(),
        }
    }

    #[track_caller]
    fn check(lobby: &mut Lobby, seeker: Seeker, terms: SeekTerms, opponent: Option<u64>) {
        let paired = match lobby.seek(seeker, terms).unwrap() {
            SeekResult::Paired(other) => Some(other.who.player.0),
            SeekResult::Waiting(_) => None,
        };
        assert_eq!(paired, opponent);
    }

    #[test]
    fn who_comes_first_is_paired_first() {
        let mut lobby = Lobby::new(9);
        check(&mut lobby, seeker(1, 1), QUICK, None);
        check(&mut lobby, seeker(2, 2), terms(1, true), None);
        check(&mut lobby, seeker(3, 3), terms(60_000, true), None);
        check(&mut lobby, seeker(4, 4), QUICK, Some(1));
        check(&mut lobby, seeker(5, 5), QUICK, None);
        check(&mut lobby, seeker(6, 6), terms(60_000, true), Some(3));
        check(&mut lobby, seeker(7, 7), QUICK, Some(5));
        assert_eq!(lobby.len(), 1);
    }

    #[test]
    fn nobody_plays_himself_and_a_new_wish_replaces_the_old() {
        let mut lobby = Lobby::new(9);
        check(&mut lobby, seeker(1, 1), QUICK, None);
        check(&mut lobby, seeker(1, 2), QUICK, None);
        assert_eq!(lobby.len(), 1);
        check(&mut lobby, seeker(1, 2), terms(1, false), None);
        check(&mut lobby, seeker(2, 3), QUICK, None);
        check(&mut lobby, seeker(3, 4), terms(1, false), Some(1));
    }

    #[test]
    fn a_wish_is_taken_back_by_its_socket_only() {
        let mut lobby = Lobby::new(9);
        check(&mut lobby, seeker(1, 1), QUICK, None);
        assert!(!lobby.cancel(PlayerId(1), ConnectionId(2)));
        assert!(!lobby.cancel(PlayerId(2), ConnectionId(1)));
        assert!(lobby.cancel(PlayerId(1), ConnectionId(1)));
        check(&mut lobby, seeker(2, 2), QUICK, None);
        assert_eq!(lobby.queues.len(), 1);
    }

    #[test]
    fn closing_sockets_are_passed_over_and_the_room_is_bounded() {
        let mut lobby = Lobby::new(2);
        let gone = seeker(1, 1);
        check(&mut lobby, gone.clone(), QUICK, None);
        gone.connection.close(CloseReason::Left);
        check(&mut lobby, seeker(2, 2), QUICK, None);
        check(&mut lobby, seeker(3, 3), terms(1, false), None);
        assert!(matches!(lobby.seek(seeker(4, 4), terms(2, false)), Err(QueueFull)));
        assert_eq!(lobby.queues.len(), 2);
        check(&mut lobby, seeker(4, 4), QUICK, Some(2));
    }
}
