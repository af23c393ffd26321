//! One game in memory: a task that owns the game and everyone who follows it.
//!
//! A room is responsible for the order of events in its game, for its timers, and for the side
//! effects of its events. It leaves the rules to `castellan-game` and the record of events to the
//! store. Invariants: no event is announced before it is stored, and announced events are exactly
//! those that a new room would read from the store. Calls arrive through a bounded inbox, one at
//! a time.

mod audience;
mod debt;
mod deeds;
mod keeping;
mod neighbours;
mod patience;
mod rating;
mod talk;
mod timers;
mod visits;

use std::collections::VecDeque;
use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use castellan_game::{Command, Game, GameId, Moment, PlayerId};
use castellan_protocol::simple::{GameEnd, SimpleMove};
use castellan_protocol::{ChatLine, ChatText, Level, Ratings, ServerCode, ServerMessage};
use castellan_rules::{Color, Move};
use tokio::sync::mpsc;

pub(crate) use audience::Visitor;
pub(crate) use debt::Absence;
pub(crate) use rating::{category, standing_of};
pub(crate) use talk::REMEMBERED;

use super::hub::Shared;
use super::link::{Link, LinkId};
use super::owners::Charge;
use super::reply::{Asked, check_reported_end, encode};
use super::rooms::RunningGame;
use super::tasks::Tag;
use crate::clock::Arrival;
use audience::Audience;
use debt::Debt;
use talk::Talk;

/// Maximum number of calls waiting in a room's inbox.
pub(crate) const INBOX: usize = 64;
/// Number of recent events kept for clients that reconnect.
const RECENT: usize = 24;
/// How long a finished game stays open for its audience, for chat and an agreement on a rematch.
const LINGER_MS: u64 = 600_000;
/// Delay before the room retries after the store failed, or after a timer had no effect.
const BREATH_MS: u64 = 500;
/// How long an engine may take before it is asked again.
const LOST_THOUGHT_MS: u64 = 30_000;
/// How long changes in the number of spectators are collected before they are sent.
const PRESENCE_PAUSE_MS: u64 = 2_000;

/// A request to a room, or a notification for it.
#[derive(Debug)]
pub(crate) enum Call {
    /// Follow the game. `since` is the last version that the client has, if any.
    Join { visitor: Visitor, asked: Asked, since: Option<u32> },
    /// Stop following the game.
    Leave(LinkId),
    /// Act in the game. The arrival time of the message is what counts on the clock.
    Act { visitor: Visitor, asked: Asked, deed: Deed, received: Arrival },
    /// Say something in the game's chat.
    Chat { visitor: Visitor, asked: Asked, text: ChatText },
    /// A chat line has been stored.
    Said { speaker: PlayerId, line: ChatLine },
    /// Another node has newer state for the game, or users connected or disconnected there.
    Elsewhere(Hint),
    /// The most recent chat lines, read from the store.
    Recalled(Vec<castellan_store::ChatLine>),
    /// Another node has rated the game.
    Rated(Ratings),
    /// An engine has chosen a move for a ply.
    Thought { ply: u32, mv: Option<Move> },
    /// An engine has decided about the draw that was offered to it.
    Considered { is_accepted: bool },
    /// The rematch has started, or could not be started.
    Rematched(Result<GameId, ServerCode>),
    /// The server is shutting down.
    Close,
}

/// What another node announced about a game.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hint {
    /// The game has at least this version.
    pub(crate) version: u32,
    /// Hash of the latest chat line.
    pub(crate) said: Option<u64>,
    /// The rematch, if it has started.
    pub(crate) rematch: Option<GameId>,
}

/// What a player does in a game.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    /// A command of the full protocol.
    Command(Command),
    /// A move in the plain protocol, which does not count plies.
    SimpleMove(SimpleMove),
    /// The result of the game as reported by a client of the plain protocol.
    SimpleEnd(GameEnd),
}

impl Call {
    /// Returns `true` if a client is waiting for a response.
    pub(crate) fn is_asked(&self) -> bool {
        self.asker().is_some()
    }

    /// Returns the connection of the client that is waiting for a response, if any.
    pub(crate) fn asker(&self) -> Option<&Link> {
        match self {
            Call::Join { visitor, asked, .. }
            | Call::Act { visitor, asked, .. }
            | Call::Chat { visitor, asked, .. } => asked.is_asked().then_some(&*visitor.link),
            _ => None,
        }
    }

    /// Sends the caller an error response, if the caller is a client.
    pub(crate) fn refuse(self, code: ServerCode) {
        // The room closes after the game ends; the link then has the result.
        if let Call::Act { visitor, deed: Deed::SimpleEnd(reported), .. } = &self
            && let Some(end) = visitor.link.last_end()
        {
            return check_reported_end(&visitor.link, *reported, end);
        }
        match self {
            Call::Join { visitor, asked, .. }
            | Call::Act { visitor, asked, .. }
            | Call::Chat { visitor, asked, .. } => asked.refuse(&visitor.link, code),
            // No client is waiting for a response to these.
            _ => {}
        }
    }
}

/// What a room needs to start.
pub(crate) struct Opening {
    /// The game's ID.
    pub(crate) id: GameId,
    /// The game as read from the store.
    pub(crate) game: Game,
    /// Sender and receiver of the room's inbox.
    pub(crate) door: mpsc::Sender<Call>,
    pub(crate) inbox: mpsc::Receiver<Call>,
    /// Period in which no server was available to the player to move.
    pub(crate) absence: Option<Absence>,
    /// The game that this one is a rematch of.
    pub(crate) rematch_of: Option<GameId>,
    /// The most recent chat lines.
    pub(crate) talk: Vec<castellan_store::ChatLine>,
    /// Counts the game against its owners' limits, where limits apply.
    pub(crate) charge: Option<Charge>,
}

/// A game in memory, with its audience.
pub(crate) struct Room {
    shared: Arc<Shared>,
    id: GameId,
    game: Game,
    door: mpsc::Sender<Call>,
    inbox: mpsc::Receiver<Call>,
    audience: Audience,
    talk: Talk,
    /// The most recent events with their versions, encoded as they were announced.
    recent: VecDeque<(u32, Utf8Bytes)>,
    /// `false` if the game in memory may differ from the store.
    is_sure: bool,
    /// Time that the server owes the player to move.
    debt: Debt,
    /// Reading of the clock's stall counter when a player last connected or disconnected.
    stalled_ms: u64,
    /// When the current turn started.
    turn_since: Moment,
    /// The ply for which an engine was asked to move, and when it was asked.
    thinking: Option<(u32, Moment)>,
    /// The ply at which an engine was asked about a draw offer.
    considered: Option<u32>,
    /// Timers do nothing before this moment.
    not_before: Moment,
    /// When the number of spectators is sent next.
    presence_at: Option<Moment>,
    rematch_of: Option<GameId>,
    rematch: Option<GameId>,
    closes_at: Option<Moment>,
    _tag: Tag,
    _charge: Option<Charge>,
}

impl Room {
    /// Creates a room for a stored game.
    pub(crate) fn new(shared: Arc<Shared>, opening: Opening, tag: Tag) -> Room {
        let now = shared.services.clock.now();
        let Opening { id, game, door, inbox, absence, rematch_of, talk, charge } = opening;
        let room = Room {
            turn_since: game.last_at(),
            closes_at: game.end().map(|_| now.plus_ms(LINGER_MS)),
            audience: Audience::new(now),
            talk: Talk::recall(&game, talk),
            recent: VecDeque::new(),
            is_sure: true,
            debt: Debt::new(&shared.services.clock, absence),
            stalled_ms: shared.services.clock.arrival().stalled_ms,
            thinking: None,
            considered: None,
            not_before: now,
            presence_at: None,
            rematch: None,
            _tag: tag,
            _charge: charge,
            shared,
            id,
            game,
            door,
            inbox,
            rematch_of,
        };
        if room.game.end().is_none() {
            let seat = |color| room.game.seats().get(color).cloned();
            let running = RunningGame { id: room.id, seats: Color::ALL.map(seat) };
            room.shared.rooms.started(running, &room.players());
            room.shared.services.metrics.games.increment(1.0);
        }
        room
    }

    /// Adds a connection that is there from the start of the game.
    pub(crate) fn welcome(&mut self, visitor: &Visitor) {
        self.join(visitor, Asked::default(), None);
    }

    /// Handles calls and timers until the game is over and the audience has left or the time is
    /// up.
    pub(crate) async fn run(mut self) {
        self.look_around();
        self.tick().await;
        loop {
            // Once per iteration, so that every change is sent with the next heartbeat.
            self.tell_nodes();
            let wake = self.next_wake();
            let clock = self.shared.services.clock.clone();
            let call = tokio::select! {
                biased;
                call = self.inbox.recv() => call,
                () = timers::sleep(&clock, wake) => None,
            };
            match call {
                Some(Call::Close) => break,
                Some(call) => self.answer(call).await,
                None => {}
            }
            self.tick().await;
            if self.is_done() {
                break;
            }
        }
        self.close().await;
    }

    /// Removes the room from the list of rooms and answers the calls still in its inbox.
    async fn close(mut self) {
        self.shared.rooms.close(self.id);
        self.shared.nodes.close_here(self.id);
        self.inbox.close();
        while let Ok(call) = self.inbox.try_recv() {
            if self.game.end().is_some() {
                self.answer(call).await;
            } else {
                call.refuse(ServerCode::ShuttingDown);
            }
        }
        for visitor in self.audience.visitors() {
            visitor.link.exit(self.id);
        }
        if self.game.end().is_none() {
            self.no_longer_running();
        }
    }

    fn no_longer_running(&self) {
        self.shared.rooms.ended(self.id, &self.players());
        self.shared.services.metrics.games.decrement(1.0);
    }

    fn is_done(&self) -> bool {
        let is_over = |closes_at| self.audience.is_empty() || self.now() >= closes_at;
        self.closes_at.is_some_and(is_over)
    }

    fn now(&self) -> Moment {
        self.shared.services.clock.now()
    }

    fn arrival(&self) -> Arrival {
        self.shared.services.clock.arrival()
    }

    /// Returns the human players.
    fn players(&self) -> Vec<PlayerId> {
        let ids = Color::ALL.into_iter().filter_map(|color| self.game.seats().get(color));
        ids.map(|player| player.id).filter(|id| Level::of_player(*id).is_none()).collect()
    }

    fn engine_color(&self) -> Option<Color> {
        Color::ALL.into_iter().find(|color| {
            let player = self.game.seats().get(*color);
            player.is_some_and(|player| Level::of_player(player.id).is_some())
        })
    }

    async fn answer(&mut self, call: Call) {
        match call {
            Call::Join { visitor, asked, since } => self.join(&visitor, asked, since),
            Call::Leave(link) => self.leave(link),
            Call::Act { visitor, asked, deed, received } => {
                self.act(&visitor, asked, deed, received).await;
            }
            Call::Chat { visitor, asked, text } => self.chat(visitor, asked, text),
            Call::Said { speaker, line } => self.said(speaker, line),
            Call::Elsewhere(hint) => self.hear_of(hint),
            Call::Recalled(lines) => self.recall(lines),
            Call::Rated(ratings) => self.audience.say(&encode(&ServerMessage::Ratings(ratings))),
            Call::Thought { ply, mv } => self.thought(ply, mv).await,
            Call::Considered { is_accepted } => self.answer_draw(is_accepted).await,
            Call::Rematched(result) => self.rematched(result),
            Call::Close => {}
        }
    }
}
