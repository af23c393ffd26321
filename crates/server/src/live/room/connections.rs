//! The audience of a game: connections that join and leave, what a connection receives when it
//! joins, and the audience at other nodes.

use std::sync::Arc;

use castellan_game::{GameId, Moment, Player};
use castellan_protocol::{Level, Presence, ServerCode, ServerMessage, Snapshot};

use super::super::connection::{ConnectionId, FollowError, Protocol};
use super::super::reply::{RequestRef, encode, encode_simple};
use super::audience::{Subscriber, game_start};
use super::chat::CHAT_HISTORY;
use super::{Call, PeerUpdate, Room};
use crate::bus::{BusMessage, GamePresence};
use crate::identity::Identity;

/// How long changes in the number of spectators are collected before they are sent.
const PRESENCE_DELAY_MS: u64 = 2_000;

/// Change in the audience.
#[derive(Clone, Copy)]
enum AudienceChange {
    /// No change.
    None,
    /// A player became present or absent.
    Player,
    /// A spectator, or one of several connections of a player, came or went.
    Watcher,
}

impl Room {
    /// Lets a client follow the game. Sends the events that it missed if they are available, and
    /// the whole game otherwise.
    pub(super) fn join(
        &mut self,
        subscriber: &Subscriber,
        request: RequestRef,
        since: Option<u32>,
    ) {
        self.begin_turn_of(subscriber, request);
        if since.is_some_and(|version| version > self.game.version()) {
            // Another node told the client more before it died, so the room reads the store again.
            self.is_in_sync = false;
        }
        let Some(change) = self.add_subscriber(subscriber, request) else { return };
        match subscriber.connection.protocol() {
            Protocol::Simple => {
                let color = self.game.seats().only_seat(subscriber.player());
                let start = color.and_then(|color| game_start(&self.game, color));
                if let Some(start) = start {
                    subscriber.connection.send(encode_simple(&start));
                }
            }
            Protocol::Full => {
                if !since.is_some_and(|version| self.send_missed(subscriber, version)) {
                    self.send_snapshot(subscriber);
                }
                self.send_chat_history(subscriber);
            }
        }
        self.announce_change(change);
    }

    /// Begins the turn of a player who did not ask for the game and learns of it only now, because
    /// it started at another node. However long that took, it is not charged.
    fn begin_turn_of(&mut self, subscriber: &Subscriber, request: RequestRef) {
        let player = subscriber.player();
        let is_mover = self.game.is_running()
            && self.game.seats().has(self.game.line().turn(), player)
            && !self.audience.players_here(&self.game).contains(&player)
            && !self.audience.is_elsewhere(player);
        if request.is_from_client() || !is_mover {
            return;
        }
        let now = self.arrival();
        match self.game.turn_since() {
            Some(since) => self.credit.begin_turn(since, now),
            None => self.turn_since = now.at,
        }
    }

    /// Adds a connection to the audience and returns the change. `None` if a limit was reached or
    /// the connection is closed.
    fn add_subscriber(
        &mut self,
        subscriber: &Subscriber,
        request: RequestRef,
    ) -> Option<AudienceChange> {
        if self.audience.has(subscriber.connection.id()) {
            return Some(AudienceChange::None);
        }
        let max_watchers = self.shared.services.config.live.max_watchers_per_game;
        let is_player = self.game.seats().is_seated(subscriber.player());
        if !is_player && self.audience.watchers(&self.game) >= max_watchers {
            request.refuse(&subscriber.connection, ServerCode::TooMany);
            return None;
        }
        match subscriber.connection.follow(self.id) {
            Ok(()) => {}
            Err(FollowError::Closed) => return None,
            Err(FollowError::TooManyGames) => {
                request.refuse(&subscriber.connection, ServerCode::TooMany);
                return None;
            }
        }
        self.audience.add(subscriber);
        Some(self.refresh_presence())
    }

    /// Adds a player who acts to the audience, so that they receive the result.
    pub(super) fn add_player(&mut self, subscriber: &Subscriber, request: RequestRef) {
        let is_player = self.game.seats().is_seated(subscriber.player());
        if is_player && !self.audience.has(subscriber.connection.id()) {
            self.join(subscriber, request, None);
        }
    }

    /// Removes a connection from the audience.
    pub(super) fn leave(&mut self, connection: ConnectionId) {
        let left = self.audience.subscribers().iter().find(|it| it.connection.id() == connection);
        if let Some(subscriber) = left {
            subscriber.connection.unfollow(self.id);
        }
        if self.audience.remove(connection) {
            let change = self.refresh_presence();
            self.announce_change(change);
        }
    }

    /// Refreshes which users follow the game at other nodes, and sends presence if that changed.
    pub(super) fn refresh_audience(&mut self) {
        let elsewhere = self.shared.peers.remote_audience(self.id);
        if self.audience.set_remote(elsewhere) {
            let change = self.refresh_presence();
            self.announce_change(change);
        }
    }

    fn refresh_presence(&mut self) -> AudienceChange {
        let now = self.arrival();
        match self.audience.refresh_presence(&self.game, now.at) {
            true => {
                self.stalled_ms = now.stalled_ms;
                AudienceChange::Player
            }
            false => AudienceChange::Watcher,
        }
    }

    /// Sends presence at once when a player connects or disconnects, and after a delay when only
    /// the number of spectators changed.
    fn announce_change(&mut self, change: AudienceChange) {
        match change {
            AudienceChange::None => {}
            AudienceChange::Player => self.send_presence(),
            AudienceChange::Watcher => {
                let soon = self.now().plus_ms(PRESENCE_DELAY_MS);
                self.presence_at.get_or_insert(soon);
            }
        }
    }

    pub(super) fn send_presence(&mut self) {
        self.presence_at = None;
        let presence = self.audience.presence(&self.game, self.abandoned_at());
        let message = ServerMessage::Presence(Presence { game: self.id, presence });
        self.audience.broadcast(&encode(&message));
    }

    fn abandoned_at(&self) -> Option<Moment> {
        self.local_abandonment().map(|(at, _)| at)
    }

    fn send_snapshot(&self, subscriber: &Subscriber) {
        let mut snapshot = Snapshot::of(self.id, &self.game, Some(subscriber.player()), self.now());
        snapshot.clocks = self.clocks(self.arrival());
        snapshot.presence = self.audience.presence(&self.game, self.abandoned_at());
        snapshot.level = self.engine_color().and_then(|color| {
            self.game.seats().get(color).and_then(|player| Level::of_player(player.id))
        });
        snapshot.rematch_of = self.rematch_of;
        snapshot.rematch = self.rematch;
        subscriber.connection.send(encode(&ServerMessage::Game(Box::new(snapshot))));
    }

    /// Sends the whole game again to spectators when it has a rematch, because a rematch's ID is
    /// not part of an event.
    pub(super) fn send_snapshot_to_watchers(&self) {
        let is_watcher = |it: &&Subscriber| !self.game.seats().is_seated(it.player());
        self.audience.subscribers().iter().filter(is_watcher).for_each(|it| self.send_snapshot(it));
    }

    /// Sends the events after a version, if all of them are available. A client that has every
    /// event receives the last one again, which confirms that it is up to date.
    fn send_missed(&self, subscriber: &Subscriber, version: u32) -> bool {
        let first = version.min(self.game.version().saturating_sub(1)) + 1;
        let is_at_hand = self.recent.front().is_some_and(|(oldest, _)| *oldest <= first);
        if version > self.game.version() || !is_at_hand {
            return false;
        }
        for (_, message) in self.recent.iter().filter(|(version, _)| *version >= first) {
            subscriber.connection.send(message.clone());
        }
        true
    }

    /// Sends the last event to a client whose repeated command had no effect, if it is available.
    pub(super) fn send_last_event(&self, subscriber: &Subscriber) {
        if let Some((_, message)) = self.recent.back() {
            subscriber.connection.send(message.clone());
        }
    }
}

/// The same game at other nodes.
impl Room {
    /// Handles a peer's announcement that it has newer state, or that users connected or
    /// disconnected there.
    pub(super) fn apply_peer_update(&mut self, update: PeerUpdate) {
        let PeerUpdate { version, chat_hash, rematch } = update;
        if let Some(game) = rematch.filter(|_| self.rematch.is_none()) {
            self.join_remote_rematch(game);
        }
        if version > self.game.version() {
            self.is_in_sync = false;
        }
        if chat_hash.is_some_and(|hash| !self.chat.knows(hash)) {
            self.fetch_chat();
        }
        self.refresh_audience();
    }

    /// Reads the most recent chat lines in a separate task, so that the game does not wait for
    /// them.
    fn fetch_chat(&self) {
        let (services, sender) = (Arc::clone(&self.shared.services), self.sender.clone());
        let id = self.id;
        self.shared.tasks.spawn(async move {
            match services.store.chat(id, CHAT_HISTORY).await {
                // A room that has closed in the meantime needs no chat.
                Ok(lines) => drop(sender.send(Call::ChatLoaded(lines)).await),
                Err(error) => tracing::warn!(game = %id, "the chat could not be loaded: {error}"),
            }
        });
    }

    /// Records who is connected here, and publishes it if it changed.
    pub(super) fn publish_presence(&self) {
        if !self.shared.services.bus.is_joined() {
            return;
        }
        let presence = GamePresence {
            game: self.id,
            version: self.game.version(),
            players: self.audience.players_here(&self.game),
            watchers: u32::try_from(self.audience.watchers(&self.game)).unwrap_or(u32::MAX),
            chat_hash: self.chat.last_hash(),
            rematch: self.rematch,
        };
        if self.shared.peers.set_local(presence.clone()) {
            self.shared.services.bus.publish(BusMessage::Games { games: vec![presence] });
        }
    }

    /// Publishes that the game has a new version.
    pub(super) fn publish_version(&self) {
        let (game, version) = (self.id, self.game.version());
        self.shared.services.bus.publish(BusMessage::NewVersion { game, version });
    }

    /// Returns the identity of a player who has just agreed to a rematch and is not connected
    /// here, and so must be connected to another node.
    pub(super) fn remote_player(&self, player: &Player) -> Option<Arc<Identity>> {
        if !self.shared.services.bus.is_joined() {
            return None;
        }
        // Only account holders have a rating in their seat.
        let (name, is_account) = (player.name.clone(), player.rating.is_some());
        Some(Arc::new(Identity { player: player.id, name, is_account, session: None }))
    }

    /// Handles a rematch that started at another node: the players connected here join it.
    fn join_remote_rematch(&mut self, game: GameId) {
        self.rematch = Some(game);
        let subscribers = self.audience.subscribers().iter();
        for subscriber in subscribers.filter(|it| self.game.seats().is_seated(it.player())) {
            let (subscriber, request) = (subscriber.clone(), RequestRef::default());
            self.shared.call(game, Call::Join { subscriber, request, since: None });
        }
        self.send_snapshot_to_watchers();
    }

    /// Returns `true` if another node is in charge of the game: a player is there, and none is
    /// here.
    pub(super) fn is_played_elsewhere(&self) -> bool {
        self.audience.is_played_elsewhere(&self.game)
    }
}
