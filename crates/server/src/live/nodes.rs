//! What is known of the other nodes: which are there, and who is at which game with them.
//!
//! Owns: two tables, of what rooms here tell and of what others told. Leaves to
//! [`hearing`](super::hearing): passing it on. Invariants: what was not said again for a while is
//! forgotten, and both tables are bounded.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use castellan_game::{GameId, Moment, PlayerId};

use super::lock;
use crate::bus::{Attendance, NodeId};

/// More nodes than this are not believed in.
const MOST_NODES: usize = 256;
/// Games of others that are remembered.
const MOST_GAMES: usize = 200_000;
/// Games that have begun elsewhere and of which the players here have been told.
const MOST_BEGUN: usize = 1024;

/// Who is at a game at other nodes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Elsewhere {
    /// Those of its players.
    pub(crate) players: Vec<PlayerId>,
    /// How many others.
    pub(crate) watchers: u32,
}

/// What is known of the other nodes.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    heard: HashMap<NodeId, Moment>,
    here: HashMap<GameId, Attendance>,
    elsewhere: HashMap<GameId, HashMap<NodeId, (Attendance, Moment)>>,
    begun: VecDeque<GameId>,
}

impl Nodes {
    /// A node has been heard.
    pub(crate) fn heard(&self, node: NodeId, now: Moment) {
        let mut inner = lock(&self.inner);
        if inner.heard.len() < MOST_NODES || inner.heard.contains_key(&node) {
            inner.heard.insert(node, now);
        }
    }

    /// Whether anybody has been heard.
    pub(crate) fn is_anybody_there(&self) -> bool {
        !lock(&self.inner).heard.is_empty()
    }

    /// Whether no node that is there has a lower number: one of all has to do what is done once.
    pub(crate) fn is_first(&self, own: NodeId) -> bool {
        lock(&self.inner).heard.keys().all(|node| own < *node)
    }

    /// A room tells who is there; whether that has changed.
    pub(crate) fn tell_here(&self, attendance: Attendance) -> bool {
        let mut inner = lock(&self.inner);
        let (players, watchers) = (attendance.players.clone(), attendance.watchers);
        let former = inner.here.insert(attendance.game, attendance);
        former.is_none_or(|former| former.players != players || former.watchers != watchers)
    }

    /// A room has closed.
    pub(crate) fn close_here(&self, game: GameId) {
        lock(&self.inner).here.remove(&game);
    }

    /// What the rooms here have told.
    pub(crate) fn all_here(&self) -> Vec<Attendance> {
        lock(&self.inner).here.values().cloned().collect()
    }

    /// Another node tells who is there.
    pub(crate) fn tell_elsewhere(&self, node: NodeId, attendance: Attendance, now: Moment) {
        let mut inner = lock(&self.inner);
        let is_known = inner.elsewhere.contains_key(&attendance.game);
        let is_node = inner.heard.contains_key(&node);
        if is_node && (is_known || inner.elsewhere.len() < MOST_GAMES) {
            let nodes = inner.elsewhere.entry(attendance.game).or_default();
            nodes.insert(node, (attendance, now));
        }
    }

    /// Who is at a game elsewhere.
    pub(crate) fn elsewhere(&self, game: GameId) -> Elsewhere {
        let inner = lock(&self.inner);
        let mut all = Elsewhere::default();
        for (attendance, _) in inner.elsewhere.get(&game).into_iter().flat_map(HashMap::values) {
            all.watchers = all.watchers.saturating_add(attendance.watchers);
            for player in &attendance.players {
                if !all.players.contains(player) {
                    all.players.push(*player);
                }
            }
        }
        all.players.sort_unstable_by_key(|player| player.0);
        all
    }

    /// Which of its players are at a game, here or elsewhere.
    pub(crate) fn everywhere(&self, game: GameId) -> Vec<PlayerId> {
        let mut players = self.elsewhere(game).players;
        let inner = lock(&self.inner);
        players.extend(inner.here.get(&game).into_iter().flat_map(|it| it.players.iter().copied()));
        players
    }

    /// Whether some other node has a room for a game.
    pub(crate) fn is_served_elsewhere(&self, game: GameId) -> bool {
        lock(&self.inner).elsewhere.contains_key(&game)
    }

    /// Forgets a node that has gone away; the games that it served.
    pub(crate) fn left(&self, node: NodeId) -> Vec<GameId> {
        let mut inner = lock(&self.inner);
        inner.heard.remove(&node);
        inner.forget(|it, _| it == node)
    }

    /// Forgets whatever has not been said again since a moment; the games concerned.
    pub(crate) fn expire(&self, since: Moment) -> Vec<GameId> {
        let mut inner = lock(&self.inner);
        inner.heard.retain(|_, heard| *heard >= since);
        inner.forget(|_, heard| heard < since)
    }

    /// Whether this is the first time that a game is said to have begun.
    pub(crate) fn is_new(&self, game: GameId) -> bool {
        let mut inner = lock(&self.inner);
        if inner.begun.contains(&game) {
            return false;
        }
        if inner.begun.len() >= MOST_BEGUN {
            inner.begun.pop_front();
        }
        inner.begun.push_back(game);
        true
    }
}

impl Inner {
    fn forget(&mut self, which: impl Fn(NodeId, Moment) -> bool) -> Vec<GameId> {
        let mut changed = Vec::new();
        self.elsewhere.retain(|game, nodes| {
            let before = nodes.len();
            nodes.retain(|node, (_, heard)| !which(*node, *heard));
            if nodes.len() < before {
                changed.push(*game);
            }
            !nodes.is_empty()
        });
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Moment {
        Moment::from_millis(ms)
    }

    fn attendance(byte: u8, players: &[u64], watchers: u32) -> Attendance {
        Attendance {
            game: GameId::from_random([byte; 16]),
            version: 3,
            players: players.iter().map(|id| PlayerId(*id)).collect(),
            watchers,
            said: None,
            rematch: None,
        }
    }

    #[test]
    fn who_is_elsewhere_is_counted_until_it_is_old_or_the_node_leaves() {
        let nodes = Nodes::default();
        let game = attendance(1, &[], 0).game;
        // A node that has not been heard is none.
        nodes.tell_elsewhere(NodeId(9), attendance(1, &[5], 1), at(0));
        assert_eq!(nodes.elsewhere(game), Elsewhere::default());
        for node in [7, 8] {
            nodes.heard(NodeId(node), at(0));
        }
        nodes.tell_elsewhere(NodeId(7), attendance(1, &[2], 3), at(0));
        nodes.tell_elsewhere(NodeId(8), attendance(1, &[1, 2], 4), at(10));
        let players = vec![PlayerId(1), PlayerId(2)];
        assert_eq!(nodes.elsewhere(game), Elsewhere { players, watchers: 7 });
        nodes.heard(NodeId(7), at(10));
        nodes.heard(NodeId(8), at(10));
        assert_eq!(nodes.expire(at(5)), [game]);
        assert_eq!(nodes.elsewhere(game).watchers, 4);
        assert!(nodes.is_served_elsewhere(game));
        assert_eq!(nodes.left(NodeId(8)), [game]);
        assert!(!nodes.is_served_elsewhere(game));
        assert!(nodes.is_first(NodeId(6)) && !nodes.is_first(NodeId(8)));
        assert!(nodes.expire(at(11)).is_empty() && !nodes.is_anybody_there());
    }

    #[test]
    fn only_people_are_a_change() {
        let nodes = Nodes::default();
        assert!(nodes.tell_here(attendance(1, &[1], 0)));
        assert!(!nodes.tell_here(Attendance { version: 9, ..attendance(1, &[1], 0) }));
        assert_eq!(nodes.all_here()[0].version, 9);
        assert!(nodes.tell_here(attendance(1, &[], 0)));
        nodes.close_here(attendance(1, &[], 0).game);
        assert!(nodes.all_here().is_empty());
        let game = attendance(2, &[], 0).game;
        assert!(nodes.is_new(game) && !nodes.is_new(game));
    }
}
