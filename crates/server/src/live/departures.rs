//! Nodes that are gone, and the players who were connected to them.
//!
//! A player on the way from a node that died cannot move, and that time is not theirs. This module
//! remembers for a while who is on the way, and since when. It leaves to the rooms how much of that
//! time is credited.

use std::collections::BTreeMap;

use castellan_game::{GameId, Moment, PlayerId};

use crate::bus::{GamePresence, LastConnection, NodeId};

/// How long the clock of a player stands still who is on the way, at most: counted from the last sign
/// of life of a node that died, and from the end of an outage. Our web page retries at intervals of
/// at most 15 s.
pub(crate) const RETURN_MS: u64 = 20_000;
/// How long a node that is gone is remembered after that. A turn that began before the player came back
/// may last longer.
const REMEMBER_MS: u64 = 60_000;
/// Maximum number of nodes that are remembered, and of players for each of them.
const MAX_NODES: usize = 64;
const MAX_PLAYERS: usize = 100_000;

/// The nodes that are gone.
#[derive(Debug, Default)]
pub(super) struct Departures(BTreeMap<NodeId, DepartedNode>);

/// A node that is gone.
#[derive(Debug)]
struct DepartedNode {
    /// When it is last known to have been alive.
    alive_at: Moment,
    /// When this node last heard that it is gone.
    noticed: Moment,
    /// When the newest connection of each player of a game was opened there.
    players: BTreeMap<(GameId, PlayerId), Moment>,
}

impl Departures {
    /// Records that a node is gone which reported these users.
    pub(super) fn add<'a>(
        &mut self,
        node: NodeId,
        alive_at: Moment,
        noticed: Moment,
        reports: impl Iterator<Item = &'a GamePresence>,
    ) {
        for presence in reports {
            for (player, opened) in presence.players.iter().zip(&presence.connected) {
                let last = LastConnection { node, opened: *opened, alive_at };
                self.learn(presence.game, *player, last, noticed);
            }
        }
    }

    /// Records the last connection of a player to a node that is gone.
    pub(super) fn learn(
        &mut self,
        game: GameId,
        player: PlayerId,
        last: LastConnection,
        now: Moment,
    ) {
        let LastConnection { node, opened, alive_at } = last;
        if self.0.len() >= MAX_NODES && !self.0.contains_key(&node) {
            return;
        }
        let new = DepartedNode { alive_at, noticed: now, players: BTreeMap::new() };
        let departed = self.0.entry(node).or_insert(new);
        departed.alive_at = departed.alive_at.max(alive_at);
        departed.noticed = now;
        if departed.players.len() < MAX_PLAYERS || departed.players.contains_key(&(game, player)) {
            let newest = departed.players.entry((game, player)).or_insert(opened);
            *newest = opened.max(*newest);
        }
    }

    /// Records that a message of a node has arrived that was sent at a moment. It may be a late one, or
    /// the node is not gone after all.
    pub(super) fn heard(&mut self, node: NodeId, sent: Moment) {
        if let Some(departed) = self.0.get_mut(&node) {
            departed.alive_at = departed.alive_at.max(sent);
        }
    }

    /// Forgets nodes that have been gone for long.
    pub(super) fn expire(&mut self, now: Moment) {
        self.0.retain(|_, departed| now < departed.noticed.plus_ms(RETURN_MS + REMEMBER_MS));
    }

    /// Returns the last connections of a player of a game to nodes that are gone.
    pub(super) fn of(
        &self,
        game: GameId,
        player: PlayerId,
    ) -> impl Iterator<Item = LastConnection> {
        self.0.iter().filter_map(move |(node, departed)| {
            let opened = *departed.players.get(&(game, player))?;
            Some(LastConnection { node: *node, opened, alive_at: departed.alive_at })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Moment {
        Moment::from_millis(ms)
    }

    fn last(node: u64, opened_ms: u64, alive_ms: u64) -> LastConnection {
        LastConnection { node: NodeId(node), opened: at(opened_ms), alive_at: at(alive_ms) }
    }

    #[test]
    fn a_player_of_a_node_that_is_gone_is_remembered_for_a_while() {
        let (game, player) = (GameId::from_random([1; 16]), PlayerId(1));
        let mut departures = Departures::default();
        departures.learn(game, player, last(7, 50, 100), at(5_000));
        departures.learn(game, player, last(7, 40, 90), at(5_000));
        let known = |departures: &Departures| departures.of(game, player).collect::<Vec<_>>();
        assert_eq!(known(&departures), [last(7, 50, 100)]);
        // A late message shows that the node lived longer.
        departures.heard(NodeId(7), at(120));
        departures.heard(NodeId(8), at(130));
        assert_eq!(known(&departures), [last(7, 50, 120)]);
        assert!(departures.of(game, PlayerId(2)).next().is_none());
        departures.expire(at(5_000 + RETURN_MS + REMEMBER_MS - 1));
        assert_eq!(known(&departures).len(), 1);
        departures.expire(at(5_000 + RETURN_MS + REMEMBER_MS));
        assert!(known(&departures).is_empty());
    }
}
