//! One game in memory: a task that owns it, with everybody who follows it.
//!
//! Owns: the order in which things happen in a game, its timers, and what follows from its
//! events. Leaves to `castellan-game`: what is allowed; to the store: what has happened.
//! Invariants: nothing is announced before it is stored, and what is announced is what a new
//! room would read from the store. Calls come through a bounded inbox, one at a time.

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
use castellan_protocol::{ChatLine, ChatText, Ratings, ServerCode, ServerMessage};
use castellan_rules::{Color, Move};
use tokio::sync::mpsc;

pub(crate) use audience::Visitor;
pub(crate) use debt::Absence;
pub(crate) use rating::{category, standing_of};
pub(crate) use talk::REMEMBERED;

use super::engines;
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

/// How many calls may wait for a room.
pub(crate) const INBOX: usize = 64;
/// How many events are kept for those who come back.
const RECENT: usize = 24;
/// How long a game that is over stays for its audience: a rematch may be agreed on, and chatted.
const LINGER_MS: u64 = 600_000;
/// How long the room waits after the store has failed it, or a timer found nothing to do.
const BREATH_MS: u64 = 500;
/// How long an engine may take until it is asked again.
const LOST_THOUGHT_MS: u64 = 30_000;
/// How long changes in the number of watchers are gathered.
const PRESENCE_PAUSE_MS: u64 = 2_000;

/// What can be asked of a room.
#[derive(Debug)]
pub(crate) enum Call {
    /// To follow the game, from after a version if there is one.
    Join { visitor: Visitor, asked: Asked, since: Option<u32> },
    /// To follow it no more.
    Leave(LinkId),
    /// To do something in it. What counts is when the message arrived.
    Act { visitor: Visitor, asked: Asked, deed: Deed, received: Arrival },
    /// To say something beside it.
    Chat { visitor: Visitor, asked: Asked, text: ChatText },
    /// A line of chat has been stored.
    Said { speaker: PlayerId, line: ChatLine },
    /// Another node knows something of the game, or people came or went there.
    Elsewhere(Hint),
    /// The last lines of chat, from the store.
    Recalled(Vec<castellan_store::ChatLine>),
    /// Another node has rated the game.
    Rated(Ratings),
    /// An engine has thought about a ply.
    Thought { ply: u32, mv: Option<Move> },
    /// An engine has considered the draw that was offered to it.
    Considered { is_accepted: bool },
    /// The rematch has begun, or could not.
    Rematched(Result<GameId, ServerCode>),
    /// The server goes away.
    Close,
}

/// How far a game is said to be elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hint {
    /// It has this version at least.
    pub(crate) version: u32,
    /// A line with this mark was said.
    pub(crate) said: Option<u64>,
    /// The rematch has begun.
    pub(crate) rematch: Option<GameId>,
}

/// What a player does.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    /// As the full protocol says it.
    Command(Command),
    /// A move of the plain protocol, which counts no plies.
    SimpleMove(SimpleMove),
    /// The end of the game as a client of the plain protocol reports it.
    SimpleEnd(GameEnd),
}

impl Call {
    /// Whether a client waits for an answer.
    pub(crate) fn is_asked(&self) -> bool {
        self.asker().is_some()
    }

    /// The socket of the client that asked, if one did.
    pub(crate) fn asker(&self) -> Option<&Link> {
        match self {
            Call::Join { visitor, asked, .. }
            | Call::Act { visitor, asked, .. }
            | Call::Chat { visitor, asked, .. } => asked.is_asked().then_some(&*visitor.link),
            _ => None,
        }
    }

    /// Tells whoever called that nothing comes of it.
    pub(crate) fn refuse(self, code: ServerCode) {
        // The room closes when the game is over; the link then knows the result.
        if let Call::Act { visitor, deed: Deed::SimpleEnd(reported), .. } = &self
            && let Some(end) = visitor.link.last_end()
        {
            return check_reported_end(&visitor.link, *reported, end);
        }
        match self {
            Call::Join { visitor, asked, .. }
            | Call::Act { visitor, asked, .. }
            | Call::Chat { visitor, asked, .. } => asked.refuse(&visitor.link, code),
            // Nobody waits for an answer to these.
            _ => {}
        }
    }
}

/// What a room begins with.
pub(crate) struct Opening {
    /// Which game.
    pub(crate) id: GameId,
    /// The game as it is stored.
    pub(crate) game: Game,
    /// The way in, and its other end.
    pub(crate) door: mpsc::Sender<Call>,
    pub(crate) inbox: mpsc::Receiver<Call>,
    /// The time in which no server was there for the player to move.
    pub(crate) absence: Option<Absence>,
    /// The game this one is the rematch of.
    pub(crate) rematch_of: Option<GameId>,
    /// What was said last.
    pub(crate) talk: Vec<castellan_store::ChatLine>,
    /// Whose game it is, as far as there are limits.
    pub(crate) charge: Option<Charge>,
}

/// One game in memory.
pub(crate) struct Room {
    shared: Arc<Shared>,
    id: GameId,
    game: Game,
    door: mpsc::Sender<Call>,
    inbox: mpsc::Receiver<Call>,
    audience: Audience,
    talk: Talk,
    /// The last events as they were announced, with their versions.
    recent: VecDeque<(u32, Utf8Bytes)>,
    /// Whether the game is known to be what the store has.
    is_sure: bool,
    /// What the server owes the player to move.
    debt: Debt,
    /// How long the process had stood still when a player last came or went.
    stalled_ms: u64,
    /// Since when the player to move is to move.
    turn_since: Moment,
    /// The ply that an engine thinks about, and since when.
    thinking: Option<(u32, Moment)>,
    /// The ply of the draw offer that an engine considers.
    considered: Option<u32>,
    /// The server does nothing of its own accord before this moment.
    not_before: Moment,
    /// When the number of watchers is told.
    presence_at: Option<Moment>,
    rematch_of: Option<GameId>,
    rematch: Option<GameId>,
    closes_at: Option<Moment>,
    _tag: Tag,
    _charge: Option<Charge>,
}

impl Room {
    /// A room for a game that is in the store.
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

    /// Lets those in with whom the game begins.
    pub(crate) fn welcome(&mut self, visitor: &Visitor) {
        self.join(visitor, Asked::default(), None);
    }

    /// Answers calls and timers until the game is over and nobody is interested any more.
    pub(crate) async fn run(mut self) {
        self.look_around();
        self.tick().await;
        loop {
            // Here, so that whatever has changed is told at the next beat.
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

    /// Lets nobody in any more, and answers those who were on their way.
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

    /// The people in the seats; engines are not counted.
    fn players(&self) -> Vec<PlayerId> {
        let ids = Color::ALL.into_iter().filter_map(|color| self.game.seats().get(color));
        ids.map(|player| player.id).filter(|id| engines::level_of(*id).is_none()).collect()
    }

    fn engine_color(&self) -> Option<Color> {
        Color::ALL.into_iter().find(|color| {
            let player = self.game.seats().get(*color);
            player.is_some_and(|player| engines::level_of(player.id).is_some())
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
