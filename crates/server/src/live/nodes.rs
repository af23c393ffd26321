//! What this node knows about its peers: which ones are alive, and who follows which game there.
//!
//! This module holds two tables: what this node's rooms reported, and what the peers reported. It
//! leaves sending and receiving those reports to [`hearing`](super::hearing). Invariants: a
//! report that is not repeated expires, and both tables are bounded.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use castellan_game::{GameId, Moment, PlayerId};

use super::lock;
use crate::bus::{Attendance, NodeId};

/// Maximum number of peers; further ones are ignored.
const MOST_NODES: usize = 256;
/// Maximum number of games at other nodes that are remembered.
const MOST_GAMES: usize = 200_000;
/// Maximum number of remembered games that started at other nodes, kept so that each of them is
/// announced to the players here only once.
const MOST_BEGUN: usize = 1024;

/// The users who follow a game at other nodes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Elsewhere {
    /// The players of the game who are connected there.
    pub(crate) players: Vec<PlayerId>,
    /// Number of spectators.
    pub(crate) watchers: u32,
}

/// What this node knows about its peers.
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
    /// Records that a peer is alive.
    pub(crate) fn heard(&self, node: NodeId, now: Moment) {
        let mut inner = lock(&self.inner);
        if inner.heard.len() < MOST_NODES || inner.heard.contains_key(&node) {
            inner.heard.insert(node, now);
        }
    }

    /// Returns `true` if any peer is alive.
    pub(crate) fn is_anybody_there(&self) -> bool {
        !lock(&self.inner).heard.is_empty()
    }

    /// Returns `true` if no living peer has a lower ID. That node does the work that has to be
    /// done by exactly one node.
    pub(crate) fn is_first(&self, own: NodeId) -> bool {
        lock(&self.inner).heard.keys().all(|node| own < *node)
    }

    /// Records who follows a game here, and returns `true` if users came or went.
    pub(crate) fn tell_here(&self, attendance: Attendance) -> bool {
        let mut inner = lock(&self.inner);
        let (players, watchers) = (attendance.players.clone(), attendance.watchers);
        let former = inner.here.insert(attendance.game, attendance);
        former.is_none_or(|former| former.players != players || former.watchers != watchers)
    }

    /// Removes a room that has closed.
    pub(crate) fn close_here(&self, game: GameId) {
        lock(&self.inner).here.remove(&game);
    }

    /// Returns what this node's rooms reported.
    pub(crate) fn all_here(&self) -> Vec<Attendance> {
        lock(&self.inner).here.values().cloned().collect()
    }

    /// Records who follows a game at another node.
    pub(crate) fn tell_elsewhere(&self, node: NodeId, attendance: Attendance, now: Moment) {
        let mut inner = lock(&self.inner);
        let is_known = inner.elsewhere.contains_key(&attendance.game);
        let is_node = inner.heard.contains_key(&node);
        if is_node && (is_known || inner.elsewhere.len() < MOST_GAMES) {
            let nodes = inner.elsewhere.entry(attendance.game).or_default();
            nodes.insert(node, (attendance, now));
        }
    }

    /// Returns the users who follow a game at other nodes.
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

    /// Returns the players of a game who are connected to it at any node.
    pub(crate) fn everywhere(&self, game: GameId) -> Vec<PlayerId> {
        let mut players = self.elsewhere(game).players;
        let inner = lock(&self.inner);
        players.extend(inner.here.get(&game).into_iter().flat_map(|it| it.players.iter().copied()));
        players
    }

    /// Returns `true` if another node has a room for the game.
    pub(crate) fn is_served_elsewhere(&self, game: GameId) -> bool {
        lock(&self.inner).elsewhere.contains_key(&game)
    }

    /// Forgets a node that has left and returns the games that it served.
    pub(crate) fn left(&self, node: NodeId) -> Vec<GameId> {
        let mut inner = lock(&self.inner);
        inner.heard.remove(&node);
        inner.forget(|it, _| it == node)
    }

    /// Forgets reports that have not been repeated since a moment, and returns the affected
    /// games.
    pub(crate) fn expire(&self, since: Moment) -> Vec<GameId> {
        let mut inner = lock(&self.inner);
        inner.heard.retain(|_, heard| *heard >= since);
        inner.forget(|_, heard| heard < since)
    }

    /// Returns `true` the first time it is called for a game that started at another node.
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
        // Reports from an unknown node are ignored.
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
