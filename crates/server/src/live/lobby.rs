//! The players who are waiting for an opponent, at this node and at others, and their matching.
//!
//! This module holds the table of seeks and decides which node starts a game: the node of the later
//! of two matching seeks. A standalone server is a cluster of one node. Starting the game is left to
//! [`pairing`](super::pairing). Invariants: a player waits here at most once, is never paired with
//! themselves, players who want the same kind of game are paired first come, first served, and both
//! parts of the table are bounded.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;

use castellan_game::{Moment, PlayerId, TimeControl};

use super::connection::{Connection, ConnectionId};
use super::reply::RequestRef;
use crate::bus::{NodeId, Seek, SeekId};
use crate::identity::Identity;

/// Maximum number of players whose last seek is remembered.
const MAX_LATEST: usize = 100_000;
/// How long the last seek of a player is remembered at least.
const LATEST_MS: u64 = 60_000;

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
    /// The identity of the player.
    pub(crate) who: Arc<Identity>,
    /// The connection that sent the request and will receive the response.
    pub(crate) connection: Arc<Connection>,
    /// The request that refusals refer to.
    pub(crate) request: RequestRef,
}

/// The table of waiting players is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("too many players are waiting; try again later")]
pub(crate) struct QueueFull;

/// All waiting players that this node knows of.
#[derive(Debug)]
pub(crate) struct Lobby {
    local: BTreeMap<PlayerId, LocalSeek>,
    remote: BTreeMap<SeekId, RemoteSeek>,
    /// When players last sought a game at this node. Older seeks of theirs are outdated, and their
    /// nodes may be dead.
    latest: BTreeMap<PlayerId, Moment>,
    limit: usize,
}

/// A player waiting at this node.
#[derive(Clone, Debug)]
pub(crate) struct LocalSeek {
    pub(crate) id: SeekId,
    pub(crate) seeker: Seeker,
    pub(crate) terms: SeekTerms,
    since: Moment,
    /// `true` while a game is being started for this player.
    pub(crate) is_taken: bool,
}

/// A player waiting at another node.
#[derive(Clone, Debug)]
struct RemoteSeek {
    node: NodeId,
    who: Arc<Identity>,
    terms: SeekTerms,
    since: Moment,
    heard: Moment,
}

/// One side of a game that may start.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    pub(crate) id: SeekId,
    pub(crate) who: Arc<Identity>,
    /// `true` if the player is waiting at this node.
    pub(crate) is_local: bool,
    /// Address that is responsible for the game. `None` for a player at another node, and for a
    /// client without limits.
    pub(crate) address: Option<IpAddr>,
}

/// Two players who fit each other, and the kind of game that they want.
#[derive(Clone, Debug)]
pub(crate) struct Match {
    pub(crate) terms: SeekTerms,
    /// The sides; the one that waited longer comes first.
    pub(crate) sides: [Side; 2],
}

/// Effect of a seek from another node.
#[derive(Debug)]
pub(crate) struct SeekEffect {
    /// An older seek of the same player at this node, which was removed: the later seek counts.
    pub(crate) replaced: Option<LocalSeek>,
    /// Players at this node who may have an opponent now.
    pub(crate) candidates: Vec<PlayerId>,
    /// `true` if the seek was ignored because the player has sought again here since.
    pub(crate) is_outdated: bool,
}

impl LocalSeek {
    /// Creates the seek of a player who starts waiting now.
    pub(crate) fn new(id: SeekId, seeker: Seeker, terms: SeekTerms, since: Moment) -> LocalSeek {
        LocalSeek { id, seeker, terms, since, is_taken: false }
    }

    /// Returns the seek as it is sent to other nodes.
    pub(crate) fn to_message(&self) -> Seek {
        let Identity { player, name, is_account, .. } = &*self.seeker.who;
        Seek {
            id: self.id.clone(),
            player: *player,
            name: name.clone(),
            is_account: *is_account,
            time_control: self.terms.time_control,
            is_rated: self.terms.is_rated,
            since: self.since,
        }
    }

    /// Returns `true` if the player can be paired. The connection may be closing without having
    /// canceled its seek yet.
    fn is_free(&self) -> bool {
        !self.is_taken && !self.seeker.connection.is_closing()
    }

    /// Returns this seek as one side of a game.
    fn side(&self) -> Side {
        let (id, who) = (self.id.clone(), Arc::clone(&self.seeker.who));
        Side { id, who, is_local: true, address: self.seeker.connection.address() }
    }
}

impl Lobby {
    /// Creates an empty table for at most `limit` players at this node.
    pub(crate) fn new(limit: usize) -> Lobby {
        let (local, remote, latest) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Lobby { local, remote, latest, limit }
    }

    /// Adds a player and returns their previous seek, if any.
    pub(crate) fn insert(&mut self, seek: LocalSeek) -> Result<Option<LocalSeek>, QueueFull> {
        let player = seek.seeker.who.player;
        if self.local.len() >= self.limit && !self.local.contains_key(&player) {
            return Err(QueueFull);
        }
        if self.latest.len() >= MAX_LATEST {
            self.latest.retain(|_, latest| latest.plus_ms(LATEST_MS) >= seek.since);
        }
        if self.latest.len() < MAX_LATEST {
            self.latest.insert(player, seek.since);
        }
        Ok(self.local.insert(player, seek))
    }

    /// Returns the seek of a player who is waiting at this node.
    pub(crate) fn get(&self, player: PlayerId) -> Option<&LocalSeek> {
        self.local.get(&player)
    }

    /// Returns how many players wait for the same kind of game at all nodes.
    pub(crate) fn count(&self, terms: SeekTerms) -> usize {
        self.local.values().filter(|seek| seek.terms == terms).count()
            + self.remote.values().filter(|seek| seek.terms == terms).count()
    }

    /// Returns how many players wait at this node.
    pub(crate) fn count_here(&self) -> usize {
        self.local.len()
    }

    /// Returns the kinds of games that players wait for at all nodes, each with the number of those
    /// players; at most `most` kinds, those with the most players first.
    pub(crate) fn wanted(&self, most: usize) -> Vec<(SeekTerms, usize)> {
        let mut counts: HashMap<SeekTerms, (usize, Moment)> = HashMap::new();
        let local = self.local.values().map(|seek| (seek.terms, seek.since));
        let remote = self.remote.values().map(|seek| (seek.terms, seek.since));
        for (terms, since) in local.chain(remote) {
            let (count, first) = counts.entry(terms).or_insert((0, since));
            *count += 1;
            *first = since.min(*first);
        }
        let mut wanted: Vec<_> = counts.into_iter().collect();
        wanted.sort_by_key(|(_, (count, first))| (Reverse(*count), *first));
        wanted.into_iter().take(most).map(|(terms, (count, _))| (terms, count)).collect()
    }

    /// Finds an opponent for a player at this node: the one among all matches who came first. A
    /// player at another node qualifies only if they came earlier; otherwise that node starts the
    /// game. Marks the players found at this node as taken.
    pub(crate) fn find_opponent(&mut self, player: PlayerId) -> Option<Match> {
        let me = self.local.get(&player).filter(|me| me.is_free())?;
        let terms = me.terms;
        let fits = |who: &Identity, wanted: SeekTerms| wanted == terms && who.player != player;
        let local = self.local.values().filter(|it| fits(&it.seeker.who, it.terms) && it.is_free());
        let local = local.map(|it| ((it.since, &it.id), it.side()));
        let remote = self
            .remote
            .iter()
            .filter(|(id, it)| fits(&it.who, it.terms) && (it.since, *id) < (me.since, &me.id));
        let remote = remote.map(|(id, it)| {
            let (own_id, who) = (id.clone(), Arc::clone(&it.who));
            ((it.since, id), Side { id: own_id, who, is_local: false, address: None })
        });
        let (_, opponent) = local.chain(remote).min_by_key(|(order, _)| *order)?;
        let sides = [opponent, me.side()];
        for side in sides.iter().filter(|side| side.is_local) {
            if let Some(taken) = self.local.get_mut(&side.who.player) {
                taken.is_taken = true;
            }
        }
        Some(Match { terms, sides })
    }

    /// Releases the players of a game that did not start.
    pub(crate) fn release(&mut self, seeks: [&SeekId; 2]) {
        for seek in self.local.values_mut().filter(|seek| seeks.contains(&&seek.id)) {
            seek.is_taken = false;
        }
    }

    /// Removes a seek at this node.
    pub(crate) fn remove(&mut self, id: &SeekId) -> Option<LocalSeek> {
        let player = self.local.values().find(|seek| seek.id == *id)?.seeker.who.player;
        self.local.remove(&player)
    }

    /// Removes a player who is waiting at this node.
    pub(crate) fn remove_of(&mut self, player: PlayerId) -> Option<LocalSeek> {
        self.local.remove(&player)
    }

    /// Removes a player who is waiting at this node if their seek came from this connection.
    pub(crate) fn remove_at(
        &mut self,
        player: PlayerId,
        connection: ConnectionId,
    ) -> Option<LocalSeek> {
        self.local.get(&player).filter(|seek| seek.seeker.connection.id() == connection)?;
        self.local.remove(&player)
    }

    /// Removes a seek for which a game has started. Returns the player if they were waiting here.
    pub(crate) fn answered(&mut self, id: &SeekId) -> Option<LocalSeek> {
        self.forget(id);
        self.remove(id)
    }

    /// Returns the seeks of this node as they are sent to other nodes.
    pub(crate) fn all_local(&self) -> Vec<Seek> {
        self.local.values().map(LocalSeek::to_message).collect()
    }

    /// Adds a seek from another node.
    pub(crate) fn add_remote(&mut self, node: NodeId, seek: Seek, now: Moment) -> SeekEffect {
        if self.latest.get(&seek.player).is_some_and(|latest| *latest > seek.since) {
            return SeekEffect { replaced: None, candidates: Vec::new(), is_outdated: true };
        }
        let terms = SeekTerms { time_control: seek.time_control, is_rated: seek.is_rated };
        let local = self.local.get(&seek.player).filter(|local| !local.is_taken);
        let is_earlier = |local: &&LocalSeek| (local.since, &local.id) < (seek.since, &seek.id);
        let former = local.filter(is_earlier).map(|local| local.id.clone());
        let replaced = former.and_then(|id| self.remove(&id));
        let candidates = self.candidates_for(&seek, terms);
        if self.remote.len() < self.limit || self.remote.contains_key(&seek.id) {
            let Seek { id, player, name, is_account, since, .. } = seek;
            let who = Arc::new(Identity { player, name, is_account, session: None });
            self.remote.insert(id, RemoteSeek { node, who, terms, since, heard: now });
        }
        SeekEffect { replaced, candidates, is_outdated: false }
    }

    /// Returns the players at this node for whom a new seek may be a match.
    fn candidates_for(&self, seek: &Seek, terms: SeekTerms) -> Vec<PlayerId> {
        let is_later = |local: &&LocalSeek| {
            let is_free = local.terms == terms && !local.is_taken;
            is_free && (local.since, &local.id) > (seek.since, &seek.id)
        };
        self.local.values().filter(is_later).map(|local| local.seeker.who.player).collect()
    }

    /// Removes the seeks of a player at other nodes: the later seek counts, and it is here now.
    pub(crate) fn take_remote_of(&mut self, player: PlayerId) -> Vec<SeekId> {
        let is_own = |seek: &RemoteSeek| seek.who.player == player;
        let own = self.remote.iter().filter(|(_, seek)| is_own(seek));
        let ids = own.map(|(id, _)| id.clone()).collect();
        self.remote.retain(|_, seek| !is_own(seek));
        ids
    }

    /// Removes a seek of another node.
    pub(crate) fn forget(&mut self, id: &SeekId) {
        self.remote.remove(id);
    }

    /// Removes all seeks of a node that has left.
    pub(crate) fn node_left(&mut self, node: NodeId) {
        self.remote.retain(|_, seek| seek.node != node);
    }

    /// Removes seeks of other nodes that have not been repeated since a moment.
    pub(crate) fn expire(&mut self, since: Moment) {
        self.remote.retain(|_, seek| seek.heard >= since);
        self.latest.retain(|_, latest| latest.plus_ms(LATEST_MS) >= since);
    }
}

#[cfg(test)]
mod tests {
    use super::super::connection::{CloseReason, Protocol};
    use super::*;

    const QUICK: SeekTerms = terms(60_000, false);
    const RATED: SeekTerms = terms(60_000, true);

    const fn terms(initial_ms: u32, is_rated: bool) -> SeekTerms {
        SeekTerms { time_control: TimeControl::Increment { initial_ms, increment_ms: 0 }, is_rated }
    }

    fn person(player: u64) -> Arc<Identity> {
        let (player, name) = (PlayerId(player), "anna".to_owned());
        Arc::new(Identity { player, name, is_account: false, session: None })
    }

    fn at(ms: u64) -> Moment {
        Moment::from_millis(ms)
    }

    /// Lets a player wait here, with a connection of the same number.
    fn wait_here(lobby: &mut Lobby, player: u64, since: u64, terms: SeekTerms) -> Arc<Connection> {
        let connection = Arc::new(Connection::new(ConnectionId(player), Protocol::Full, None));
        let request = RequestRef::default();
        let seeker = Seeker { who: person(player), connection: Arc::clone(&connection), request };
        let id = SeekId(format!("local {player}"));
        lobby.insert(LocalSeek::new(id, seeker, terms, at(since))).unwrap();
        connection
    }

    fn wait_elsewhere(lobby: &mut Lobby, player: u64, since: u64, terms: SeekTerms) {
        let (who, heard) = (person(player), Moment::default());
        let seek = RemoteSeek { node: NodeId(1), who, terms, since: at(since), heard };
        lobby.remote.insert(SeekId(format!("remote {player}")), seek);
    }

    #[track_caller]
    fn check(lobby: &mut Lobby, player: u64, opponent: Option<u64>) {
        let found = lobby.find_opponent(PlayerId(player));
        assert_eq!(found.map(|found| found.sides[0].who.player.0), opponent);
    }

    #[test]
    fn the_lobby_says_what_is_waited_for_at_all_nodes() {
        let mut lobby = Lobby::new(9);
        assert!(lobby.wanted(9).is_empty());
        wait_here(&mut lobby, 1, 10, QUICK);
        wait_here(&mut lobby, 2, 11, terms(1, false));
        wait_elsewhere(&mut lobby, 3, 12, RATED);
        wait_elsewhere(&mut lobby, 4, 13, RATED);
        assert_eq!(lobby.wanted(9), [(RATED, 2), (QUICK, 1), (terms(1, false), 1)]);
        assert_eq!(lobby.wanted(2), [(RATED, 2), (QUICK, 1)]);
    }

    #[test]
    fn the_first_to_come_is_paired_first() {
        let mut lobby = Lobby::new(9);
        for (player, since, terms, opponent) in [
            (1, 10, QUICK, None),
            (2, 11, terms(1, true), None),
            (3, 12, RATED, None),
            (4, 13, QUICK, Some(1)),
            (5, 14, QUICK, None),
            (6, 15, RATED, Some(3)),
            (7, 16, QUICK, Some(5)),
        ] {
            wait_here(&mut lobby, player, since, terms);
            check(&mut lobby, player, opponent);
        }
    }

    #[test]
    fn the_node_of_the_later_seek_begins_the_game() {
        let mut lobby = Lobby::new(9);
        wait_here(&mut lobby, 1, 10, QUICK);
        wait_elsewhere(&mut lobby, 2, 20, QUICK);
        check(&mut lobby, 1, None);
        wait_elsewhere(&mut lobby, 3, 5, RATED);
        check(&mut lobby, 1, None);
        wait_elsewhere(&mut lobby, 4, 9, QUICK);
        wait_elsewhere(&mut lobby, 5, 8, QUICK);
        check(&mut lobby, 1, Some(5));
        // A player whose game is being started is not paired again until that has failed.
        check(&mut lobby, 1, None);
        let mine = SeekId("local 1".to_owned());
        let theirs = SeekId("remote 5".to_owned());
        lobby.release([&theirs, &mine]);
        lobby.forget(&theirs);
        check(&mut lobby, 1, Some(4));
    }

    #[test]
    fn two_waiting_players_are_paired_and_no_player_with_themselves() {
        let mut lobby = Lobby::new(9);
        wait_here(&mut lobby, 1, 10, QUICK);
        wait_elsewhere(&mut lobby, 1, 5, QUICK);
        check(&mut lobby, 1, None);
        lobby.remote.clear();
        wait_here(&mut lobby, 2, 5, QUICK);
        check(&mut lobby, 2, Some(1));
        wait_here(&mut lobby, 3, 20, QUICK);
        check(&mut lobby, 3, None);
        assert_eq!((lobby.count(QUICK), lobby.count(RATED)), (3, 0));
    }

    #[test]
    fn a_seek_here_replaces_the_ones_elsewhere() {
        let mut lobby = Lobby::new(9);
        wait_elsewhere(&mut lobby, 1, 10, QUICK);
        wait_elsewhere(&mut lobby, 2, 11, RATED);
        assert_eq!(lobby.take_remote_of(PlayerId(1)), [SeekId("remote 1".to_owned())]);
        wait_here(&mut lobby, 1, 12, QUICK);
        // The message about the former seek comes late.
        let mut late = lobby.all_local().remove(0);
        (late.id, late.since) = (SeekId("late".to_owned()), at(10));
        assert!(lobby.add_remote(NodeId(1), late, at(14)).is_outdated);
        wait_here(&mut lobby, 3, 13, QUICK);
        check(&mut lobby, 3, Some(1));
        assert_eq!(lobby.count(RATED), 1);
    }

    #[test]
    fn a_new_seek_replaces_the_old_and_only_its_connection_cancels_it() {
        let mut lobby = Lobby::new(9);
        wait_here(&mut lobby, 1, 10, QUICK);
        wait_here(&mut lobby, 1, 11, terms(1, false));
        assert_eq!(lobby.count_here(), 1);
        wait_here(&mut lobby, 2, 12, QUICK);
        check(&mut lobby, 2, None);
        assert!(lobby.remove_at(PlayerId(1), ConnectionId(2)).is_none());
        assert!(lobby.remove_at(PlayerId(3), ConnectionId(1)).is_none());
        assert!(lobby.remove_at(PlayerId(1), ConnectionId(1)).is_some());
        wait_here(&mut lobby, 3, 13, terms(1, false));
        check(&mut lobby, 3, None);
    }

    #[test]
    fn closing_connections_are_passed_over_and_the_table_is_bounded() {
        let mut lobby = Lobby::new(3);
        wait_here(&mut lobby, 1, 10, QUICK).close(CloseReason::Left);
        wait_here(&mut lobby, 2, 11, QUICK);
        check(&mut lobby, 2, None);
        check(&mut lobby, 1, None);
        wait_here(&mut lobby, 3, 12, QUICK);
        let fourth = lobby.local[&PlayerId(3)].clone();
        let seeker = Seeker { who: person(4), ..fourth.seeker };
        let refused = lobby.insert(LocalSeek { seeker, ..fourth });
        assert_eq!(refused.err(), Some(QueueFull));
        check(&mut lobby, 3, Some(2));
    }
}
