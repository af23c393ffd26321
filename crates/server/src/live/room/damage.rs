//! What a room does if the store cannot read its game, or does not have what the room has announced.
//!
//! The game cannot go on then, because no node could prove how it went. It is set aside: its players
//! are told, and no clock decides it.

use castellan_game::{End, EndReason, Event, Game};
use castellan_protocol::ServerCode;
use castellan_protocol::simple::{GameEnd, SimpleServerMessage};
use castellan_store::{Batch, StoreError, StoredGame};

use super::super::bus_events;
use super::super::connection::Protocol;
use super::super::damaged::Damage;
use super::super::reply::{RequestRef, encode_simple};
use super::Room;
use super::commands::{PersistError, summary};
use crate::bus::BusMessage;

impl Room {
    /// Returns `true` if a stored game begins with everything that the room has announced.
    pub(super) fn is_continued_by(&self, stored: &StoredGame) -> bool {
        let Some(known) = stored.events.get(..self.game.version() as usize) else { return false };
        let game = Game::replay(stored.settings.clone(), stored.created, known);
        game.is_ok_and(|game| {
            game.line().moves() == self.game.line().moves() && game.end() == self.game.end()
        })
    }

    /// Sets a game aside of which the store has lost events. What is left of it is aborted, because
    /// nobody can tell how it went on: otherwise it would be continued after a restart, and the
    /// player whose move is missing would lose on time.
    pub(super) async fn abort_in_store<T>(
        &mut self,
        stored: StoredGame,
    ) -> Result<T, PersistError> {
        let StoredGame { settings, created, events, .. } = stored;
        if let Ok(game) = Game::replay(settings, created, &events)
            && game.end().is_none()
        {
            let end = Event::Ended(End::without_winner(EndReason::Aborted));
            let recorded = game.record(vec![end], self.now());
            let finish = summary(&game, &recorded);
            let batch = Batch { finish, ..Batch::new(self.id, recorded) };
            match self.shared.services.store.append(batch).await {
                // Another node may have noticed it first.
                Ok(()) | Err(StoreError::Conflict { .. } | StoreError::AlreadyFinished { .. }) => {}
                Err(error) => return self.mark_out_of_sync(&error),
            }
        }
        bus_events::publish_repeatedly(&self.shared, BusMessage::LostEvents { game: self.id });
        let (left, announced) = (events.len(), self.game.version());
        let why = format!("of {announced} events that were announced, it has {left} or others");
        Err(self.set_aside(Damage::Incomplete, why))
    }

    pub(super) fn set_aside(
        &mut self,
        damage: Damage,
        why: impl core::fmt::Display,
    ) -> PersistError {
        self.gone = Some(ServerCode::DamagedGame);
        self.shared.damaged.add(self.id, damage, why);
        PersistError::Damaged
    }

    /// Compares the game with the store, because another node has found that events are missing.
    pub(super) async fn compare_with_store(&mut self) {
        if let Err(PersistError::OutOfSync) = self.reload().await {
            self.is_in_sync = false;
        }
    }

    /// Tells everybody why the game is gone. Their connections stay open for other games.
    pub(super) fn close_gone(mut self, why: ServerCode) {
        while let Ok(call) = self.inbox.try_recv() {
            call.refuse(why);
        }
        let no_winner = GameEnd { winner: None };
        for subscriber in self.audience.subscribers() {
            let connection = &subscriber.connection;
            RequestRef::watching(self.id).refuse(connection, why);
            if connection.protocol() == Protocol::Simple {
                connection.send(encode_simple(&SimpleServerMessage::GameEnd(no_winner)));
            }
            connection.unfollow(self.id);
        }
        self.audience.remove_simple(self.id, no_winner);
        if self.game.end().is_none() {
            self.deregister();
        }
        self.shared.peers.remove_local(self.id);
    }
}
