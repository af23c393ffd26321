//! The audience of a game: connections that join and leave, what each of them receives, and the
//! audience at other nodes.
//!
//! An event is encoded once for all connections that use the full protocol. Players on the plain
//! protocol receive the few messages which that protocol has.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use castellan_game::{EndReason, Event, Game, GameId, Moment, PlayerId, Proposal};
use castellan_protocol::simple::{
    GameEnd, GameStart, ResponseToOffer, SimpleMove, SimpleServerMessage,
};
use castellan_protocol::{
    Level, Nothing, Presence, PresenceView, ServerCode, ServerMessage, Snapshot,
};
use castellan_rules::Color;

use super::super::connection::{Connection, ConnectionId, FollowError, Protocol};
use super::super::peers::RemoteAudience;
use super::super::reply::{RequestRef, encode, encode_simple};
use super::{Call, PeerUpdate, Room};
use crate::bus::{BusMessage, GamePresence};
use crate::clock::Arrival;
use crate::identity::Identity;

/// How long changes in the number of spectators are collected before they are sent.
const PRESENCE_DELAY_MS: u64 = 2_000;

/// A connection together with its user.
#[derive(Clone, Debug)]
pub(crate) struct Subscriber {
    /// The connection that messages are sent to.
    pub(crate) connection: Arc<Connection>,
    /// The user at the other end of the connection.
    pub(crate) who: Arc<Identity>,
}

impl Subscriber {
    /// Returns the ID under which the game knows this user.
    pub(crate) fn player(&self) -> PlayerId {
        self.who.player
    }

    /// Returns when the connection was opened.
    pub(super) fn opened(&self) -> Moment {
        self.connection.opened().map_or(Moment::default(), |opened| opened.at)
    }
}

/// The connections that follow a game.
#[derive(Debug)]
pub(super) struct Audience {
    subscribers: Vec<Subscriber>,
    /// Users who follow the game at other nodes.
    remote: RemoteAudience,
    /// When each color went away; `None` for a color that is present.
    away_since: [Option<Moment>; 2],
    /// When the newest connection of each color to this node was opened, even if it is closed by now.
    newest_opened: [Option<Moment>; 2],
}

impl Audience {
    /// Creates an empty audience whose players have been away since these moments.
    pub(super) fn new(away_since: [Option<Moment>; 2]) -> Audience {
        Audience {
            subscribers: Vec::new(),
            remote: RemoteAudience::default(),
            away_since,
            newest_opened: [None; 2],
        }
    }

    /// Returns when the last player went away, if no client follows the game at any node.
    pub(super) fn deserted_since(&self) -> Option<Moment> {
        let is_deserted = self.subscribers.is_empty() && self.remote == RemoteAudience::default();
        self.away_since.into_iter().flatten().max().filter(|_| is_deserted)
    }

    /// Removes a connection and returns `true` if it was there.
    fn remove(&mut self, connection: ConnectionId) -> bool {
        let before = self.subscribers.len();
        self.subscribers.retain(|subscriber| subscriber.connection.id() != connection);
        self.subscribers.len() < before
    }

    /// Removes the clients of the plain protocol, which has no messages for a finished game.
    /// Their connections keep the result, because clients may report it themselves.
    pub(super) fn remove_simple(&mut self, game: GameId, end: GameEnd) {
        self.subscribers.retain(|subscriber| {
            let stays = subscriber.connection.protocol() == Protocol::Full;
            if !stays {
                subscriber.connection.finish(game, end);
            }
            stays
        });
    }

    pub(super) fn has(&self, connection: ConnectionId) -> bool {
        self.subscribers.iter().any(|subscriber| subscriber.connection.id() == connection)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.subscribers.is_empty()
    }

    pub(super) fn subscribers(&self) -> &[Subscriber] {
        &self.subscribers
    }

    /// Sets the users who follow the game at other nodes, and returns `true` if that changed.
    pub(super) fn set_remote(&mut self, remote: RemoteAudience) -> bool {
        let has_changed = self.remote != remote;
        self.remote = remote;
        has_changed
    }

    /// Returns the players who are connected to this node.
    pub(super) fn players_here(&self, game: &Game) -> Vec<PlayerId> {
        let seats = Color::ALL.into_iter().filter_map(|color| game.seats().get(color));
        let is_here = |id: &PlayerId| self.subscribers.iter().any(|it| it.player() == *id);
        seats.map(|player| player.id).filter(is_here).collect()
    }

    /// Returns `true` if another node is in charge of the game: a player is connected there, and
    /// none is connected here.
    pub(super) fn is_played_elsewhere(&self, game: &Game) -> bool {
        !self.remote.players.is_empty() && self.players_here(game).is_empty()
    }

    /// Returns `true` if the player is connected to another node.
    pub(super) fn is_elsewhere(&self, player: PlayerId) -> bool {
        self.remote.players.contains_key(&player)
    }

    /// Returns when the newest connection of a player to this node was opened, if there is one.
    pub(super) fn newest_here(&self, player: PlayerId) -> Option<Moment> {
        let own = self.subscribers.iter().filter(|subscriber| subscriber.player() == player);
        own.map(Subscriber::opened).max()
    }

    /// Records a connection of a player to this node. Returns when the newest one before it was opened,
    /// even if it is closed by now.
    pub(super) fn note_opened(&mut self, color: Color, opened: Moment) -> Option<Moment> {
        let newest = &mut self.newest_opened[color.index()];
        let former = *newest;
        *newest = former.max(Some(opened));
        former
    }

    /// Returns the players who were connected to this node and have left it, each with the moment at
    /// which their newest connection was opened.
    fn former(&self, game: &Game) -> Vec<(PlayerId, Moment)> {
        let here = self.players_here(game);
        let opened = |color: Color| {
            let player = game.seats().get(color)?.id;
            self.newest_opened[color.index()].map(|opened| (player, opened))
        };
        Color::ALL.into_iter().filter_map(opened).filter(|(id, _)| !here.contains(id)).collect()
    }

    /// Returns when the newest connection of a player to another node was opened, if there is one.
    pub(super) fn newest_elsewhere(&self, player: PlayerId) -> Option<Moment> {
        self.remote.players.get(&player).copied()
    }

    /// Returns the number of spectators connected to this node.
    pub(super) fn watchers(&self, game: &Game) -> usize {
        self.subscribers.iter().filter(|it| !game.seats().is_seated(it.player())).count()
    }

    /// Refreshes presence and returns `true` if a player connected or disconnected since the last
    /// call.
    pub(super) fn refresh_presence(&mut self, game: &Game, now: Moment) -> bool {
        let mut has_changed = false;
        for color in Color::ALL {
            let is_here = self.is_here(game, color);
            let away_since = &mut self.away_since[color.index()];
            if is_here == away_since.is_some() {
                *away_since = if is_here { None } else { Some(now) };
                has_changed = true;
            }
        }
        has_changed
    }

    /// Returns when each color went away; `None` for a color that is present.
    pub(super) fn away_since(&self) -> [Option<Moment>; 2] {
        self.away_since
    }

    /// Returns presence as the protocol shows it.
    pub(super) fn presence(&self, game: &Game, abandoned_at: Option<Moment>) -> PresenceView {
        let [white, black] = self.away_since.map(|since| since.is_none());
        let watchers = u32::try_from(self.watchers(game)).unwrap_or(u32::MAX);
        let watchers = watchers.saturating_add(self.remote.watchers);
        PresenceView { white, black, watchers, abandoned_at }
    }

    fn is_here(&self, game: &Game, color: Color) -> bool {
        game.seats().get(color).is_some_and(|player| {
            Level::of_player(player.id).is_some()
                || self.subscribers.iter().any(|subscriber| subscriber.player() == player.id)
                || self.is_elsewhere(player.id)
        })
    }

    /// Sends a message to every connection that uses the full protocol.
    pub(super) fn broadcast(&self, message: &Utf8Bytes) {
        for subscriber in &self.subscribers {
            if subscriber.connection.protocol() == Protocol::Full {
                subscriber.connection.send(message.clone());
            }
        }
    }

    /// Sends an event to the players who use the plain protocol. `offer` is the color that had a
    /// draw offer open before the event.
    pub(super) fn broadcast_simple(&self, game: &Game, event: &Event, offer: Option<Color>) {
        for subscriber in &self.subscribers {
            if subscriber.connection.protocol() == Protocol::Simple
                && let Some(color) = game.seats().only_seat(subscriber.player())
            {
                let offer_was_mine = offer == Some(color);
                for message in to_simple(game, event, color, offer_was_mine) {
                    subscriber.connection.send(encode_simple(&message));
                }
            }
        }
    }
}

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
        received: Arrival,
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
        self.credit_wait(subscriber, received);
        self.ask_for_last_node(subscriber);
        self.note_notified();
        self.announce_change(change);
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
        self.audience.subscribers.push(subscriber.clone());
        Some(self.refresh_presence())
    }

    /// Adds a player who acts to the audience, so that they receive the result.
    pub(super) fn add_player(
        &mut self,
        subscriber: &Subscriber,
        request: RequestRef,
        received: Arrival,
    ) {
        let is_player = self.game.seats().is_seated(subscriber.player());
        if is_player && !self.audience.has(subscriber.connection.id()) {
            self.join(subscriber, request, None, received);
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

    /// Records which users are connected here and what the player to move is owed, and publishes it
    /// if it changed. Returns it, or `None` if there are no other nodes.
    pub(super) fn publish_presence(&self) -> Option<GamePresence> {
        if !self.shared.services.bus.is_joined() {
            return None;
        }
        let players = self.audience.players_here(&self.game);
        let connected = players.iter().filter_map(|player| self.audience.newest_here(*player));
        let presence = GamePresence {
            game: self.id,
            number: 0,
            version: self.game.version(),
            connected: connected.collect(),
            former: self.audience.former(&self.game),
            players,
            watchers: u32::try_from(self.audience.watchers(&self.game)).unwrap_or(u32::MAX),
            chat_hash: self.chat.last_hash(),
            rematch: self.rematch,
            turn: self.turn.version,
            credited_ms: self.turn.credited_ms,
            owed_ms: self.debt_ms(),
        };
        let (presence, is_urgent) = self.shared.peers.set_local(presence);
        if is_urgent {
            let games = vec![presence.clone()];
            self.shared.services.bus.publish(BusMessage::Games { games });
        }
        Some(presence)
    }

    /// Publishes that the game has a new version.
    pub(super) fn publish_version(&self) {
        let (game, version) = (self.id, self.game.version());
        self.shared.services.bus.publish(BusMessage::NewVersion { game, version });
    }

    /// Handles a rematch that started at another node: the players connected here join it.
    fn join_remote_rematch(&mut self, game: GameId) {
        self.rematch = Some(game);
        let subscribers = self.audience.subscribers().iter();
        for subscriber in subscribers.filter(|it| self.game.seats().is_seated(it.player())) {
            let (subscriber, request) = (subscriber.clone(), RequestRef::default());
            let received = self.arrival();
            self.shared.call(game, Call::Join { subscriber, request, since: None, received });
        }
        self.send_snapshot_to_watchers();
    }
}

/// Returns the message that starts a game for a player on the plain protocol.
fn game_start(game: &Game, color: Color) -> Option<SimpleServerMessage> {
    let opponent = game.seats().get(!color)?.name.parse().ok()?;
    Some(SimpleServerMessage::GameStart(GameStart { opponent, color }))
}

/// Translates an event that the game has just applied into plain protocol messages for one
/// player.
fn to_simple(
    game: &Game,
    event: &Event,
    color: Color,
    offer_was_mine: bool,
) -> Vec<SimpleServerMessage> {
    let answer = |accepted| SimpleServerMessage::ResponseToOffer(ResponseToOffer { accepted });
    match *event {
        // It is this player's turn, so the opponent has moved and thereby declined any draw
        // offer.
        Event::Moved { mv, .. } if game.line().turn() == color => {
            let mv = SimpleMove::from_uci(mv).map(SimpleServerMessage::MakeMove);
            offer_was_mine.then(|| answer(false)).into_iter().chain(mv).collect()
        }
        Event::Offered { by, what: Proposal::Draw } if by != color => {
            vec![SimpleServerMessage::DrawOffer(Nothing {})]
        }
        Event::Declined { by, what: Proposal::Draw } if by != color => vec![answer(false)],
        Event::Ended(end) => {
            let is_accepted = offer_was_mine && end.reason == EndReason::Agreement;
            let has_opponent_resigned =
                end.reason == EndReason::Resignation && end.winner == Some(color);
            let reason = if is_accepted {
                Some(answer(true))
            } else {
                has_opponent_resigned.then_some(SimpleServerMessage::Surrender(Nothing {}))
            };
            let end = SimpleServerMessage::GameEnd(GameEnd { winner: end.winner });
            reason.into_iter().chain([end]).collect()
        }
        Event::Seated { .. }
        | Event::Started {}
        | Event::Moved { .. }
        | Event::Touched { .. }
        | Event::Offered { .. }
        | Event::Declined { .. }
        | Event::TakenBack { .. }
        | Event::TimeAdded { .. }
        | Event::Resumed { .. }
        | Event::RematchAgreed {} => Vec::new(),
    }
}
