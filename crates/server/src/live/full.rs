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

use super::auth::{AuthError, by_session, guest_with_session};
use super::begin::{GamePlan, SeatPlan};
use super::connection::{CloseReason, Connection};
use super::hub::Shared;
use super::invitations::{self, InvitationRequest};
use super::lobby::SeekTerms;
use super::lock;
use super::moderation::{ban_of, close_banned};
use super::pairing;
use super::reply::{RequestRef, encode};
use super::room::{Call, PlayerAction, Subscriber};
use super::seeking::{Limits, may_play, person, seek, start, start_as};
use super::socket::{Client, ConnectionContext, Handled};
use crate::address::ClientAddress;
use crate::identity::Identity;
use crate::rates::Action;

/// How long a client may take to send its hello.
const HELLO_MS: u64 = 15_000;

/// A connection at `/ws`.
pub(crate) struct FullClient {
    shared: Arc<Shared>,
    connection: Arc<Connection>,
    address: ClientAddress,
    auth: AuthStage,
}

enum AuthStage {
    /// The client has to send its hello before `until`. Its cookie may already identify the user.
    Unauthenticated {
        cookie: Option<Box<Identity>>,
        until: Moment,
    },
    Authenticated(Arc<Identity>),
}

impl FullClient {
    /// Creates the state of a client that has just connected, with or without a session cookie.
    pub(crate) fn new(
        context: &ConnectionContext,
        address: ClientAddress,
        cookie: Option<Identity>,
    ) -> FullClient {
        let (shared, connection) = (Arc::clone(&context.shared), Arc::clone(&context.connection));
        let until = shared.services.clock.now().plus_ms(HELLO_MS);
        let auth = AuthStage::Unauthenticated { cookie: cookie.map(Box::new), until };
        FullClient { shared, connection, address, auth }
    }

    pub(crate) fn player(&self) -> Option<PlayerId> {
        match &self.auth {
            AuthStage::Authenticated(me) => Some(me.player),
            AuthStage::Unauthenticated { .. } => None,
        }
    }

    pub(crate) fn hello_until(&self) -> Option<Moment> {
        match self.auth {
            AuthStage::Authenticated(_) => None,
            AuthStage::Unauthenticated { until, .. } => Some(until),
        }
    }

    /// Handles one message.
    pub(crate) fn handle(self, text: &str) -> Handled {
        let message = match ClientMessage::parse(text) {
            Ok(message) => message,
            Err(error) => {
                self.send(&ServerMessage::Error(ErrorReport::from(&error)));
                return Handled::Done(Client::Full(self));
            }
        };
        match (&self.auth, message) {
            (AuthStage::Unauthenticated { .. }, ClientMessage::Hello(hello)) => {
                return Handled::Authentication(Box::pin(self.authenticate(hello)));
            }
            (AuthStage::Authenticated(me), message) => {
                let (connection, who) = (Arc::clone(&self.connection), Arc::clone(me));
                self.dispatch(Subscriber { connection, who }, message);
            }
            (AuthStage::Unauthenticated { .. }, _) => {
                self.send(&ServerMessage::Error(ServerCode::HelloFirst.into()));
            }
        }
        Handled::Done(Client::Full(self))
    }

    /// Tells the client that a message was dropped, and names the request if the message is
    /// valid.
    pub(crate) fn warn(&self, text: &str, message: String) {
        let dropped = ClientMessage::parse(text);
        let request = dropped.map(|dropped| RequestRef::from(&dropped)).unwrap_or_default();
        request.refuse_with_message(&self.connection, ServerCode::RateLimited, message);
    }

    async fn authenticate(mut self, hello: Hello) -> Client {
        if hello.version == 0 {
            self.send(&ServerMessage::Error(ServerCode::UnsupportedVersion.into()));
            self.connection.close(CloseReason::UnsupportedVersion);
            return Client::Full(self);
        }
        match self.identify(&hello).await {
            Ok((who, session)) => self.welcome(who, session).await,
            Err(AuthError { code, message }) => {
                let error = ErrorReport { code: code.into(), message, at: None };
                self.send(&ServerMessage::Error(error));
            }
        }
        Client::Full(self)
    }

    async fn identify(
        &mut self,
        hello: &Hello,
    ) -> Result<(Identity, Option<SessionToken>), AuthError> {
        if let AuthStage::Unauthenticated { cookie, .. } = &mut self.auth
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
        self.shared.connections.set_user(self.connection.id(), &who);
        // From here on a new ban finds this connection, so one that is older is checked now.
        if let Some(ban) = ban_of(&self.shared, &who, &self.connection) {
            return close_banned(&self.connection, &ban);
        }
        // The cookie was checked when the connection was opened, and the session may have ended
        // since. If it ends from here on, `end_session` finds this connection; if it ended
        // before, the store knows.
        if let Some(session) = who.session
            && matches!(services.store.session(session).await, Ok(None))
        {
            self.send(&ServerMessage::Error(ServerCode::SessionOver.into()));
            return self.connection.close(CloseReason::SessionOver);
        }
        // The rating is only for display, so a slow or failing store does not keep a user out.
        let ratings = match who.is_account {
            true => services.store.ratings_of(who.player).await.unwrap_or_default(),
            false => Vec::new(),
        };
        let most_played = ratings.iter().max_by_key(|(_, rating)| rating.games);
        let rating = most_played.map(|(_, rating)| rating.rating.round() as u16);
        self.send(&ServerMessage::Welcome(Welcome {
            version: PROTOCOL_VERSION,
            features: Features::from(self.shared.has_engine().then(Feature::engine)),
            you: You { name: who.name.clone(), is_guest: !who.is_account, rating },
            session,
            games: self.games_of(who.player).await,
            at: services.clock.now(),
        }));
        self.auth = AuthStage::Authenticated(who);
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
            games.retain(|game| !self.shared.damaged.contains(*game));
        }
        games
    }

    /// Handles a message from an authenticated client.
    fn dispatch(&self, subscriber: Subscriber, message: ClientMessage) {
        let request = RequestRef::from(&message);
        let (shared, limits) = (&self.shared, self.limits());
        let lag = Duration::from_millis(self.connection.lag_ms().into());
        let received = shared.services.clock.arrival();
        let act = |subscriber, game, command| {
            let action = PlayerAction::Command(command);
            shared.call(game, Call::Act { subscriber, request, action, received });
        };
        let invitation =
            |subscriber, action| invitations::handle(shared, subscriber, request, action);
        match message {
            ClientMessage::Hello(_) => {
                self.send(&ServerMessage::Error(ServerCode::HelloFirst.into()));
            }
            ClientMessage::Seek(Seek { time_control, is_rated }) => {
                seek(shared, subscriber, request, SeekTerms { time_control, is_rated }, limits);
            }
            ClientMessage::CancelSeek(_) => self.cancel_seek(&subscriber),
            ClientMessage::CreateInvitation(wanted) => {
                if may_play(shared, &subscriber, request, limits) {
                    invitation(subscriber, InvitationRequest::Create(wanted));
                }
            }
            ClientMessage::ShowInvitation(it) => {
                invitation(subscriber, InvitationRequest::Show(it.invitation));
            }
            ClientMessage::AcceptInvitation(it) => {
                if may_play(shared, &subscriber, request, limits) {
                    invitation(subscriber, InvitationRequest::Accept(it.invitation));
                }
            }
            ClientMessage::CancelInvitation(it) => {
                invitation(subscriber, InvitationRequest::Cancel(it.invitation));
            }
            ClientMessage::PlayEngine(wanted) => self.play_engine(&subscriber, request, &wanted),
            ClientMessage::Watch(it) => {
                shared.call(it.game, Call::Join { subscriber, request, since: None, received });
            }
            ClientMessage::Resync(it) => {
                let since = Some(it.version);
                shared.call(it.game, Call::Join { subscriber, request, since, received });
            }
            ClientMessage::Leave(it) => shared.leave(it.game, self.connection.id()),
            ClientMessage::MakeMove(it) => {
                act(subscriber, it.game, Command::Move { ply: it.ply, mv: it.mv, lag });
            }
            ClientMessage::Touch(it) => {
                act(subscriber, it.game, Command::Touch { ply: it.ply, square: it.square });
            }
            ClientMessage::Resign(it) => act(subscriber, it.game, Command::Resign),
            ClientMessage::Offer(it) => act(subscriber, it.game, Command::Offer(it.what)),
            ClientMessage::Accept(it) => act(subscriber, it.game, Command::Accept(it.what)),
            ClientMessage::Decline(it) => act(subscriber, it.game, Command::Decline(it.what)),
            ClientMessage::Claim(it) => {
                let claim = Command::Claim { ply: it.ply, announced: it.announced, lag };
                act(subscriber, it.game, claim);
            }
            ClientMessage::Abort(it) => act(subscriber, it.game, Command::Abort),
            ClientMessage::AddTime(it) => act(subscriber, it.game, Command::AddTime),
            ClientMessage::Chat(it) => {
                if self.may_chat(&subscriber, request) {
                    shared.call(it.game, Call::Chat { subscriber, request, text: it.text });
                }
            }
            ClientMessage::Mute(it) => self.mute(&subscriber, request, &it),
            ClientMessage::Ping(it) => {
                self.send(&ServerMessage::Pong(Pong { id: it.id, at: received.at }));
            }
        }
    }

    fn cancel_seek(&self, subscriber: &Subscriber) {
        if !pairing::cancel(&self.shared, subscriber.player(), self.connection.id()) {
            self.send(&ServerMessage::SeekEnded(Nothing {}));
        }
    }

    fn mute(&self, subscriber: &Subscriber, request: RequestRef, Mute { name, is_muted }: &Mute) {
        let mut mutes = lock(&self.shared.mutes);
        if mutes.set(subscriber.player(), name.as_ref(), *is_muted).is_err() {
            request.refuse(&self.connection, ServerCode::TooMany);
        }
    }

    fn play_engine(&self, subscriber: &Subscriber, request: RequestRef, wanted: &PlayEngine) {
        if !may_play(&self.shared, subscriber, request, self.limits()) {
            return;
        }
        if !self.shared.has_engine() {
            let message = "this server does not offer games against the engine".to_owned();
            return request.refuse_with_message(&self.connection, ServerCode::BadTerms, message);
        }
        let settings = match wanted.terms.settings() {
            Ok(settings) if !settings.is_rated => settings,
            Ok(_) => {
                let message = "games against the engine cannot be rated".to_owned();
                return request.refuse_with_message(
                    &self.connection,
                    ServerCode::BadTerms,
                    message,
                );
            }
            Err(error) => {
                let message = error.to_string();
                return request.refuse_with_message(
                    &self.connection,
                    ServerCode::BadTerms,
                    message,
                );
            }
        };
        let me = person(&subscriber.who, &subscriber.connection);
        let engine = SeatPlan::Engine(wanted.level);
        let requesters = vec![(Arc::clone(&subscriber.connection), request)];
        let seats = match wanted.color {
            None => return start(&self.shared, [me, engine], settings, requesters),
            Some(Color::White) => [me, engine],
            Some(Color::Black) => [engine, me],
        };
        start_as(&self.shared, GamePlan { settings, seats, rematch_of: None }, requesters);
    }

    fn may_chat(&self, subscriber: &Subscriber, request: RequestRef) -> bool {
        let services = &self.shared.services;
        if let Some(ban) = ban_of(&self.shared, &subscriber.who, &self.connection) {
            request.refuse_with_message(&self.connection, ServerCode::Banned, ban.to_string());
            return false;
        }
        if self.limits().is_unlimited {
            return true;
        }
        match services.limits.check(Action::Chat, subscriber.player()) {
            Ok(()) => true,
            Err(too_many) => {
                services.metrics.limited.increment(1);
                let message = too_many.to_string();
                request.refuse_with_message(&self.connection, ServerCode::RateLimited, message);
                false
            }
        }
    }

    fn limits(&self) -> Limits {
        Limits { is_unlimited: self.shared.services.is_unlimited(self.address.0) }
    }

    fn send(&self, message: &ServerMessage) {
        self.connection.send(encode(message));
    }
}
