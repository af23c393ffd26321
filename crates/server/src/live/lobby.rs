//! Players who wait for an opponent.
//!
//! Owns: who waits for what, and who is paired with whom. Leaves to [`hub`](super::hub): making
//! the game. Invariants: a player waits at most once, nobody is paired with himself, and of those
//! who want the same the one who came first is paired first.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use castellan_game::{PlayerId, TimeControl};

use super::link::{Link, LinkId};
use super::reply::Asked;
use crate::identity::Identity;

/// What kind of game somebody waits for; only equal kinds are paired.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Wish {
    /// The time control.
    pub(crate) time_control: TimeControl,
    /// Whether the game shall count for the ratings.
    pub(crate) is_rated: bool,
}

/// Somebody who wants a game.
#[derive(Clone, Debug)]
pub(crate) struct Seeker {
    /// Who.
    pub(crate) who: Arc<Identity>,
    /// The socket that asked, and which will be told.
    pub(crate) link: Arc<Link>,
    /// What it asked.
    pub(crate) asked: Asked,
}

/// What comes of a wish.
#[derive(Debug)]
pub(crate) enum Answer {
    /// There is an opponent, who came first.
    Paired(Seeker),
    /// So many wait for the same, with this one.
    Waiting(usize),
}

/// Nobody else can wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("too many players are waiting")]
pub(crate) struct Crowded;

/// Everybody who waits.
#[derive(Debug)]
pub(crate) struct Lobby {
    queues: HashMap<Wish, VecDeque<Seeker>>,
    waiting: HashMap<PlayerId, Wish>,
    limit: usize,
}

impl Lobby {
    /// An empty one with room for so many.
    pub(crate) fn new(limit: usize) -> Lobby {
        Lobby { queues: HashMap::new(), waiting: HashMap::new(), limit }
    }

    /// Pairs the player, or lets him wait; an earlier wish of the same player is forgotten.
    pub(crate) fn seek(&mut self, seeker: Seeker, wish: Wish) -> Result<Answer, Crowded> {
        let player = seeker.who.player;
        self.remove(player, |_| true);
        let queue = self.queues.entry(wish).or_default();
        while let Some(other) = queue.pop_front() {
            self.waiting.remove(&other.who.player);
            // Its socket may be closing and not yet have taken its wish back.
            if !other.link.is_closing() {
                self.drop_empty(wish);
                return Ok(Answer::Paired(other));
            }
        }
        if self.waiting.len() >= self.limit {
            self.drop_empty(wish);
            return Err(Crowded);
        }
        queue.push_back(seeker);
        let count = queue.len();
        self.waiting.insert(player, wish);
        Ok(Answer::Waiting(count))
    }

    /// Takes back what this socket asked for; whether there was anything.
    pub(crate) fn cancel(&mut self, player: PlayerId, link: LinkId) -> bool {
        self.remove(player, |seeker| seeker.link.id() == link)
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    fn remove(&mut self, player: PlayerId, which: impl Fn(&Seeker) -> bool) -> bool {
        let Some(&wish) = self.waiting.get(&player) else { return false };
        let Some(queue) = self.queues.get_mut(&wish) else { return false };
        let is_meant = |seeker: &Seeker| seeker.who.player == player && which(seeker);
        let Some(place) = queue.iter().position(is_meant) else { return false };
        queue.remove(place);
        self.waiting.remove(&player);
        self.drop_empty(wish);
        true
    }

    fn drop_empty(&mut self, wish: Wish) {
        if self.queues.get(&wish).is_some_and(VecDeque::is_empty) {
            self.queues.remove(&wish);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::link::{Dialect, Farewell};
    use super::*;

    const QUICK: Wish = wish(60_000, false);

    const fn wish(initial_ms: u32, is_rated: bool) -> Wish {
        Wish { time_control: TimeControl::Increment { initial_ms, increment_ms: 0 }, is_rated }
    }

    fn seeker(player: u64, link: u64) -> Seeker {
        let link = Link::new(LinkId(link), Dialect::Full, None);
        let (player, name) = (PlayerId(player), "anna".to_owned());
        let who = Identity { player, name, is_account: false, session: None };
        Seeker { who: Arc::new(who), link: Arc::new(link), asked: Asked::default() }
    }

    #[track_caller]
    fn check(lobby: &mut Lobby, seeker: Seeker, wish: Wish, opponent: Option<u64>) {
        let paired = match lobby.seek(seeker, wish).unwrap() {
            Answer::Paired(other) => Some(other.who.player.0),
            Answer::Waiting(_) => None,
        };
        assert_eq!(paired, opponent);
    }

    #[test]
    fn who_comes_first_is_paired_first() {
        let mut lobby = Lobby::new(9);
        check(&mut lobby, seeker(1, 1), QUICK, None);
        check(&mut lobby, seeker(2, 2), wish(1, true), None);
        check(&mut lobby, seeker(3, 3), wish(60_000, true), None);
        check(&mut lobby, seeker(4, 4), QUICK, Some(1));
        check(&mut lobby, seeker(5, 5), QUICK, None);
        check(&mut lobby, seeker(6, 6), wish(60_000, true), Some(3));
        check(&mut lobby, seeker(7, 7), QUICK, Some(5));
        assert_eq!(lobby.len(), 1);
    }

    #[test]
    fn nobody_plays_himself_and_a_new_wish_replaces_the_old() {
        let mut lobby = Lobby::new(9);
        check(&mut lobby, seeker(1, 1), QUICK, None);
        check(&mut lobby, seeker(1, 2), QUICK, None);
        assert_eq!(lobby.len(), 1);
        check(&mut lobby, seeker(1, 2), wish(1, false), None);
        check(&mut lobby, seeker(2, 3), QUICK, None);
        check(&mut lobby, seeker(3, 4), wish(1, false), Some(1));
    }

    #[test]
    fn a_wish_is_taken_back_by_its_socket_only() {
        let mut lobby = Lobby::new(9);
        check(&mut lobby, seeker(1, 1), QUICK, None);
        assert!(!lobby.cancel(PlayerId(1), LinkId(2)));
        assert!(!lobby.cancel(PlayerId(2), LinkId(1)));
        assert!(lobby.cancel(PlayerId(1), LinkId(1)));
        check(&mut lobby, seeker(2, 2), QUICK, None);
        assert_eq!(lobby.queues.len(), 1);
    }

    #[test]
    fn closing_sockets_are_passed_over_and_the_room_is_bounded() {
        let mut lobby = Lobby::new(2);
        let gone = seeker(1, 1);
        check(&mut lobby, gone.clone(), QUICK, None);
        gone.link.close(Farewell::Left);
        check(&mut lobby, seeker(2, 2), QUICK, None);
        check(&mut lobby, seeker(3, 3), wish(1, false), None);
        assert!(matches!(lobby.seek(seeker(4, 4), wish(2, false)), Err(Crowded)));
        assert_eq!(lobby.queues.len(), 2);
        check(&mut lobby, seeker(4, 4), QUICK, Some(2));
    }
}
