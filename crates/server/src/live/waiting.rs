//! Players waiting for an opponent at this node and at other nodes, and who fits whom.
//!
//! This module holds the table of both, and decides which node starts a game: the node of the
//! later of two matching seeks. It leaves starting the game to [`pairing`](super::pairing).
//! Invariants: a player waits here at most once, no player matches themselves, and both parts of
//! the table are bounded.

use std::collections::HashMap;
use std::sync::Arc;

use castellan_game::{Moment, PlayerId};

use super::connection::ConnectionId;
use super::lobby::{QueueFull, SeekTerms, Seeker};
use crate::bus::{NodeId, Seek, SeekId};
use crate::identity::Identity;

/// All waiting players that this node knows of.
#[derive(Debug)]
pub(crate) struct Waiting {
    own: HashMap<PlayerId, Own>,
    others: HashMap<SeekId, Other>,
    limit: usize,
}

/// A player waiting at this node.
#[derive(Clone, Debug)]
pub(crate) struct Own {
    pub(crate) id: SeekId,
    pub(crate) seeker: Seeker,
    terms: SeekTerms,
    since: Moment,
    /// `true` while a game is being started for this player.
    is_taken: bool,
}

/// A player waiting at another node.
#[derive(Clone, Debug)]
struct Other {
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
    pub(crate) is_own: bool,
}

/// Effect of a seek from another node.
#[derive(Debug)]
pub(crate) struct Heard {
    /// An older seek of the same player at this node, which was removed: the later seek counts.
    pub(crate) forgotten: Option<Own>,
    /// Players at this node who may have an opponent now.
    pub(crate) later: Vec<PlayerId>,
}

impl Own {
    /// Creates the seek of a player who starts waiting now.
    pub(crate) fn new(id: SeekId, seeker: Seeker, terms: SeekTerms, since: Moment) -> Own {
        Own { id, seeker, terms, since, is_taken: false }
    }

    /// Returns the seek as it is sent to other nodes.
    pub(crate) fn told(&self) -> Seek {
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
}

impl Waiting {
    /// Creates an empty table for at most `limit` players at this node.
    pub(crate) fn new(limit: usize) -> Waiting {
        Waiting { own: HashMap::new(), others: HashMap::new(), limit }
    }

    /// Adds a player and returns their previous seek, if any.
    pub(crate) fn insert(&mut self, own: Own) -> Result<Option<Own>, QueueFull> {
        let player = own.seeker.who.player;
        if self.own.len() >= self.limit && !self.own.contains_key(&player) {
            return Err(QueueFull);
        }
        Ok(self.own.insert(player, own))
    }

    /// Returns how many players wait for the same kind of game at all nodes.
    pub(crate) fn count(&self, terms: SeekTerms) -> usize {
        self.own.values().filter(|own| own.terms == terms).count()
            + self.others.values().filter(|other| other.terms == terms).count()
    }

    /// Returns how many players wait at this node.
    pub(crate) fn count_here(&self) -> usize {
        self.own.len()
    }

    /// Finds an opponent for a player at this node: the one among all matches who came first. A
    /// player at another node qualifies only if they came earlier; otherwise that node starts the
    /// game. Marks the players found at this node as taken.
    pub(crate) fn table(&mut self, player: PlayerId) -> Option<(SeekTerms, [Side; 2])> {
        let me = self.own.get(&player).filter(|me| !me.is_taken)?.clone();
        if me.seeker.connection.is_closing() {
            return None;
        }
        let fits = |who: &Identity, terms| terms == me.terms && who.player != player;
        let own = self.own.values().filter(|own| {
            fits(&own.seeker.who, own.terms) && !own.is_taken && !own.seeker.connection.is_closing()
        });
        let own = own.map(|own| (own.since, &own.id, &own.seeker.who, true));
        let others = self.others.iter().filter(|(id, other)| {
            fits(&other.who, other.terms) && (other.since, *id) < (me.since, &me.id)
        });
        let others = others.map(|(id, other)| (other.since, id, &other.who, false));
        let (_, id, who, is_own) = own.chain(others).min_by_key(|it| (it.0, it.1.clone()))?;
        let partner = Side { id: id.clone(), who: Arc::clone(who), is_own };
        for taken in [Some(player), is_own.then_some(partner.who.player)].into_iter().flatten() {
            if let Some(own) = self.own.get_mut(&taken) {
                own.is_taken = true;
            }
        }
        let me = Side { id: me.id, who: me.seeker.who, is_own: true };
        Some((self.own[&player].terms, [partner, me]))
    }

    /// Releases the players of a game that did not start because another game claimed one of the
    /// seeks.
    pub(crate) fn give_up(&mut self, seeks: [&SeekId; 2], claim: &str) {
        for own in self.own.values_mut().filter(|own| seeks.contains(&&own.id)) {
            own.is_taken = false;
        }
        self.others.retain(|id, _| id.0 != claim);
    }

    /// Removes a player who is waiting at this node.
    pub(crate) fn remove(&mut self, id: &SeekId) -> Option<Own> {
        let player = self.own.values().find(|own| own.id == *id)?.seeker.who.player;
        self.own.remove(&player)
    }

    /// Removes a player who is waiting at this node if their seek came from this connection.
    pub(crate) fn remove_at(&mut self, player: PlayerId, connection: ConnectionId) -> Option<Own> {
        self.own.get(&player).filter(|own| own.seeker.connection.id() == connection)?;
        self.own.remove(&player)
    }

    /// Removes a seek for which a game has started. Returns the player if they were waiting here.
    pub(crate) fn answered(&mut self, id: &SeekId) -> Option<Own> {
        self.forget(id);
        self.remove(id)
    }

    /// Returns the seeks of this node as they are sent to other nodes.
    pub(crate) fn all_own(&self) -> Vec<Seek> {
        self.own.values().map(Own::told).collect()
    }

    /// Adds a seek from another node.
    pub(crate) fn hear(&mut self, node: NodeId, seek: Seek, now: Moment) -> Heard {
        let terms = SeekTerms { time_control: seek.time_control, is_rated: seek.is_rated };
        let own = self.own.get(&seek.player).filter(|own| !own.is_taken);
        let is_earlier = |own: &&Own| (own.since, &own.id) < (seek.since, &seek.id);
        let former = own.filter(is_earlier).map(|own| own.id.clone());
        let forgotten = former.and_then(|id| self.remove(&id));
        let later = self.later_than(&seek, terms);
        if self.others.len() < self.limit || self.others.contains_key(&seek.id) {
            let Seek { id, player, name, is_account, since, .. } = seek;
            let who = Arc::new(Identity { player, name, is_account, session: None });
            self.others.insert(id, Other { node, who, terms, since, heard: now });
        }
        Heard { forgotten, later }
    }

    /// Returns the players at this node for whom a new seek may be a match.
    fn later_than(&self, seek: &Seek, terms: SeekTerms) -> Vec<PlayerId> {
        let is_later = |own: &&Own| {
            own.terms == terms && !own.is_taken && (own.since, &own.id) > (seek.since, &seek.id)
        };
        self.own.values().filter(is_later).map(|own| own.seeker.who.player).collect()
    }

    /// Removes a seek of another node.
    pub(crate) fn forget(&mut self, id: &SeekId) {
        self.others.remove(id);
    }

    /// Removes all seeks of a node that has left.
    pub(crate) fn left(&mut self, node: NodeId) {
        self.others.retain(|_, other| other.node != node);
    }

    /// Removes seeks of other nodes that have not been repeated since a moment.
    pub(crate) fn expire(&mut self, since: Moment) {
        self.others.retain(|_, other| other.heard >= since);
    }
}

#[cfg(test)]
mod tests {
    use castellan_game::TimeControl;

    use super::super::connection::{Connection, Protocol};
    use super::super::reply::RequestRef;
    use super::*;

    const QUICK: SeekTerms = SeekTerms {
        time_control: TimeControl::Increment { initial_ms: 60_000, increment_ms: 0 },
        is_rated: false,
    };
    const RATED: SeekTerms = SeekTerms { is_rated: true, ..QUICK };

    fn person(player: u64) -> Arc<Identity> {
        let (player, name) = (PlayerId(player), "anna".to_owned());
        Arc::new(Identity { player, name, is_account: false, session: None })
    }

    fn wait_here(waiting: &mut Waiting, player: u64, since: u64, terms: SeekTerms) {
        let connection = Arc::new(Connection::new(ConnectionId(player), Protocol::Full, None));
        let seeker = Seeker { who: person(player), connection, request: RequestRef::default() };
        let (id, since) = (SeekId(format!("own {player}")), Moment::from_millis(since));
        waiting.insert(Own::new(id, seeker, terms, since)).unwrap();
    }

    fn wait_elsewhere(waiting: &mut Waiting, player: u64, since: u64, terms: SeekTerms) {
        let (since, heard) = (Moment::from_millis(since), Moment::default());
        let other = Other { node: NodeId(1), who: person(player), terms, since, heard };
        waiting.others.insert(SeekId(format!("other {player}")), other);
    }

    #[track_caller]
    fn check(waiting: &mut Waiting, player: u64, opponent: Option<u64>) {
        let table = waiting.table(PlayerId(player));
        assert_eq!(table.map(|(_, [partner, _])| partner.who.player.0), opponent);
    }

    #[test]
    fn the_node_of_the_later_seek_begins_the_game() {
        let mut waiting = Waiting::new(9);
        wait_here(&mut waiting, 1, 10, QUICK);
        wait_elsewhere(&mut waiting, 2, 20, QUICK);
        check(&mut waiting, 1, None);
        wait_elsewhere(&mut waiting, 3, 5, RATED);
        check(&mut waiting, 1, None);
        wait_elsewhere(&mut waiting, 4, 9, QUICK);
        wait_elsewhere(&mut waiting, 5, 8, QUICK);
        check(&mut waiting, 1, Some(5));
        // A player whose game is being started is not paired again until that has failed.
        check(&mut waiting, 1, None);
        let mine = SeekId("own 1".to_owned());
        waiting.give_up([&SeekId("other 5".to_owned()), &mine], "other 5");
        check(&mut waiting, 1, Some(4));
    }

    #[test]
    fn two_who_wait_here_play_and_nobody_plays_himself() {
        let mut waiting = Waiting::new(9);
        wait_here(&mut waiting, 1, 10, QUICK);
        wait_elsewhere(&mut waiting, 1, 5, QUICK);
        check(&mut waiting, 1, None);
        waiting.others.clear();
        wait_here(&mut waiting, 2, 5, QUICK);
        check(&mut waiting, 2, Some(1));
        wait_here(&mut waiting, 3, 20, QUICK);
        check(&mut waiting, 3, None);
        assert_eq!((waiting.count(QUICK), waiting.count(RATED)), (3, 0));
    }
}
