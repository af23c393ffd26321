//! The plain protocol, which plays one game at a time and does nothing else.
//!
//! This module decides what each message of the protocol does. A player is a guest for as long as
//! their connection is open.

use std::sync::Arc;

use castellan_game::{Command, GameId, PlayerId, Proposal};
use castellan_protocol::Name;
use castellan_protocol::simple::SimpleClientMessage;

use super::auth::guest;
use super::connection::Connection;
use super::hub::Shared;
use super::lobby::SeekTerms;
use super::pairing;
use super::reply::{RequestRef, check_reported_end, send_simple_error};
use super::room::{Call, PlayerAction, Subscriber};
use super::seeking::{Limits, seek};
use super::socket::{Client, ConnectionContext, Handled};
use crate::address::ClientAddress;
use crate::identity::Identity;

/// A connection at `/ws/simple`.
pub(crate) struct SimpleClient {
    shared: Arc<Shared>,
    connection: Arc<Connection>,
    address: ClientAddress,
    me: Option<Arc<Identity>>,
}

impl SimpleClient {
    /// Creates the state of a client that has not given a name yet.
    pub(crate) fn new(context: &ConnectionContext, address: ClientAddress) -> SimpleClient {
        let (shared, connection) = (Arc::clone(&context.shared), Arc::clone(&context.connection));
        SimpleClient { shared, connection, address, me: None }
    }

    pub(crate) fn player(&self) -> Option<PlayerId> {
        self.me.as_ref().map(|me| me.player)
    }

    /// Handles one message.
    pub(crate) fn handle(self, text: &str) -> Handled {
        let action = match SimpleClientMessage::parse(text) {
            Err(error) => {
                self.send_error(&error.to_string());
                return Handled::Done(Client::Simple(self));
            }
            Ok(SimpleClientMessage::MatchmakeRequest(request)) => {
                return self.authenticate_and_seek(request.username);
            }
            Ok(SimpleClientMessage::MakeMove(mv)) => PlayerAction::SimpleMove(mv),
            Ok(SimpleClientMessage::DrawOffer(_)) => {
                PlayerAction::Command(Command::Offer(Proposal::Draw))
            }
            Ok(SimpleClientMessage::ResponseToOffer(response)) => {
                PlayerAction::Command(match response.accepted {
                    true => Command::Accept(Proposal::Draw),
                    false => Command::Decline(Proposal::Draw),
                })
            }
            Ok(SimpleClientMessage::Surrender(_)) => PlayerAction::Command(Command::Resign),
            Ok(SimpleClientMessage::GameEnd(end)) => PlayerAction::SimpleEnd(end),
        };
        match (self.connection.games().first(), &self.me, &action, self.connection.last_end()) {
            (Some(&game), Some(me), ..) => self.act(game, me, action),
            (_, _, PlayerAction::SimpleEnd(reported), Some(end)) => {
                check_reported_end(&self.connection, *reported, end);
            }
            _ => self.send_error("you are not in a game; send a matchmake request first"),
        }
        Handled::Done(Client::Simple(self))
    }

    /// Tells the client that a message was dropped.
    pub(crate) fn warn(&self, message: String) {
        send_simple_error(&self.connection, message);
    }

    fn act(&self, game: GameId, me: &Arc<Identity>, action: PlayerAction) {
        let subscriber =
            Subscriber { connection: Arc::clone(&self.connection), who: Arc::clone(me) };
        let (request, received) = (RequestRef::default(), self.shared.services.clock.arrival());
        self.shared.call(game, Call::Act { subscriber, request, action, received });
    }

    fn authenticate_and_seek(mut self, name: Name) -> Handled {
        if !self.connection.games().is_empty() {
            self.send_error("you are already in a game; finish it first");
            return Handled::Done(Client::Simple(self));
        }
        if self.me.as_ref().is_some_and(|me| me.name == name.as_ref()) {
            self.seek();
            return Handled::Done(Client::Simple(self));
        }
        Handled::Authentication(Box::pin(async move {
            // A seek under another name belongs to another player, so it is canceled.
            if let Some(player) = self.player() {
                pairing::cancel(&self.shared, player, self.connection.id());
            }
            match guest(&self.shared.services, self.address, &name).await {
                Ok(who) => {
                    let who = Arc::new(who);
                    self.shared.connections.set_user(self.connection.id(), &who);
                    self.me = Some(who);
                    self.seek();
                }
                Err(error) => self.send_error(&error.message),
            }
            Client::Simple(self)
        }))
    }

    fn seek(&self) {
        let Some(me) = &self.me else { return };
        let services = &self.shared.services;
        let subscriber =
            Subscriber { connection: Arc::clone(&self.connection), who: Arc::clone(me) };
        let time_control = services.config.live.simple_time_control;
        let limits = Limits { is_unlimited: services.is_unlimited(self.address.0) };
        seek(
            &self.shared,
            subscriber,
            RequestRef::default(),
            SeekTerms { time_control, is_rated: false },
            limits,
        );
    }

    fn send_error(&self, message: &str) {
        send_simple_error(&self.connection, message.to_owned());
    }
}
