//! One game in memory: a task that owns the game and everyone who follows it.
//!
//! A room is responsible for the order of events in its game, for its timers, and for the side
//! effects of its events. It leaves the rules to `castellan-game` and the record of events to the
//! store. Invariants: no event is announced before it is stored, and announced events are exactly
//! those that a new room would read from the store. Calls arrive through a bounded inbox, one at
//! a time.
//!
//! | file, in reading order | responsible for |
//! |---|---|
//! | this one | the calls, the task, and its state |
//! | `players` | what players and engines do, and the start of a rematch |
//! | `commands` | the path of a move or another command through the store to the audience, and what happens if the store loses it |
//! | `credit` | the current turn, and the time that the server owes the player to move |
//! | `time` | which node owes it and when it is recorded, and what the room does on its own: time forfeits, no-shows, abandoned games |
//! | `audience` | the connections here and at other nodes, and what they receive |
//! | `chat` | the chat |

mod audience;
mod chat;
mod commands;
mod credit;
mod players;
mod time;

use std::collections::VecDeque;
use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use castellan_game::{Command, Conduct, Game, GameId, Moment, PlayerId};
use castellan_protocol::simple::{GameEnd, SimpleMove};
use castellan_protocol::{ChatLine, ChatText, Level, Ratings, ServerCode, ServerMessage};
use castellan_rules::Color;
use tokio::sync::mpsc;

pub(crate) use audience::Subscriber;
pub(crate) use chat::CHAT_HISTORY;
pub(crate) use credit::{Downtime, TurnRecord};

use super::connection::{CloseReason, Connection, ConnectionId};
use super::engine_queue::EngineTicket;
use super::engines::EngineChoice;
use super::hub::Shared;
use super::reply::{RequestRef, check_reported_end, encode};
use super::rooms::{RunningGame, SleepingGame};
use super::tasks::TaskGuard;
use crate::address_limit::AddressGuard;
use crate::clock::Arrival;
use audience::Audience;
use chat::Chat;
use commands::PersistError;
use credit::TimeCredit;
use time::ArrivingPlayer;

/// Maximum number of calls waiting in a room's inbox.
pub(crate) const INBOX: usize = 64;
/// Number of recent events kept for clients that reconnect.
const RECENT: usize = 24;
/// How long a finished game stays open for its audience, for chat and an agreement on a rematch.
const LINGER_MS: u64 = 600_000;
/// Delay before the room retries after the store failed, or after a timer had no effect.
const RETRY_MS: u64 = 500;
/// Interval at which the room checks whether an engine's answer was lost.
const ENGINE_TIMEOUT_MS: u64 = 30_000;

/// A request to a room, or a notification for it.
#[derive(Debug)]
pub(crate) enum Call {
    /// Follow the game. `since` is the last version that the client has, if any.
    Join { subscriber: Subscriber, request: RequestRef, since: Option<u32>, received: Arrival },
    /// Stop following the game.
    Leave(ConnectionId),
    /// Act in the game. The arrival time of the message is what counts on the clock.
    Act { subscriber: Subscriber, request: RequestRef, action: PlayerAction, received: Arrival },
    /// Say something in the game's chat.
    Chat { subscriber: Subscriber, request: RequestRef, text: ChatText },
    /// A chat line has been stored.
    ChatStored { author: PlayerId, line: ChatLine },
    /// Another node has newer state for the game, or users connected or disconnected there.
    PeerUpdate(PeerUpdate),
    /// Open the room and run its timers.
    Wake,
    /// The store may have lost events of the game.
    Reload,
    /// The most recent chat lines, read from the store.
    ChatLoaded(Vec<castellan_store::ChatLine>),
    /// Another node has rated the game.
    Rated(Ratings),
    /// An engine has decided what to do at a ply.
    EngineMove { ply: u32, choice: Option<Box<EngineChoice>> },
    /// An engine has decided about the draw that was offered to it.
    EngineDrawReply { is_accepted: bool },
    /// The rematch has started, or could not be started.
    RematchStarted(Result<GameId, ServerCode>),
    /// The chat as it is in the store, because lines were deleted.
    ChatReplaced(Vec<castellan_store::ChatLine>),
    /// The game was deleted.
    Deleted,
    /// A player has to leave the game, because they are banned or delete their account.
    Forfeit(PlayerId),
    /// The server is shutting down.
    Close,
}

/// What another node announced about a game.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PeerUpdate {
    /// The game has at least this version.
    pub(crate) version: u32,
    /// Hash of the latest chat line.
    pub(crate) chat_hash: Option<u64>,
    /// The rematch, if it has started.
    pub(crate) rematch: Option<GameId>,
}

/// What a player does in a game.
#[derive(Clone, Debug)]
pub(crate) enum PlayerAction {
    /// A command of the full protocol.
    Command(Command),
    /// A move in the plain protocol, which does not count plies.
    SimpleMove(SimpleMove),
    /// The result of the game as reported by a client of the plain protocol.
    SimpleEnd(GameEnd),
}

impl Call {
    /// Returns `true` if a client is waiting for a response.
    pub(crate) fn is_from_client(&self) -> bool {
        self.requester().is_some()
    }

    /// Returns the connection of the client that is waiting for a response, if any.
    pub(crate) fn requester(&self) -> Option<&Connection> {
        let (subscriber, request) = self.request()?;
        request.is_from_client().then_some(&*subscriber.connection)
    }

    /// Sends the caller an error response, if the caller is a client.
    pub(crate) fn refuse(self, code: ServerCode) {
        // The room closes after the game ends; the connection then has the result.
        if let Call::Act { subscriber, action: PlayerAction::SimpleEnd(reported), .. } = &self
            && let Some(end) = subscriber.connection.last_end()
        {
            return check_reported_end(&subscriber.connection, *reported, end);
        }
        if let Some((subscriber, request)) = self.request() {
            request.refuse(&subscriber.connection, code);
        }
    }

    /// Returns the subscriber and the request that an error response goes to, if any.
    fn request(&self) -> Option<(&Subscriber, RequestRef)> {
        match self {
            Call::Join { subscriber, request, .. }
            | Call::Act { subscriber, request, .. }
            | Call::Chat { subscriber, request, .. } => Some((subscriber, *request)),
            Call::Leave(_)
            | Call::ChatStored { .. }
            | Call::PeerUpdate(_)
            | Call::Wake
            | Call::Reload
            | Call::ChatLoaded(_)
            | Call::Rated(_)
            | Call::EngineMove { .. }
            | Call::EngineDrawReply { .. }
            | Call::RematchStarted(_)
            | Call::ChatReplaced(_)
            | Call::Deleted
            | Call::Forfeit(_)
            | Call::Close => None,
        }
    }
}

/// What a room needs to start.
pub(crate) struct RoomInit {
    /// The game's ID.
    pub(crate) id: GameId,
    /// The game as read from the store.
    pub(crate) game: Game,
    /// Its current turn.
    pub(crate) turn: TurnRecord,
    /// Sender and receiver of the room's inbox.
    pub(crate) sender: mpsc::Sender<Call>,
    pub(crate) inbox: mpsc::Receiver<Call>,
    /// Period in which no server was available to the player to move.
    pub(crate) downtime: Option<Downtime>,
    /// The game that this one is a rematch of.
    pub(crate) rematch_of: Option<GameId>,
    /// The most recent chat lines.
    pub(crate) chat: Vec<castellan_store::ChatLine>,
    /// Counts the game against the limits of the addresses that are responsible for it.
    pub(crate) quota_guard: AddressGuard,
    /// When each color went away, if the game was asleep.
    pub(crate) away_since: Option<[Option<Moment>; 2]>,
}

/// A game in memory, with its audience.
pub(crate) struct Room {
    shared: Arc<Shared>,
    id: GameId,
    game: Game,
    sender: mpsc::Sender<Call>,
    inbox: mpsc::Receiver<Call>,
    audience: Audience,
    chat: Chat,
    /// The most recent events with their versions, encoded as they were announced.
    recent: VecDeque<(u32, Utf8Bytes)>,
    /// `false` if the game in memory may differ from the store.
    is_in_sync: bool,
    /// Why the game can no longer be shown, if it is damaged in the store or was deleted.
    gone: Option<ServerCode>,
    /// The current turn as the store has it.
    turn: TurnRecord,
    /// Time that the server owes the player to move.
    credit: TimeCredit,
    /// The player to move, if they have just come and may have been on the way from another node.
    arriving: Option<ArrivingPlayer>,
    /// Reading of the clock's stall counter when a player last connected or disconnected.
    stalled_ms: u64,
    /// When the current turn started.
    turn_since: Moment,
    /// The request for an engine's move.
    engine_search: Option<EngineSearch>,
    /// The ply at which an engine was asked about a draw offer, and the request.
    draw_request: Option<(u32, EngineTicket)>,
    /// What the engine remembers of the game, if it plays. It is lost with the room, which costs no
    /// more than a few moves until the engine resigns.
    conduct: Conduct,
    /// Timers do nothing before this moment.
    not_before: Moment,
    /// When the number of spectators is sent next.
    presence_at: Option<Moment>,
    rematch_of: Option<GameId>,
    rematch: Option<GameId>,
    closes_at: Option<Moment>,
    _task_guard: TaskGuard,
    quota_guard: AddressGuard,
}

/// A request for an engine's move.
struct EngineSearch {
    ply: u32,
    /// When the room asked.
    asked: Moment,
    /// When the room asked, or last checked that the request is still pending.
    since: Moment,
    ticket: EngineTicket,
    /// The decision of the engine, and when to carry it out: an engine with a level takes as long
    /// as a person would.
    held: Option<(Box<EngineChoice>, Moment)>,
}

impl Room {
    /// Creates a room for a stored game.
    pub(crate) fn new(shared: Arc<Shared>, init: RoomInit, task_guard: TaskGuard) -> Room {
        let now = shared.services.clock.now();
        let RoomInit { id, game, turn, sender, inbox, downtime, rematch_of, chat, .. } = init;
        let RoomInit { quota_guard, away_since, .. } = init;
        let room = Room {
            turn_since: game.last_at(),
            closes_at: game.end().map(|_| now.plus_ms(LINGER_MS)),
            audience: Audience::new(away_since.unwrap_or([Some(now); 2])),
            chat: Chat::new(&game, chat),
            recent: VecDeque::new(),
            is_in_sync: true,
            gone: None,
            credit: TimeCredit::new(&shared.services.clock, game.turn_since(), downtime),
            arriving: None,
            stalled_ms: shared.services.clock.arrival().stalled_ms,
            engine_search: None,
            draw_request: None,
            conduct: Conduct::default(),
            not_before: now,
            presence_at: None,
            rematch: None,
            _task_guard: task_guard,
            quota_guard,
            shared,
            id,
            game,
            turn,
            sender,
            inbox,
            rematch_of,
        };
        if away_since.is_some() {
            // The game has been in the list all along, but may have ended at another node.
            if room.game.end().is_some() {
                room.deregister();
            }
        } else if room.game.end().is_none() {
            let seat = |color| room.game.seats().get(color).cloned();
            let settings = room.game.settings();
            let running = RunningGame {
                id: room.id,
                seats: Color::ALL.map(seat),
                time_control: settings.time_control,
                is_rated: settings.is_rated,
            };
            room.shared.rooms.started(running, &room.players());
            room.shared.services.metrics.games.increment(1.0);
        }
        room
    }

    /// Adds a connection that is there from the start of the game.
    pub(crate) fn welcome(&mut self, subscriber: &Subscriber) {
        self.join(subscriber, RequestRef::default(), None, self.arrival());
    }

    /// Handles calls and timers until the game falls asleep or is damaged, or it is over and the
    /// audience has left or the time is up.
    pub(crate) async fn run(mut self) {
        self.refresh_audience();
        self.tick().await;
        loop {
            // Once per iteration, so that every change is sent with the next heartbeat.
            let _ = self.publish_presence();
            let wake = self.next_wake();
            let clock = self.shared.services.clock.clone();
            let call = tokio::select! {
                biased;
                call = self.inbox.recv() => call,
                () = time::sleep(&clock, wake) => None,
            };
            match call {
                Some(Call::Close) => break,
                Some(call) => self.handle(call).await,
                None => {}
            }
            self.tick().await;
            if self.is_done() {
                break;
            }
            if self.may_sleep()
                && let Some((wake_at, _)) = self.local_abandonment()
            {
                return self.sleep(wake_at);
            }
        }
        self.close().await;
    }

    /// Replaces the room with a small record, from which the game is opened again.
    fn sleep(self, wake_at: Moment) {
        let (version, players) = (self.game.version(), self.players());
        let away_since = self.audience.away_since();
        let Room { shared, id, mut inbox, quota_guard, .. } = self;
        let note = SleepingGame { version, players, away_since, wake_at, quota_guard };
        shared.rooms.sleep(id, note);
        shared.peers.remove_local(id);
        inbox.close();
        // These calls came before the note was there.
        while let Ok(call) = inbox.try_recv() {
            shared.call(id, call);
        }
    }

    /// Removes the room from the list of rooms and answers the calls still in its inbox. If the
    /// game goes on at another node or after a restart, its clients can reconnect at once, and what
    /// the player to move is owed is recorded.
    async fn close(mut self) {
        self.shared.rooms.close(self.id);
        self.inbox.close();
        if let Some(why) = self.gone {
            return self.close_gone(why);
        }
        while let Ok(call) = self.inbox.try_recv() {
            if self.game.end().is_some() {
                self.handle(call).await;
            } else {
                call.refuse(ServerCode::ShuttingDown);
            }
        }
        let is_running = self.game.end().is_none();
        for subscriber in self.audience.subscribers() {
            subscriber.connection.unfollow(self.id);
            if is_running {
                subscriber.connection.close(CloseReason::Shutdown);
            }
        }
        if is_running {
            self.finish_arrival().await;
            let mut recorded = self.record_credit().await;
            if matches!(recorded, Err(PersistError::Conflict)) {
                // Another node has credited a part of it, which the room knows by now.
                recorded = self.record_credit().await;
            }
            if recorded.is_err() {
                tracing::warn!(game = %self.id, "a time credit could not be saved at the shutdown");
            }
            self.deregister();
        }
        self.shared.peers.remove_local(self.id);
    }

    fn deregister(&self) {
        self.shared.rooms.ended(self.id, &self.players());
        self.shared.services.metrics.games.decrement(1.0);
    }

    fn is_done(&self) -> bool {
        let is_over = |closes_at| self.audience.is_empty() || self.now() >= closes_at;
        self.gone.is_some() || self.closes_at.is_some_and(is_over)
    }

    fn now(&self) -> Moment {
        self.shared.services.clock.now()
    }

    fn arrival(&self) -> Arrival {
        self.shared.services.clock.arrival()
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    pub(crate) fn id(&self) -> GameId {
        self.id
    }

    /// Returns the human players.
    pub(crate) fn players(&self) -> Vec<PlayerId> {
        let ids = Color::ALL.into_iter().filter_map(|color| self.game.seats().get(color));
        ids.map(|player| player.id).filter(|id| Level::of_player(*id).is_none()).collect()
    }

    fn engine_color(&self) -> Option<Color> {
        Color::ALL.into_iter().find(|color| {
            let player = self.game.seats().get(*color);
            player.is_some_and(|player| Level::of_player(player.id).is_some())
        })
    }

    async fn handle(&mut self, call: Call) {
        match call {
            Call::Join { subscriber, request, since, received } => {
                self.join(&subscriber, request, since, received);
            }
            Call::Leave(connection) => self.leave(connection),
            Call::Act { subscriber, request, action, received } => {
                self.act(&subscriber, request, action, received).await;
            }
            Call::Chat { subscriber, request, text } => self.store_chat(subscriber, request, text),
            Call::ChatStored { author, line } => self.broadcast_chat(author, line),
            Call::PeerUpdate(update) => self.apply_peer_update(update),
            Call::Reload => self.compare_with_store().await,
            Call::ChatLoaded(lines) => self.add_stored_chat(lines),
            Call::Rated(ratings) => {
                self.audience.broadcast(&encode(&ServerMessage::Ratings(ratings)));
            }
            Call::EngineMove { ply, choice } => self.receive_engine_choice(ply, choice).await,
            Call::EngineDrawReply { is_accepted } => self.answer_draw(is_accepted).await,
            Call::RematchStarted(result) => self.rematched(result),
            Call::ChatReplaced(lines) => self.replace_chat(lines),
            Call::Deleted => self.gone = Some(ServerCode::UnknownGame),
            Call::Forfeit(player) => self.forfeit(player).await,
            Call::Wake | Call::Close => {}
        }
    }
}
