//! What this node knows about its peers: which ones are alive, and which users follow which game
//! there.
//!
//! This module holds two tables: what this node's rooms reported, and what the peers reported. It
//! leaves sending and receiving those reports to [`bus_events`](super::bus_events). Invariants: a
//! report that is not repeated expires, and both tables are bounded.

use core::iter::repeat;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use castellan_game::{GameId, Moment, PlayerId};

use super::departures::Departures;
use super::lock;
use super::peer_clocks::{ClockComparison, PeerClocks};
use super::room::TurnRecord;
use crate::bus::{GamePresence, LastConnection, NodeId};

/// Maximum number of peers; further ones are ignored.
const MAX_NODES: usize = 256;
/// Maximum number of games at other nodes that are remembered.
const MAX_GAMES: usize = 200_000;
/// Maximum number of remembered games that started at other nodes, kept so that each of them is
/// announced to the players here only once.
const MAX_STARTED: usize = 1024;

/// The users who follow a game at other nodes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct RemoteAudience {
    /// The players of the game who are connected there, each with the moment at which their newest
    /// connection was opened.
    pub(crate) players: BTreeMap<PlayerId, Moment>,
    /// Number of spectators.
    pub(crate) watchers: u32,
}

/// What this node knows about its peers.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    inner: Mutex<PeersInner>,
    /// Whether this node's clock differs from most others.
    is_clock_off: AtomicBool,
}

#[derive(Debug, Default)]
struct PeersInner {
    /// When each living peer was last heard.
    last_heard: BTreeMap<NodeId, Moment>,
    /// When each of them is last known to have been alive: when its latest message was sent.
    alive_at: BTreeMap<NodeId, Moment>,
    departures: Departures,
    clocks: PeerClocks,
    /// The reports of this node's rooms.
    local: BTreeMap<GameId, GamePresence>,
    /// Number of the latest of them.
    last_report: u64,
    /// The reports of the peers, and when each arrived.
    remote: BTreeMap<GameId, BTreeMap<NodeId, (GamePresence, Moment)>>,
    /// Games that started at other nodes and have been announced here, oldest first.
    started: VecDeque<GameId>,
}

impl Peers {
    /// Records that a peer is alive, which sent a message at a moment on its own clock.
    pub(crate) fn mark_alive(&self, node: NodeId, sent: Option<Moment>, now: Moment) {
        let mut inner = lock(&self.inner);
        if inner.last_heard.len() < MAX_NODES || inner.last_heard.contains_key(&node) {
            inner.last_heard.insert(node, now);
            // A clock that is ahead does not make a node live longer.
            let sent = sent.unwrap_or(now).min(now);
            let alive_at = inner.alive_at.entry(node).or_insert(sent);
            *alive_at = sent.max(*alive_at);
            inner.departures.heard(node, sent);
        }
    }

    /// Records what another node knows about the last connection of a player.
    pub(crate) fn learn(&self, game: GameId, player: PlayerId, last: LastConnection, now: Moment) {
        let inner = &mut *lock(&self.inner);
        // The clocks of two nodes differ a little.
        let last = LastConnection { alive_at: last.alive_at.min(now), ..last };
        match inner.alive_at.get_mut(&last.node) {
            Some(alive_at) => *alive_at = last.alive_at.max(*alive_at),
            None => inner.departures.learn(game, player, last, now),
        }
    }

    /// Returns the newest connection of a player of a game to another node, even if that node is gone.
    /// `None` if the player has closed it or lost it while the node was alive. Connections to the node
    /// `except` do not count.
    pub(crate) fn last_connection(
        &self,
        game: GameId,
        player: PlayerId,
        except: Option<NodeId>,
    ) -> Option<LastConnection> {
        let inner = lock(&self.inner);
        let reports = inner.remote.get(&game);
        let reports = || reports.into_iter().flatten().filter(|(node, _)| Some(**node) != except);
        let living = reports().filter_map(|(node, (it, _))| {
            let place = it.players.iter().position(|there| *there == player)?;
            let opened = it.connected.get(place).copied().unwrap_or_default();
            Some(LastConnection { node: *node, opened, alive_at: *inner.alive_at.get(node)? })
        });
        let is_departed = |node: NodeId| {
            Some(node) != except && !reports().any(|(reported, _)| *reported == node)
        };
        let departed = inner.departures.of(game, player).filter(|it| is_departed(it.node));
        let last = living.chain(departed).max_by_key(|it| it.opened)?;
        let former = reports().flat_map(|(_, (it, _))| &it.former).filter(|(it, _)| *it == player);
        former.into_iter().all(|(_, opened)| *opened < last.opened).then_some(last)
    }

    /// Records the time on a peer's clock, which has just arrived.
    pub(crate) fn record_clock(&self, node: NodeId, at: Moment, now: Moment) {
        let mut inner = lock(&self.inner);
        if inner.last_heard.contains_key(&node) {
            inner.clocks.record(node, at, now);
        }
    }

    /// Compares this node's clock with those of its peers. Returns `true` with the result if it
    /// differs from the last one.
    pub(crate) fn compare_clocks(&self) -> (ClockComparison, bool) {
        let PeersInner { clocks, last_heard, .. } = &mut *lock(&self.inner);
        clocks.retain(|node| last_heard.contains_key(&node));
        let comparison = clocks.compare();
        let is_off = !comparison.is_with_majority();
        (comparison, self.is_clock_off.swap(is_off, Ordering::Relaxed) != is_off)
    }

    /// Returns `true` if this node's clock differs from those of most nodes.
    pub(crate) fn is_clock_off(&self) -> bool {
        self.is_clock_off.load(Ordering::Relaxed)
    }

    /// Returns `true` if any peer is alive.
    pub(crate) fn has_peers(&self) -> bool {
        !lock(&self.inner).last_heard.is_empty()
    }

    /// Returns `true` if no living peer has a lower ID. That node does the work that has to be
    /// done by exactly one node.
    pub(crate) fn is_first(&self, own: NodeId) -> bool {
        lock(&self.inner).last_heard.keys().all(|node| own < *node)
    }

    /// Records which users follow a game here and what the player to move is owed. Returns the
    /// numbered report, and `true` if other nodes have to hear of it at once: if users came or went,
    /// or the debt is new.
    pub(crate) fn set_local(&self, presence: GamePresence) -> (GamePresence, bool) {
        let mut inner = lock(&self.inner);
        inner.last_report += 1;
        let presence = GamePresence { number: inner.last_report, ..presence };
        let former = inner.local.insert(presence.game, presence.clone());
        let is_urgent = former.is_none_or(|former| {
            let is_new_debt = presence.owed_ms > 0 && presence.owed_ms != former.owed_ms;
            let has_same_users = former.players == presence.players
                && former.connected == presence.connected
                && former.watchers == presence.watchers;
            !has_same_users || is_new_debt
        });
        (presence, is_urgent)
    }

    /// Returns what the room of a game reported, if this node has one.
    pub(crate) fn local(&self, game: GameId) -> Option<GamePresence> {
        lock(&self.inner).local.get(&game).cloned()
    }

    /// Removes a room that has closed.
    pub(crate) fn remove_local(&self, game: GameId) {
        lock(&self.inner).local.remove(&game);
    }

    /// Returns what this node's rooms reported.
    pub(crate) fn all_local(&self) -> Vec<GamePresence> {
        lock(&self.inner).local.values().cloned().collect()
    }

    /// Records which users follow a game at another node, unless a newer report of that node has
    /// arrived before.
    pub(crate) fn set_remote(&self, node: NodeId, presence: GamePresence, now: Moment) {
        let mut inner = lock(&self.inner);
        let known = inner.remote.get(&presence.game);
        let former = known.and_then(|nodes| nodes.get(&node));
        let is_outdated = former.is_some_and(|(former, _)| former.number > presence.number);
        let has_room = known.is_some() || inner.remote.len() < MAX_GAMES;
        if inner.last_heard.contains_key(&node) && has_room && !is_outdated {
            let nodes = inner.remote.entry(presence.game).or_default();
            nodes.insert(node, (presence, now));
        }
    }

    /// Returns the users who follow a game at other nodes.
    pub(crate) fn remote_audience(&self, game: GameId) -> RemoteAudience {
        let inner = lock(&self.inner);
        let mut all = RemoteAudience::default();
        for (presence, _) in inner.remote.get(&game).into_iter().flat_map(BTreeMap::values) {
            all.watchers = all.watchers.saturating_add(presence.watchers);
            let opened = presence.connected.iter().copied().chain(repeat(Moment::default()));
            for (player, opened) in presence.players.iter().zip(opened) {
                let newest = all.players.entry(*player).or_insert(opened);
                *newest = opened.max(*newest);
            }
        }
        all
    }

    /// Returns the most that another node owes the player to move in the same turn, less what the
    /// store has credited since that node reported it. A debt of another turn is settled already,
    /// or that turn is not known here yet.
    pub(crate) fn remote_owed_ms(&self, game: GameId, turn: TurnRecord) -> u64 {
        let inner = lock(&self.inner);
        let nodes = inner.remote.get(&game).into_iter().flat_map(BTreeMap::values);
        let same_turn = nodes.filter(|(it, _)| it.turn == turn.version);
        let totals = same_turn.map(|(it, _)| it.credited_ms.saturating_add(it.owed_ms));
        totals.max().unwrap_or(0).saturating_sub(turn.credited_ms)
    }

    /// Returns the last moment at which a player who is connected to other nodes is known not to have
    /// been told of a version: when one of these nodes last reported an older one. `None` if one of
    /// them has the version, or the player is connected to none.
    pub(crate) fn unaware_until(
        &self,
        game: GameId,
        player: PlayerId,
        version: u32,
    ) -> Option<Moment> {
        let inner = lock(&self.inner);
        let nodes = inner.remote.get(&game).into_iter().flat_map(BTreeMap::values);
        let own: Vec<_> = nodes.filter(|(it, _)| it.players.contains(&player)).collect();
        let is_unaware = own.iter().all(|(it, _)| it.version < version);
        own.iter().map(|(_, heard)| *heard).max().filter(|_| is_unaware)
    }

    /// Returns the players of a game who are connected to it at any node.
    pub(crate) fn everywhere(&self, game: GameId) -> Vec<PlayerId> {
        let mut players: Vec<PlayerId> = self.remote_audience(game).players.into_keys().collect();
        let inner = lock(&self.inner);
        players
            .extend(inner.local.get(&game).into_iter().flat_map(|it| it.players.iter().copied()));
        players
    }

    /// Returns `true` if another node has a room for the game.
    pub(crate) fn is_served_elsewhere(&self, game: GameId) -> bool {
        lock(&self.inner).remote.contains_key(&game)
    }

    /// Forgets a node that has left and returns the games that it served.
    pub(crate) fn left(&self, node: NodeId, now: Moment) -> Vec<GameId> {
        let mut inner = lock(&self.inner);
        inner.last_heard.remove(&node);
        inner.depart(now);
        inner.forget(|it, _| it == node)
    }

    /// Forgets nodes that have been silent since a moment, and reports that a node has not repeated for
    /// as long. What a node reported just before it fell silent is kept as long as the node. Returns the
    /// affected games.
    pub(crate) fn expire(&self, since: Moment, now: Moment) -> Vec<GameId> {
        let mut inner = lock(&self.inner);
        inner.last_heard.retain(|_, heard| *heard >= since);
        inner.depart(now);
        inner.departures.expire(now);
        let (alive_at, gone_ms) = (inner.alive_at.clone(), now.since_ms(since));
        inner.forget(|node, heard| {
            let alive_at = alive_at.get(&node);
            alive_at.is_none_or(|alive_at| heard.plus_ms(gone_ms) < *alive_at)
        })
    }

    /// Returns `true` the first time it is called for a game that started at another node.
    pub(crate) fn is_new(&self, game: GameId) -> bool {
        let mut inner = lock(&self.inner);
        if inner.started.contains(&game) {
            return false;
        }
        if inner.started.len() >= MAX_STARTED {
            inner.started.pop_front();
        }
        inner.started.push_back(game);
        true
    }
}

impl PeersInner {
    /// Remembers the users of the nodes that no longer count as alive.
    fn depart(&mut self, now: Moment) {
        let PeersInner { last_heard, alive_at, departures, remote, .. } = self;
        alive_at.retain(|node, alive_at| {
            let is_alive = last_heard.contains_key(node);
            if !is_alive {
                let reports = remote.values().filter_map(|nodes| Some(&nodes.get(node)?.0));
                departures.add(*node, *alive_at, now, reports);
            }
            is_alive
        });
    }

    /// Removes the peers' reports for which `is_gone` returns `true`, and returns their games.
    fn forget(&mut self, is_gone: impl Fn(NodeId, Moment) -> bool) -> Vec<GameId> {
        let mut changed = Vec::new();
        self.remote.retain(|game, nodes| {
            let before = nodes.len();
            nodes.retain(|node, (_, heard)| !is_gone(*node, *heard));
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

    fn presence(byte: u8, players: &[u64], watchers: u32) -> GamePresence {
        GamePresence {
            game: GameId::from_random([byte; 16]),
            number: 0,
            version: 3,
            players: players.iter().map(|id| PlayerId(*id)).collect(),
            connected: players.iter().map(|id| at(100 * *id)).collect(),
            former: Vec::new(),
            watchers,
            chat_hash: None,
            rematch: None,
            turn: 3,
            credited_ms: 0,
            owed_ms: 0,
        }
    }

    #[test]
    fn a_remote_audience_counts_until_its_report_expires_or_its_node_leaves() {
        let peers = Peers::default();
        let game = presence(1, &[], 0).game;
        // Reports from an unknown node are ignored.
        peers.set_remote(NodeId(9), presence(1, &[5], 1), at(0));
        assert_eq!(peers.remote_audience(game), RemoteAudience::default());
        for node in [7, 8] {
            peers.mark_alive(NodeId(node), None, at(0));
        }
        peers.set_remote(NodeId(7), presence(1, &[2], 3), at(0));
        peers.set_remote(NodeId(8), presence(1, &[1, 2], 4), at(10));
        let players = [(PlayerId(1), at(100)), (PlayerId(2), at(200))].into();
        assert_eq!(peers.remote_audience(game), RemoteAudience { players, watchers: 7 });
        peers.mark_alive(NodeId(7), None, at(10));
        peers.mark_alive(NodeId(8), None, at(10));
        assert_eq!(peers.expire(at(5), at(10)), [game]);
        assert_eq!(peers.remote_audience(game).watchers, 4);
        assert!(peers.is_served_elsewhere(game));
        assert_eq!(peers.left(NodeId(8), at(10)), [game]);
        assert!(!peers.is_served_elsewhere(game));
        assert!(peers.is_first(NodeId(6)) && !peers.is_first(NodeId(8)));
        assert!(peers.expire(at(11), at(15)).is_empty() && !peers.has_peers());
    }

    #[test]
    fn the_largest_debt_of_the_same_turn_counts() {
        let peers = Peers::default();
        let game = presence(1, &[], 0).game;
        for (node, turn, owed_ms) in [(7, 3, 1_000), (8, 3, 2_000), (9, 4, 5_000)] {
            peers.mark_alive(NodeId(node), None, at(0));
            let presence = GamePresence { turn, owed_ms, ..presence(1, &[], 0) };
            peers.set_remote(NodeId(node), presence, at(0));
        }
        let owed =
            |version, credited_ms| peers.remote_owed_ms(game, TurnRecord { version, credited_ms });
        assert_eq!([2, 3, 4].map(|turn| owed(turn, 0)), [0, 2_000, 5_000]);
        // Another node has credited a part of it.
        assert_eq!([owed(3, 1_200), owed(3, 9_000)], [800, 0]);
    }

    #[test]
    fn a_player_is_unaware_as_long_as_all_their_nodes_are_behind() {
        let peers = Peers::default();
        let game = presence(1, &[], 0).game;
        let unaware = |player, version| peers.unaware_until(game, PlayerId(player), version);
        for (node, version, players) in [(7, 3, &[1, 2][..]), (8, 4, &[2]), (9, 2, &[1])] {
            peers.mark_alive(NodeId(node), None, at(0));
            let presence = GamePresence { version, ..presence(1, players, 0) };
            peers.set_remote(NodeId(node), presence, at(node));
        }
        assert_eq!([unaware(1, 3), unaware(1, 4), unaware(1, 5)], [None, Some(at(9)), Some(at(9))]);
        assert_eq!([unaware(2, 4), unaware(2, 5), unaware(3, 5)], [None, Some(at(8)), None]);
    }

    #[test]
    fn the_last_connection_of_a_player_outlives_its_node() {
        let peers = Peers::default();
        let game = presence(1, &[], 0).game;
        let last = |player| {
            let last = peers.last_connection(game, PlayerId(player), None);
            last.map(|last| (last.node.0, last.opened, last.alive_at))
        };
        peers.mark_alive(NodeId(7), Some(at(0)), at(1));
        peers.set_remote(NodeId(7), presence(1, &[1, 2], 0), at(1));
        peers.mark_alive(NodeId(7), Some(at(20)), at(30));
        assert_eq!(last(1), Some((7, at(100), at(20))));
        assert!(peers.last_connection(game, PlayerId(1), Some(NodeId(7))).is_none());
        peers.expire(at(31), at(1_000));
        assert_eq!(last(1), Some((7, at(100), at(20))), "the node is gone");
        // The player has reached another node and then left it.
        peers.mark_alive(NodeId(8), None, at(1_000));
        let left = GamePresence { former: vec![(PlayerId(1), at(900))], ..presence(1, &[], 0) };
        peers.set_remote(NodeId(8), left, at(1_000));
        assert_eq!((last(1), last(2)), (None, Some((7, at(200), at(20)))));
        // A node that has just started learns it from others.
        let elsewhere = Peers::default();
        let known = peers.last_connection(game, PlayerId(2), None).unwrap();
        elsewhere.learn(game, PlayerId(2), known, at(1_000));
        assert_eq!(elsewhere.last_connection(game, PlayerId(2), None), Some(known));
    }

    #[test]
    fn a_late_report_does_not_replace_a_newer_one() {
        let peers = Peers::default();
        peers.mark_alive(NodeId(7), None, at(0));
        let report = |number, players: &[u64]| {
            let presence = GamePresence { number, ..presence(1, players, 0) };
            peers.set_remote(NodeId(7), presence, at(0));
            peers.everywhere(GameId::from_random([1; 16])).len()
        };
        assert_eq!(
            [report(2, &[5]), report(1, &[]), report(2, &[5]), report(3, &[])],
            [1, 1, 1, 0]
        );
    }

    #[test]
    fn only_a_change_of_the_audience_is_reported() {
        let peers = Peers::default();
        let report = |presence| peers.set_local(presence).1;
        assert!(report(presence(1, &[1], 0)));
        assert!(!report(GamePresence { version: 9, ..presence(1, &[1], 0) }));
        assert_eq!((peers.all_local()[0].version, peers.all_local()[0].number), (9, 2));
        assert!(report(presence(1, &[], 0)));
        assert!(report(GamePresence { owed_ms: 1_000, ..presence(1, &[], 0) }));
        assert!(!report(presence(1, &[], 0)), "a debt that is settled can wait");
        peers.remove_local(presence(1, &[], 0).game);
        assert!(peers.all_local().is_empty());
        let game = presence(2, &[], 0).game;
        assert!(peers.is_new(game) && !peers.is_new(game));
    }
}
