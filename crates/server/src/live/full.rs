//! The full protocol: what each message does.
//!
//! This module handles the hello message and passes every other message to the module responsible
//! for it. Only the hello waits; other work that needs the store runs in separate tasks, which
//! respond when they are done.

use core::time::Duration;
use std::sync::Arc;

use castellan_game::{Command, GameId, Moment, PlayerId};
use castellan_protocol::{
    ClientMessage, ErrorReport, Feature, Features, Hello, Mute, Nothing, PROTOCOL_VERSION,
    PlayEngine, Pong, Seek, ServerCode, ServerMessage, SessionToken, Welcome, You,
};
use castellan_rules::Color;

use super::begin::{Plan, SeatPlan};
use super::greeting::{Unknown, by_session, guest_with_session};
use super::hub::Shared;
use super::invitations::{self, Request};
use super::link::{Farewell, Link};
use super::lobby::Wish;
use super::lock;
use super::reply::{Asked, encode};
use super::room::{Call, Deed, Visitor};
use super::seeking::{Limits, may_play, person, seek, start, start_as};
use super::socket::{Connection, Heard, Talk};
use crate::address::ClientAddress;
use crate::identity::Identity;
use crate::rates::Action;

/// How long a client may take to send its hello.
const HELLO_MS: u64 = 15_000;

/// A connection at `/ws`.
pub(crate) struct FullTalk {
    shared: Arc<Shared>,
    link: Arc<Link>,
    address: ClientAddress,
    stage: Stage,
}

enum Stage {
    /// The client has to send its hello before `until`. Its cookie may already identify the user.
    Stranger {
        cookie: Option<Box<Identity>>,
        until: Moment,
    },
    Known(Arc<Identity>),
}

impl FullTalk {
    /// Creates the state of a client that has just connected, with or without a session cookie.
    pub(crate) fn new(
        connection: &Connection,
        address: ClientAddress,
        cookie: Option<Identity>,
    ) -> FullTalk {
        let (shared, link) = (Arc::clone(&connection.shared), Arc::clone(&connection.link));
        let until = shared.services.clock.now().plus_ms(HELLO_MS);
        let stage = Stage::Stranger { cookie: cookie.map(Box::new), until };
        FullTalk { shared, link, address, stage }
    }

    pub(crate) fn player(&self) -> Option<PlayerId> {
        match &self.stage {
            Stage::Known(me) => Some(me.player),
            Stage::Stranger { .. } => None,
        }
    }

    pub(crate) fn hello_until(&self) -> Option<Moment> {
        match self.stage {
            Stage::Known(_) => None,
            Stage::Stranger { until, .. } => Some(until),
        }
    }

    /// Handles one message.
    pub(crate) fn hear(self, text: &str) -> Heard {
        let message = match ClientMessage::parse(text) {
            Ok(message) => message,
            Err(error) => {
                self.say(&ServerMessage::Error(ErrorReport::from(&error)));
                return Heard::Done(Talk::Full(self));
            }
        };
        match (&self.stage, message) {
            (Stage::Stranger { .. }, ClientMessage::Hello(hello)) => {
                return Heard::Introduction(Box::pin(self.greet(hello)));
            }
            (Stage::Known(me), message) if !matches!(message, ClientMessage::Hello(_)) => {
                let visitor = Visitor { link: Arc::clone(&self.link), who: Arc::clone(me) };
                self.follow(visitor, message);
            }
            _ => self.say(&ServerMessage::Error(ServerCode::HelloFirst.into())),
        }
        Heard::Done(Talk::Full(self))
    }

    /// Tells the client that a message was dropped, and names the request if the message is
    /// valid.
    pub(crate) fn warn(&self, text: &str, words: String) {
        let message = ClientMessage::parse(text);
        let asked = message.map(|message| Asked::from(&message)).unwrap_or_default();
        asked.refuse_in_words(&self.link, ServerCode::RateLimited, words);
    }

    async fn greet(mut self, hello: Hello) -> Talk {
        if hello.version == 0 {
            self.say(&ServerMessage::Error(ServerCode::UnsupportedVersion.into()));
            self.link.close(Farewell::UnsupportedVersion);
            return Talk::Full(self);
        }
        match self.identify(&hello).await {
            Ok((who, session)) => self.welcome(who, session).await,
            Err(Unknown { code, words }) => {
                let error = ErrorReport { code: code.into(), words, at: None };
                self.say(&ServerMessage::Error(error));
            }
        }
        Talk::Full(self)
    }

    async fn identify(
        &mut self,
        hello: &Hello,
    ) -> Result<(Identity, Option<SessionToken>), Unknown> {
        if let Stage::Stranger { cookie, .. } = &mut self.stage
            && let Some(who) = cookie.take()
        {
            return Ok((*who, None));
        }
        let services = &self.shared.services;
        if let Some(token) = &hello.session {
            return Ok((by_session(services, token).await?, None));
        }
        let name = hello.name.as_ref().ok_or(ServerCode::NeedsName)?;
        let (who, token) = guest_with_session(services, self.address, name).await?;
        Ok((who, Some(token)))
    }

    async fn welcome(&mut self, who: Identity, session: Option<SessionToken>) {
        let who = Arc::new(who);
        let services = &self.shared.services;
        self.shared.people.introduce(self.link.id(), &who);
        // The cookie was checked when the connection was opened, and the session may have ended
        // since. If it ends from here on, `end_session` finds this connection; if it ended
        // before, the store knows.
        if let Some(session) = who.session
            && matches!(services.store.session(session).await, Ok(None))
        {
            self.say(&ServerMessage::Error(ServerCode::SessionOver.into()));
            return self.link.close(Farewell::SessionOver);
        }
        // The rating is only for display, so a slow or failing store does not keep a user out.
        let ratings = match who.is_account {
            true => services.store.ratings_of(who.player).await.unwrap_or_default(),
            false => Vec::new(),
        };
        let most_played = ratings.iter().max_by_key(|(_, rating)| rating.games);
        let rating = most_played.map(|(_, rating)| rating.rating.round() as u16);
        self.say(&ServerMessage::Welcome(Welcome {
            version: PROTOCOL_VERSION,
            features: Features::from(self.shared.has_engine().then(Feature::engine)),
            you: You { name: who.name.clone(), is_guest: !who.is_account, rating },
            session,
            games: self.games_of(who.player).await,
            at: services.clock.now(),
        }));
        self.stage = Stage::Known(who);
    }

    /// Returns the running games of a player, at every node.
    async fn games_of(&self, player: PlayerId) -> Vec<GameId> {
        let mut games = self.shared.rooms.games_of(player);
        if self.shared.services.bus.is_joined() {
            // A failing store does not keep a user out.
            let stored = self.shared.services.store.unfinished_of(player).await;
            games.extend(stored.unwrap_or_default());
            games.sort_unstable();
            games.dedup();
        }
        games
    }

    /// Handles a message from an authenticated client.
    fn follow(&self, visitor: Visitor, message: ClientMessage) {
        let asked = Asked::from(&message);
        let shared = &self.shared;
        match message {
            ClientMessage::Hello(_) => {}
            ClientMessage::Seek(Seek { time_control, is_rated }) => {
                seek(shared, visitor, asked, Wish { time_control, is_rated }, self.limits());
            }
            ClientMessage::CancelSeek(_) => {
                if !shared.cancel_seek(visitor.player(), self.link.id()) {
                    self.say(&ServerMessage::SeekEnded(Nothing {}));
                }
            }
            ClientMessage::CreateInvitation(wanted) => {
                if may_play(shared, &visitor, asked, self.limits()) {
                    invitations::deal_with(shared, visitor, asked, Request::Create(wanted));
                }
            }
            ClientMessage::ShowInvitation(it) => {
                invitations::deal_with(shared, visitor, asked, Request::Show(it.invitation));
            }
            ClientMessage::AcceptInvitation(it) => {
                if may_play(shared, &visitor, asked, self.limits()) {
                    invitations::deal_with(shared, visitor, asked, Request::Accept(it.invitation));
                }
            }
            ClientMessage::CancelInvitation(it) => {
                invitations::deal_with(shared, visitor, asked, Request::Cancel(it.invitation));
            }
            ClientMessage::PlayEngine(wanted) => self.play_engine(&visitor, asked, &wanted),
            ClientMessage::Watch(it) => {
                shared.call(it.game, Call::Join { visitor, asked, since: None });
            }
            ClientMessage::Resync(it) => {
                let since = Some(it.version);
                shared.call(it.game, Call::Join { visitor, asked, since });
            }
            ClientMessage::Leave(it) => {
                if let Some(door) = shared.rooms.get(it.game) {
                    // If the room's inbox is full, the request is lost, and the client keeps
                    // receiving events.
                    let _ = door.try_send(Call::Leave(self.link.id()));
                }
            }
            ClientMessage::Chat(it) => {
                if self.may_chat(&visitor, asked) {
                    shared.call(it.game, Call::Chat { visitor, asked, text: it.text });
                }
            }
            ClientMessage::Mute(Mute { name, is_muted }) => {
                let done = lock(&shared.mutes).set(visitor.player(), name.as_ref(), is_muted);
                if done.is_err() {
                    asked.refuse(&self.link, ServerCode::TooMany);
                }
            }
            ClientMessage::Ping(it) => {
                let at = shared.services.clock.now();
                self.say(&ServerMessage::Pong(Pong { id: it.id, at }));
            }
            ClientMessage::MakeMove(it) => {
                let command = Command::Move { ply: it.ply, mv: it.mv, lag: self.lag() };
                self.act(visitor, asked, it.game, command);
            }
            ClientMessage::Touch(it) => {
                let command = Command::Touch { ply: it.ply, square: it.square };
                self.act(visitor, asked, it.game, command);
            }
            ClientMessage::Claim(it) => {
                let (ply, announced) = (it.ply, it.announced);
                let command = Command::Claim { ply, announced, lag: self.lag() };
                self.act(visitor, asked, it.game, command);
            }
            ClientMessage::Resign(it) => self.act(visitor, asked, it.game, Command::Resign),
            ClientMessage::Offer(it) => {
                self.act(visitor, asked, it.game, Command::Offer(it.what));
            }
            ClientMessage::Accept(it) => {
                self.act(visitor, asked, it.game, Command::Accept(it.what));
            }
            ClientMessage::Decline(it) => {
                self.act(visitor, asked, it.game, Command::Decline(it.what));
            }
            ClientMessage::Abort(it) => self.act(visitor, asked, it.game, Command::Abort),
            ClientMessage::AddTime(it) => self.act(visitor, asked, it.game, Command::AddTime),
        }
    }

    /// Returns the measured network lag of the connection.
    fn lag(&self) -> Duration {
        Duration::from_millis(self.link.lag_ms().into())
    }

    /// Sends an action in a game to its room.
    fn act(&self, visitor: Visitor, asked: Asked, game: GameId, command: Command) {
        let (deed, received) = (Deed::Command(command), self.shared.services.clock.arrival());
        self.shared.call(game, Call::Act { visitor, asked, deed, received });
    }

    fn play_engine(&self, visitor: &Visitor, asked: Asked, wanted: &PlayEngine) {
        if !may_play(&self.shared, visitor, asked, self.limits()) {
            return;
        }
        if !self.shared.has_engine() {
            let words = "this server does not offer games against the engine".to_owned();
            return asked.refuse_in_words(&self.link, ServerCode::BadTerms, words);
        }
        let settings = match wanted.terms.settings() {
            Ok(settings) if !settings.is_rated => settings,
            Ok(_) => {
                let words = "games against the engine cannot be rated".to_owned();
                return asked.refuse_in_words(&self.link, ServerCode::BadTerms, words);
            }
            Err(error) => {
                let words = error.to_string();
                return asked.refuse_in_words(&self.link, ServerCode::BadTerms, words);
            }
        };
        let me = person(&visitor.who, &visitor.link);
        let engine = SeatPlan::Engine(wanted.level);
        let askers = vec![(Arc::clone(&visitor.link), asked)];
        let seats = match wanted.color {
            None => return start(&self.shared, [me, engine], settings, askers),
            Some(Color::White) => [me, engine],
            Some(Color::Black) => [engine, me],
        };
        start_as(&self.shared, Plan { settings, seats, rematch_of: None }, askers);
    }

    fn may_chat(&self, visitor: &Visitor, asked: Asked) -> bool {
        let services = &self.shared.services;
        if self.limits().is_unlimited {
            return true;
        }
        match services.limits.check(Action::Chat, visitor.player()) {
            Ok(()) => true,
            Err(too_many) => {
                services.metrics.limited.increment(1);
                let words = too_many.to_string();
                asked.refuse_in_words(&self.link, ServerCode::RateLimited, words);
                false
            }
        }
    }

    fn limits(&self) -> Limits {
        Limits { is_unlimited: self.shared.services.is_unlimited(self.address.0) }
    }

    fn say(&self, message: &ServerMessage) {
        self.link.say(encode(message));
    }
}
