//! Players whose node died: when each of them got their game back, and which nodes could know that
//! they were on the way.
//!
//! No law demands that a node knows what no message has told it, so this module reads the messages on
//! the bus as well.

use std::collections::BTreeMap;

use castellan_game::{GameId, PlayerId};

use super::laws::{LinkRef, Period};
use crate::bus::{BusMessage, Envelope};

/// Longest time for which a player on the way from a dead node is not charged.
const RETURN_MS: u64 = 20_000;

/// A player whose node died.
#[derive(Clone, Copy, Debug)]
struct Orphan {
    player: usize,
    /// The connection to the dead node.
    link: LinkRef,
    died_ms: u64,
}

/// A run that receives messages of another one.
type Route = (usize, usize);

/// A player of a game whose turn is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mover {
    pub(super) game: GameId,
    pub(super) player: usize,
    pub(super) id: PlayerId,
}

/// Everything that is known about players whose node died.
#[derive(Debug, Default)]
pub(super) struct Orphans {
    orphans: Vec<Orphan>,
    /// The connections on which each player was sent each game, and when that was first.
    joined: BTreeMap<(usize, GameId), Vec<(LinkRef, u64)>>,
    /// When the last message that arrived on each route was sent.
    signs: BTreeMap<Route, u64>,
    /// The reports on each route that name a player of a game: when each was sent, and when it arrived.
    reports: BTreeMap<(Route, GameId, PlayerId), Vec<Period>>,
}

impl Orphans {
    /// Records that a game was sent to a player.
    pub(super) fn joined(&mut self, player: usize, link: LinkRef, game: GameId, now_ms: u64) {
        let joined = self.joined.entry((player, game)).or_default();
        if !joined.iter().any(|(known, _)| *known == link) {
            joined.push((link, now_ms));
        }
    }

    /// Returns when a game was first sent to a player on a connection, if it was.
    pub(super) fn joined_ms(&self, player: usize, link: LinkRef, game: GameId) -> Option<u64> {
        let mut joined = self.joined.get(&(player, game))?.iter();
        joined.find(|(known, _)| *known == link).map(|(_, at_ms)| *at_ms)
    }

    /// Records that the node of a player died.
    pub(super) fn lost(&mut self, player: usize, link: LinkRef, died_ms: u64) {
        self.orphans.push(Orphan { player, link, died_ms });
    }

    /// Records that a message has arrived.
    pub(super) fn heard(&mut self, route: Route, bytes: &[u8], (sent_ms, now_ms): Period) {
        let sign_ms = self.signs.entry(route).or_default();
        *sign_ms = sent_ms.max(*sign_ms);
        let message = Envelope::decode(bytes).map(|envelope| envelope.message);
        let Some(BusMessage::Games { games }) = message else { return };
        for presence in games {
            for id in presence.players {
                let reports = self.reports.entry((route, presence.game, id)).or_default();
                reports.push((sent_ms, now_ms));
            }
        }
    }

    /// Returns when a player was last on the way from a dead node, as far as a run can know it by
    /// `now_ms`: from the death until the run sent them the game. `None` if that was another run.
    pub(super) fn way(&self, mover: Mover, run: usize, now_ms: u64) -> Option<Period> {
        let Mover { game, player, id } = mover;
        let of_player = |it: &&Orphan| it.player == player && it.died_ms <= now_ms;
        let Orphan { link, died_ms, .. } = *self.orphans.iter().rfind(of_player)?;
        let joined_ms = self.joined_ms(player, link, game)?;
        let mut joined = self.joined.get(&(player, game))?.iter();
        let back = joined.find(|(_, at_ms)| *at_ms >= died_ms);
        if back.is_some_and(|(link, _)| link.run != run) {
            return None;
        }
        let back_ms = back.map_or(now_ms, |(_, at_ms)| *at_ms);
        let route = (run, link.run);
        let reports = self.reports.get(&(route, game, id))?;
        reports.iter().find(|(sent_ms, at_ms)| *sent_ms >= joined_ms && *at_ms <= back_ms)?;
        let until_ms = self.signs.get(&route)? + RETURN_MS;
        Some((died_ms, back_ms.min(until_ms)))
    }
}
