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

use super::super::link::{Dialect, Link, LinkId};
use super::super::nodes::Elsewhere;
use super::super::reply::encode_simple;
use crate::identity::Identity;

/// A connection together with its user.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    /// The connection.
    pub(crate) link: Arc<Link>,
    /// The user at the other end of the connection.
    pub(crate) who: Arc<Identity>,
}

impl Visitor {
    /// Returns the ID under which the game knows this user.
    pub(crate) fn player(&self) -> PlayerId {
        self.who.player
    }
}

/// The connections that follow a game.
#[derive(Debug)]
pub(crate) struct Audience {
    visitors: Vec<Visitor>,
    elsewhere: Elsewhere,
    away_since: [Option<Moment>; 2],
}

impl Audience {
    /// Creates an empty audience. Both players count as away since `now`.
    pub(crate) fn new(now: Moment) -> Audience {
        let elsewhere = Elsewhere::default();
        Audience { visitors: Vec::new(), elsewhere, away_since: [Some(now); 2] }
    }

    /// Adds a connection and returns `true` if it was not there before.
    pub(crate) fn add(&mut self, visitor: &Visitor) -> bool {
        let is_new = !self.has(visitor.link.id());
        if is_new {
            self.visitors.push(visitor.clone());
        }
        is_new
    }

    /// Removes a connection and returns `true` if it was there.
    pub(crate) fn remove(&mut self, link: LinkId) -> bool {
        let before = self.visitors.len();
        self.visitors.retain(|visitor| visitor.link.id() != link);
        self.visitors.len() < before
    }

    /// Removes the clients of the plain protocol, which has no messages for a finished game.
    /// Their links keep the result, because clients may report it themselves.
    pub(crate) fn dismiss_simple(&mut self, game: GameId, end: GameEnd) {
        self.visitors.retain(|visitor| {
            let stays = visitor.link.dialect() == Dialect::Full;
            if !stays {
                visitor.link.finish(game, end);
            }
            stays
        });
    }

    pub(crate) fn has(&self, link: LinkId) -> bool {
        self.visitors.iter().any(|visitor| visitor.link.id() == link)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.visitors.is_empty()
    }

    pub(crate) fn visitors(&self) -> &[Visitor] {
        &self.visitors
    }

    /// Sets the users who follow the game at other nodes, and returns `true` if that changed.
    pub(crate) fn set_elsewhere(&mut self, elsewhere: Elsewhere) -> bool {
        let has_changed = self.elsewhere != elsewhere;
        self.elsewhere = elsewhere;
        has_changed
    }

    /// Returns the players who are connected to this node.
    pub(crate) fn players_here(&self, game: &Game) -> Vec<PlayerId> {
        let seats = Color::ALL.into_iter().filter_map(|color| game.seats().get(color));
        let is_here = |id: &PlayerId| self.visitors.iter().any(|it| it.player() == *id);
        seats.map(|player| player.id).filter(is_here).collect()
    }

    /// Returns `true` if a player is connected to another node and no player is connected here.
    pub(crate) fn is_played_elsewhere(&self, game: &Game) -> bool {
        !self.elsewhere.players.is_empty() && self.players_here(game).is_empty()
    }

    /// Returns `true` if the player is connected to another node.
    pub(crate) fn is_elsewhere(&self, player: PlayerId) -> bool {
        self.elsewhere.players.contains(&player)
    }

    /// Returns the number of spectators connected to this node.
    pub(crate) fn watchers(&self, game: &Game) -> usize {
        self.visitors.iter().filter(|it| !game.seats().is_seated(it.player())).count()
    }

    /// Refreshes presence and returns `true` if a player connected or disconnected since the last
    /// call.
    pub(crate) fn take_attendance(&mut self, game: &Game, now: Moment) -> bool {
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
        let watchers = watchers.saturating_add(self.elsewhere.watchers);
        PresenceView { white, black, watchers, abandoned_at }
    }

    fn is_here(&self, game: &Game, color: Color) -> bool {
        game.seats().get(color).is_some_and(|player| {
            Level::of_player(player.id).is_some()
                || self.visitors.iter().any(|visitor| visitor.player() == player.id)
                || self.is_elsewhere(player.id)
        })
    }

    /// Sends a message to every connection that uses the full protocol.
    pub(crate) fn say(&self, message: &Utf8Bytes) {
        for visitor in &self.visitors {
            if visitor.link.dialect() == Dialect::Full {
                visitor.link.say(message.clone());
            }
        }
    }

    /// Sends an event to the players who use the plain protocol. `offer` is the color that had a
    /// draw offer open before the event.
    pub(crate) fn say_simply(&self, game: &Game, event: &Event, offer: Option<Color>) {
        for visitor in &self.visitors {
            if visitor.link.dialect() == Dialect::Simple
                && let Some(color) = game.seats().only_seat(visitor.player())
            {
                let offer_was_mine = offer == Some(color);
                for message in simply(game, event, color, offer_was_mine) {
                    visitor.link.say(encode_simple(&message));
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
fn simply(
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
