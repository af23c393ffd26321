//! Who follows a game, each in the language of his socket.
//!
//! Owns: the list, what each hears, and who is present. An event is written once for all who
//! speak the full protocol; players of the plain one get the few messages that it has.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use castellan_game::{EndReason, Event, Game, GameId, Moment, PlayerId, Proposal};
use castellan_protocol::simple::{
    GameEnd, GameStart, ResponseToOffer, SimpleMove, SimpleServerMessage,
};
use castellan_protocol::{Nothing, PresenceView};
use castellan_rules::Color;

use super::super::engines;
use super::super::link::{Dialect, Link, LinkId};
use super::super::nodes::Elsewhere;
use super::super::reply::encode_simple;
use crate::identity::Identity;

/// Somebody at a socket.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    /// The socket.
    pub(crate) link: Arc<Link>,
    /// Who.
    pub(crate) who: Arc<Identity>,
}

impl Visitor {
    /// The visitor as the game knows him.
    pub(crate) fn player(&self) -> PlayerId {
        self.who.player
    }
}

/// Who follows a game.
#[derive(Debug)]
pub(crate) struct Audience {
    visitors: Vec<Visitor>,
    elsewhere: Elsewhere,
    away_since: [Option<Moment>; 2],
}

impl Audience {
    /// Nobody has been here since this moment.
    pub(crate) fn new(now: Moment) -> Audience {
        let elsewhere = Elsewhere::default();
        Audience { visitors: Vec::new(), elsewhere, away_since: [Some(now); 2] }
    }

    /// Lets somebody in; whether he was not there before.
    pub(crate) fn add(&mut self, visitor: &Visitor) -> bool {
        let is_new = !self.has(visitor.link.id());
        if is_new {
            self.visitors.push(visitor.clone());
        }
        is_new
    }

    /// Lets somebody out; whether he was there.
    pub(crate) fn remove(&mut self, link: LinkId) -> bool {
        let before = self.visitors.len();
        self.visitors.retain(|visitor| visitor.link.id() != link);
        self.visitors.len() < before
    }

    /// Removes the clients of the plain protocol, which has no messages for a game that is over.
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

    /// Who is at other nodes; whether that has changed.
    pub(crate) fn set_elsewhere(&mut self, elsewhere: Elsewhere) -> bool {
        let has_changed = self.elsewhere != elsewhere;
        self.elsewhere = elsewhere;
        has_changed
    }

    /// Those of the players who are here.
    pub(crate) fn players_here(&self, game: &Game) -> Vec<PlayerId> {
        let seats = Color::ALL.into_iter().filter_map(|color| game.seats().get(color));
        let is_here = |id: &PlayerId| self.visitors.iter().any(|it| it.player() == *id);
        seats.map(|player| player.id).filter(is_here).collect()
    }

    /// Whether some player is at another node and none is here.
    pub(crate) fn is_played_elsewhere(&self, game: &Game) -> bool {
        !self.elsewhere.players.is_empty() && self.players_here(game).is_empty()
    }

    /// Whether a player is at another node.
    pub(crate) fn is_elsewhere(&self, player: PlayerId) -> bool {
        self.elsewhere.players.contains(&player)
    }

    /// How many follow here without a seat.
    pub(crate) fn watchers(&self, game: &Game) -> usize {
        self.visitors.iter().filter(|it| !game.seats().is_seated(it.player())).count()
    }

    /// Looks who is there; whether a player has come or gone since the last look.
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

    /// Since when each color is away.
    pub(crate) fn away_since(&self) -> [Option<Moment>; 2] {
        self.away_since
    }

    /// Who is there, as it is told.
    pub(crate) fn presence(&self, game: &Game, abandoned_at: Option<Moment>) -> PresenceView {
        let [white, black] = self.away_since.map(|since| since.is_none());
        let watchers = u32::try_from(self.watchers(game)).unwrap_or(u32::MAX);
        let watchers = watchers.saturating_add(self.elsewhere.watchers);
        PresenceView { white, black, watchers, abandoned_at }
    }

    fn is_here(&self, game: &Game, color: Color) -> bool {
        game.seats().get(color).is_some_and(|player| {
            engines::level_of(player.id).is_some()
                || self.visitors.iter().any(|visitor| visitor.player() == player.id)
                || self.is_elsewhere(player.id)
        })
    }

    /// Says something to everybody who speaks the full protocol.
    pub(crate) fn say(&self, message: &Utf8Bytes) {
        for visitor in &self.visitors {
            if visitor.link.dialect() == Dialect::Full {
                visitor.link.say(message.clone());
            }
        }
    }

    /// Tells an event to the players of the plain protocol. `offer` is who had offered a draw
    /// before it.
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

/// The beginning of a game, for a player of the plain protocol.
pub(crate) fn game_start(game: &Game, color: Color) -> Option<SimpleServerMessage> {
    let opponent = game.seats().get(!color)?.name.parse().ok()?;
    Some(SimpleServerMessage::GameStart(GameStart { opponent, color }))
}

/// What an event that has just been taken in is in the plain protocol, for the player of a color.
fn simply(
    game: &Game,
    event: &Event,
    color: Color,
    offer_was_mine: bool,
) -> Vec<SimpleServerMessage> {
    let answer = |accepted| SimpleServerMessage::ResponseToOffer(ResponseToOffer { accepted });
    match *event {
        // It is this player's turn, so the opponent has moved, and by that declined an offer.
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
