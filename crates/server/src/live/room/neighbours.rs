//! The same game at other nodes: what this room tells its peers, and how it reacts to their
//! messages.

use std::sync::Arc;

use castellan_game::{GameId, Moment, Player};
use castellan_rules::Color;

use super::super::reply::Asked;
use super::patience::abandonment;
use super::talk::REMEMBERED;
use super::{Call, Hint, Room};
use crate::bus::{Attendance, News};
use crate::identity::Identity;

impl Room {
    /// Handles a peer's announcement that it has newer state, or that users connected or
    /// disconnected there.
    pub(super) fn hear_of(&mut self, hint: Hint) {
        let Hint { version, said, rematch } = hint;
        if let Some(game) = rematch.filter(|_| self.rematch.is_none()) {
            self.rematched_elsewhere(game);
        }
        if version > self.game.version() {
            self.is_sure = false;
        }
        if said.is_some_and(|mark| !self.talk.knows(mark)) {
            self.fetch_talk();
        }
        self.look_around();
    }

    /// Reads the most recent chat lines in a separate task, so that the game does not wait for
    /// them.
    fn fetch_talk(&self) {
        let Some(tag) = self.shared.tasks.tag() else { return };
        let (services, door) = (Arc::clone(&self.shared.services), self.door.clone());
        let id = self.id;
        tokio::spawn(async move {
            match services.store.chat(id, REMEMBERED).await {
                // A room that has closed in the meantime needs no chat.
                Ok(lines) => drop(door.send(Call::Recalled(lines)).await),
                Err(error) => tracing::warn!(game = %id, "the chat could not be loaded: {error}"),
            }
            drop(tag);
        });
    }

    /// Records who is connected here, and publishes it if it changed.
    pub(super) fn tell_nodes(&self) {
        if !self.shared.services.bus.is_joined() {
            return;
        }
        let attendance = Attendance {
            game: self.id,
            version: self.game.version(),
            players: self.audience.players_here(&self.game),
            watchers: u32::try_from(self.audience.watchers(&self.game)).unwrap_or(u32::MAX),
            said: self.talk.last_mark(),
            rematch: self.rematch,
        };
        if self.shared.nodes.tell_here(attendance.clone()) {
            self.shared.services.bus.tell(News::Games { games: vec![attendance] });
        }
    }

    /// Publishes that the game has a new version.
    pub(super) fn tell_kept(&self) {
        let (game, version) = (self.id, self.game.version());
        self.shared.services.bus.tell(News::Kept { game, version });
    }

    /// Returns the identity of a player who has just agreed to a rematch and is not connected
    /// here, and so must be connected to another node.
    pub(super) fn player_elsewhere(&self, player: &Player) -> Option<Arc<Identity>> {
        if !self.shared.services.bus.is_joined() {
            return None;
        }
        // Only account holders have a rating in their seat.
        let (name, is_account) = (player.name.clone(), player.rating.is_some());
        Some(Arc::new(Identity { player: player.id, name, is_account, session: None }))
    }

    /// Handles a rematch that started at another node: the players connected here join it.
    fn rematched_elsewhere(&mut self, game: GameId) {
        self.rematch = Some(game);
        let visitors = self.audience.visitors().iter();
        for visitor in visitors.filter(|it| self.game.seats().is_seated(it.player())) {
            let (visitor, asked) = (visitor.clone(), Asked::default());
            self.shared.call(game, Call::Join { visitor, asked, since: None });
        }
        self.tell_watchers();
    }

    /// Returns `true` if another node is in charge of the game: a player is there, and none is
    /// here.
    pub(super) fn is_played_elsewhere(&self) -> bool {
        self.audience.is_played_elsewhere(&self.game)
    }

    /// Returns when to check again whether other nodes can be reached.
    pub(super) fn informed_at(&self) -> Option<Moment> {
        let bus = &self.shared.services.bus;
        let gone_ms = bus.pace().gone_ms();
        (self.game.is_running() && !bus.is_informed()).then(|| self.now().plus_ms(gone_ms))
    }

    /// Returns when a player counts as having abandoned the game, and which color. `None` while
    /// other nodes cannot be reached, because the player may be connected there.
    pub(super) fn abandonment(&self) -> Option<(Moment, Color)> {
        if !self.shared.services.bus.is_informed() {
            return None;
        }
        self.patience()
    }

    /// Returns the same without checking whether other nodes can be reached. Time in which this
    /// process was stalled does not count, because no player could reconnect then.
    pub(super) fn patience(&self) -> Option<(Moment, Color)> {
        let (at, color) = abandonment(&self.game, self.audience.away_since())?;
        let stalled_ms = self.arrival().stalled_ms.saturating_sub(self.stalled_ms);
        Some((at.plus_ms(stalled_ms), color))
    }
}
