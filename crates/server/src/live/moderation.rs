//! The effects of moderation on running games and open connections.
//!
//! Other nodes learn of a change of the policy over the bus, and from the store with every
//! heartbeat. Invariant: once a ban is in the policy, no connection of its target starts anything.

use std::sync::Arc;

use castellan_game::{GameId, PlayerId};
use castellan_protocol::{Announcement, ErrorReport, ServerCode, ServerMessage};
use castellan_store::StoreError;

use super::bus_events::publish_repeatedly;
use super::connection::{CloseReason, Connection, Protocol};
use super::hub::{Hub, Shared};
use super::reply::{encode, send_simple_error};
use super::room::{CHAT_HISTORY, Call};
use crate::bus::BusMessage;
use crate::identity::Identity;
use crate::moderation::{BanNotice, Visitor};

impl Hub {
    /// Reads the bans and the mode of registration again, closes the connections of everyone who is
    /// banned, and tells the other nodes.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub async fn policy_changed(&self) -> Result<(), StoreError> {
        refresh_policy(self.shared()).await?;
        publish_repeatedly(self.shared(), BusMessage::PolicyChanged {});
        Ok(())
    }

    /// Ends the running games of a player: they are aborted if that is still possible, and otherwise
    /// the player resigns.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub async fn forfeit_games(&self, player: PlayerId) -> Result<(), StoreError> {
        for game in self.shared().services.store.unfinished_of(player).await? {
            self.shared().call(game, Call::Forfeit(player));
        }
        Ok(())
    }

    /// Shows a message to everyone who is connected. Returns the number of clients at this node that
    /// receive it.
    pub fn announce(&self, text: &str) -> usize {
        self.shared().services.bus.publish(BusMessage::Announcement { text: text.to_owned() });
        announce(self.shared(), text)
    }

    /// Reads the chat of a game again, because lines were deleted.
    pub fn forget_chat(&self, game: GameId) {
        publish_repeatedly(self.shared(), BusMessage::ChatDeleted { game });
        reload_chat(self.shared(), game);
    }

    /// Closes the room of a game that was deleted, so that no client can see it any longer.
    pub fn forget_game(&self, game: GameId) {
        publish_repeatedly(self.shared(), BusMessage::GameDeleted { game });
        close_deleted(self.shared(), game);
    }

    /// Returns the number of open connections.
    pub fn connection_count(&self) -> usize {
        self.shared().connections.all().len()
    }
}

/// Reads the policy again and enforces it at this node.
pub(crate) async fn refresh_policy(shared: &Shared) -> Result<(), StoreError> {
    let services = &shared.services;
    services.policy.refresh(&*services.store, services.clock.now()).await?;
    for (connection, who) in shared.connections.identified() {
        if let Some(ban) = ban_of(shared, &who, &connection) {
            close_banned(&connection, &ban);
        }
    }
    Ok(())
}

/// Returns the ban that keeps a connected user out, if there is one.
pub(crate) fn ban_of(
    shared: &Shared,
    who: &Identity,
    connection: &Connection,
) -> Option<BanNotice> {
    let visitor =
        Visitor { player: Some(who.player), name: Some(&who.name), address: connection.peer() };
    shared.services.policy.ban_of(visitor, shared.services.clock.now())
}

/// Tells a client why it is banned, and closes its connection.
pub(crate) fn close_banned(connection: &Connection, ban: &BanNotice) {
    let message = ban.to_string();
    match connection.protocol() {
        Protocol::Full => {
            let error = ErrorReport { code: ServerCode::Banned.into(), message, at: None };
            connection.send(encode(&ServerMessage::Error(error)));
        }
        Protocol::Simple => send_simple_error(connection, message),
    }
    connection.close(CloseReason::Banned);
}

/// Sends a message to all clients of the full protocol at this node. Returns how many.
pub(crate) fn announce(shared: &Shared, text: &str) -> usize {
    let text = text.to_owned();
    let message = encode(&ServerMessage::Announcement(Announcement { text }));
    let all = shared.connections.identified().into_iter().map(|(connection, _)| connection);
    all.filter(|it| it.protocol() == Protocol::Full && it.send(message.clone())).count()
}

/// Closes the room of a deleted game, if it has one at this node.
pub(crate) fn close_deleted(shared: &Shared, game: GameId) {
    shared.damaged.forget(game);
    if let Some(sender) = shared.rooms.get(game) {
        shared.tasks.spawn(async move {
            // A room that has closed in the meantime needs no telling.
            let _ = sender.send(Call::Deleted).await;
        });
    }
}

/// Gives the room of a game its chat as it is in the store.
pub(crate) fn reload_chat(shared: &Arc<Shared>, game: GameId) {
    let Some(sender) = shared.rooms.get(game) else { return };
    let services = Arc::clone(&shared.services);
    shared.tasks.spawn(async move {
        match services.store.chat(game, CHAT_HISTORY).await {
            Ok(lines) => drop(sender.send(Call::ChatReplaced(lines)).await),
            Err(error) => tracing::warn!(%game, "the chat could not be read again: {error}"),
        }
    });
}
