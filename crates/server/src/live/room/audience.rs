//! The connections that follow a game, each in its own protocol.
//!
//! This module is responsible for the list of connections, for what each of them receives, and
//! for player presence. An event is encoded once for all connections that use the full protocol.
//! Players on the plain protocol receive the few messages which that protocol has.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use castellan_game::{EndReason, Event, Game, GameId, Moment, PlayerId, Proposal};
use castellan_protocol::simple::{
    GameEnd, GameStart, ResponseToOffer, SimpleMove, SimpleServerMessage,
};
use castellan_protocol::{Level, Nothing, PresenceView};
use castellan_rules::Color;

use super::super::connection::{Connection, ConnectionId, Protocol};
use super::super::peers::RemoteAudience;
use super::super::reply::encode_simple;
use crate::identity::Identity;

/// A connection together with its user.
#[derive(Clone, Debug)]
pub(crate) struct Subscriber {
    /// The connection.
    pub(crate) connection: Arc<Connection>,
    /// The user at the other end of the connection.
    pub(crate) who: Arc<Identity>,
}

impl Subscriber {
    /// Returns the ID under which the game knows this user.
    pub(crate) fn player(&self) -> PlayerId {
        self.who.player
    }
}

/// The connections that follow a game.
#[derive(Debug)]
pub(crate) struct Audience {
    subscribers: Vec<Subscriber>,
    remote: RemoteAudience,
    away_since: [Option<Moment>; 2],
}

impl Audience {
    /// Creates an empty audience. Both players count as away since `now`.
    pub(crate) fn new(now: Moment) -> Audience {
        Audience {
            subscribers: Vec::new(),
            remote: RemoteAudience::default(),
            away_since: [Some(now); 2],
        }
    }

    /// Adds a connection and returns `true` if it was not there before.
    pub(crate) fn add(&mut self, subscriber: &Subscriber) -> bool {
        let is_new = !self.has(subscriber.connection.id());
        if is_new {
            self.subscribers.push(subscriber.clone());
        }
        is_new
    }

    /// Removes a connection and returns `true` if it was there.
    pub(crate) fn remove(&mut self, connection: ConnectionId) -> bool {
        let before = self.subscribers.len();
        self.subscribers.retain(|subscriber| subscriber.connection.id() != connection);
        self.subscribers.len() < before
    }

    /// Removes the clients of the plain protocol, which has no messages for a finished game.
    /// Their connections keep the result, because clients may report it themselves.
    pub(crate) fn remove_simple(&mut self, game: GameId, end: GameEnd) {
        self.subscribers.retain(|subscriber| {
            let stays = subscriber.connection.protocol() == Protocol::Full;
            if !stays {
                subscriber.connection.finish(game, end);
            }
            stays
        });
    }

    pub(crate) fn has(&self, connection: ConnectionId) -> bool {
        self.subscribers.iter().any(|subscriber| subscriber.connection.id() == connection)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.subscribers.is_empty()
    }

    pub(crate) fn subscribers(&self) -> &[Subscriber] {
        &self.subscribers
    }

    /// Sets the users who follow the game at other nodes, and returns `true` if that changed.
    pub(crate) fn set_remote(&mut self, remote: RemoteAudience) -> bool {
        let has_changed = self.remote != remote;
        self.remote = remote;
        has_changed
    }

    /// Returns the players who are connected to this node.
    pub(crate) fn players_here(&self, game: &Game) -> Vec<PlayerId> {
        let seats = Color::ALL.into_iter().filter_map(|color| game.seats().get(color));
        let is_here = |id: &PlayerId| self.subscribers.iter().any(|it| it.player() == *id);
        seats.map(|player| player.id).filter(is_here).collect()
    }

    /// Returns `true` if a player is connected to another node and no player is connected here.
    pub(crate) fn is_played_elsewhere(&self, game: &Game) -> bool {
        !self.remote.players.is_empty() && self.players_here(game).is_empty()
    }

    /// Returns `true` if the player is connected to another node.
    pub(crate) fn is_elsewhere(&self, player: PlayerId) -> bool {
        self.remote.players.contains(&player)
    }

    /// Returns the number of spectators connected to this node.
    pub(crate) fn watchers(&self, game: &Game) -> usize {
        self.subscribers.iter().filter(|it| !game.seats().is_seated(it.player())).count()
    }

    /// Refreshes presence and returns `true` if a player connected or disconnected since the last
    /// call.
    pub(crate) fn refresh_presence(&mut self, game: &Game, now: Moment) -> bool {
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
    pub(crate) fn away_since(&self) -> [Option<Moment>; 2] {
        self.away_since
    }

    /// Returns presence as the protocol shows it.
    pub(crate) fn presence(&self, game: &Game, abandoned_at: Option<Moment>) -> PresenceView {
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
    pub(crate) fn broadcast(&self, message: &Utf8Bytes) {
        for subscriber in &self.subscribers {
            if subscriber.connection.protocol() == Protocol::Full {
                subscriber.connection.send(message.clone());
            }
        }
    }

    /// Sends an event to the players who use the plain protocol. `offer` is the color that had a
    /// draw offer open before the event.
    pub(crate) fn broadcast_simple(&self, game: &Game, event: &Event, offer: Option<Color>) {
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

/// Returns the message that starts a game for a player on the plain protocol.
pub(crate) fn game_start(game: &Game, color: Color) -> Option<SimpleServerMessage> {
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
            let why = if is_accepted {
                Some(answer(true))
            } else {
                has_opponent_resigned.then_some(SimpleServerMessage::Surrender(Nothing {}))
            };
            let end = SimpleServerMessage::GameEnd(GameEnd { winner: end.winner });
            why.into_iter().chain([end]).collect()
        }
        _ => Vec::new(),
    }
}
