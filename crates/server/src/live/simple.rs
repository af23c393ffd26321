//! The plain protocol, which plays one game at a time and does nothing else.
//!
//! This module decides what each message of the protocol does. A player is a guest for as long as
//! their connection is open.

use std::sync::Arc;

use castellan_game::{Command, GameId, PlayerId, Proposal};
use castellan_protocol::Name;
use castellan_protocol::simple::SimpleClientMessage;

use super::greeting::guest;
use super::hub::Shared;
use super::link::Link;
use super::lobby::Wish;
use super::reply::{Asked, check_reported_end, complain_simply};
use super::room::{Call, Deed, Visitor};
use super::seeking::{Limits, seek};
use super::socket::{Connection, Heard, Talk};
use crate::address::ClientAddress;
use crate::identity::Identity;

/// A connection at `/ws/simple`.
pub(crate) struct SimpleTalk {
    shared: Arc<Shared>,
    link: Arc<Link>,
    address: ClientAddress,
    me: Option<Arc<Identity>>,
}

impl SimpleTalk {
    /// Creates the state of a client that has not given a name yet.
    pub(crate) fn new(connection: &Connection, address: ClientAddress) -> SimpleTalk {
        let (shared, link) = (Arc::clone(&connection.shared), Arc::clone(&connection.link));
        SimpleTalk { shared, link, address, me: None }
    }

    pub(crate) fn player(&self) -> Option<PlayerId> {
        self.me.as_ref().map(|me| me.player)
    }

    /// Handles one message.
    pub(crate) fn hear(self, text: &str) -> Heard {
        let deed = match SimpleClientMessage::parse(text) {
            Err(error) => {
                self.complain(&error.to_string());
                return Heard::Done(Talk::Simple(self));
            }
            Ok(SimpleClientMessage::MatchmakeRequest(request)) => {
                return self.want_game(request.username);
            }
            Ok(SimpleClientMessage::MakeMove(mv)) => Deed::SimpleMove(mv),
            Ok(SimpleClientMessage::DrawOffer(_)) => Deed::Command(Command::Offer(Proposal::Draw)),
            Ok(SimpleClientMessage::ResponseToOffer(response)) => {
                Deed::Command(match response.accepted {
                    true => Command::Accept(Proposal::Draw),
                    false => Command::Decline(Proposal::Draw),
                })
            }
            Ok(SimpleClientMessage::Surrender(_)) => Deed::Command(Command::Resign),
            Ok(SimpleClientMessage::GameEnd(end)) => Deed::SimpleEnd(end),
        };
        match (self.link.games().first(), &self.me, &deed, self.link.last_end()) {
            (Some(&game), Some(me), ..) => self.act(game, me, deed),
            (_, _, Deed::SimpleEnd(reported), Some(end)) => {
                check_reported_end(&self.link, *reported, end);
            }
            _ => self.complain("you are not in a game; send a matchmake request first"),
        }
        Heard::Done(Talk::Simple(self))
    }

    /// Tells the client that a message was dropped.
    pub(crate) fn warn(&self, words: String) {
        complain_simply(&self.link, words);
    }

    fn act(&self, game: GameId, me: &Arc<Identity>, deed: Deed) {
        let visitor = Visitor { link: Arc::clone(&self.link), who: Arc::clone(me) };
        let (asked, received) = (Asked::default(), self.shared.services.clock.arrival());
        self.shared.call(game, Call::Act { visitor, asked, deed, received });
    }

    fn want_game(mut self, name: Name) -> Heard {
        if !self.link.games().is_empty() {
            self.complain("you are already in a game; finish it first");
            return Heard::Done(Talk::Simple(self));
        }
        if self.me.as_ref().is_some_and(|me| me.name == name.as_ref()) {
            self.seek();
            return Heard::Done(Talk::Simple(self));
        }
        Heard::Introduction(Box::pin(async move {
            // A seek under another name belongs to another player, so it is canceled.
            if let Some(player) = self.player() {
                self.shared.cancel_seek(player, self.link.id());
            }
            match guest(&self.shared.services, self.address, &name).await {
                Ok(who) => {
                    let who = Arc::new(who);
                    self.shared.people.introduce(self.link.id(), &who);
                    self.me = Some(who);
                    self.seek();
                }
                Err(unknown) => self.complain(&unknown.words),
            }
            Talk::Simple(self)
        }))
    }

    fn seek(&self) {
        let Some(me) = &self.me else { return };
        let services = &self.shared.services;
        let visitor = Visitor { link: Arc::clone(&self.link), who: Arc::clone(me) };
        let time_control = services.config.live.simple_time_control;
        let limits = Limits { is_unlimited: services.is_unlimited(self.address.0) };
        seek(
            &self.shared,
            visitor,
            Asked::default(),
            Wish { time_control, is_rated: false },
            limits,
        );
    }

    fn complain(&self, words: &str) {
        complain_simply(&self.link, words.to_owned());
    }
}
