//! The path of a command from a player, an engine or a timer through the store to the audience.
//!
//! This is the only place where a game changes: `decide`, then the store, then `evolve`, then the
//! audience, and last the side effects of the events. If the store cannot say whether it saved a
//! batch, or another node has stored events, the room reads the events that it does not have.

use core::time::Duration;

use castellan_game::{
    Actor, Command, EndReason, Event, Game, Moment, PlayerId, Proposal, Recorded, Refusal,
};
use castellan_protocol::simple::GameEnd;
use castellan_protocol::{GameEvent, Ratings, ServerCode, ServerMessage};
use castellan_store::{Batch, StoreError, Summary};

use super::super::connection::Connection;
use super::super::damaged::Damage;
use super::super::lock;
use super::super::ratings;
use super::super::reply::{self, RequestRef, encode};
use super::audience::Subscriber;
use super::{LINGER_MS, PlayerAction, RECENT, RETRY_MS, Room};
use crate::bus::BusMessage;
use crate::clock::Arrival;

/// Maximum attempts to apply ratings when a concurrent game updates the same player.
const RATING_ATTEMPTS: usize = 8;

/// Where the room got an event from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum EventSource {
    /// This room decided and stored it.
    Local,
    /// The room read it from the store: another node stored it, or this room's own write had an
    /// uncertain outcome.
    Store,
}

/// Why a command had no effect.
#[derive(Debug)]
pub(super) enum PersistError {
    /// The rules of the game do not allow it.
    Refused(Refusal),
    /// The store failed and saved nothing.
    NotStored(StoreError),
    /// Another node stored an event first. The room has since loaded that event.
    Conflict,
    /// The store could not be read.
    OutOfSync,
    /// The store cannot read the game, or no longer has every event that the room has.
    Damaged,
}

impl PersistError {
    /// Returns the error code and message for the player. The caller reports refusals by the game
    /// itself.
    fn message(&self) -> (ServerCode, String) {
        match self {
            PersistError::NotStored(StoreError::DiskFull) => {
                let message = "the server is out of disk space; this was not saved";
                (ServerCode::NotStored, message.to_owned())
            }
            PersistError::NotStored(StoreError::Overloaded { .. }) => {
                let message = "the server is overloaded; this was not saved, please try again";
                (ServerCode::NotStored, message.to_owned())
            }
            PersistError::Refused(refusal) => (ServerCode::Internal, refusal.to_string()),
            PersistError::NotStored(_) | PersistError::Conflict => {
                (ServerCode::NotStored, ServerCode::NotStored.message().to_owned())
            }
            PersistError::OutOfSync => {
                let message =
                    "the server could not confirm that this was saved; the game is being reloaded";
                (ServerCode::NotStored, message.to_owned())
            }
            PersistError::Damaged => {
                (ServerCode::DamagedGame, ServerCode::DamagedGame.message().to_owned())
            }
        }
    }
}

impl Room {
    /// Executes a player's action, or tells the player why it failed.
    pub(super) async fn act(
        &mut self,
        subscriber: &Subscriber,
        request: RequestRef,
        action: PlayerAction,
        received: Arrival,
    ) {
        let command = match action {
            PlayerAction::SimpleEnd(reported) => {
                return self.check_reported_end(&subscriber.connection, reported);
            }
            PlayerAction::Command(command) => command,
            PlayerAction::SimpleMove(mv) => Command::Move {
                ply: self.game.ply(),
                mv: mv.to_uci(),
                lag: Duration::from_millis(subscriber.connection.lag_ms().into()),
            },
        };
        self.add_player(subscriber, request, received);
        let is_move = matches!(command, Command::Move { .. });
        let done = self.execute(Actor::Player(subscriber.player()), &command, received).await;
        match done {
            Ok(true) => {
                let metrics = &self.shared.services.metrics;
                if is_move {
                    subscriber.connection.refund_message();
                    metrics.moves.increment(1);
                    let took_ms = self.now().since_ms(received.at);
                    metrics.move_seconds.record(took_ms as f64 / 1000.0);
                }
                if matches!(command, Command::Abort) {
                    self.record_leave(subscriber.player());
                }
            }
            Ok(false) => self.send_last_event(subscriber),
            Err(PersistError::Refused(refusal)) => {
                request.refuse_by_game(&subscriber.connection, &refusal);
            }
            Err(error) => {
                self.give_time_back(subscriber, received);
                let (code, message) = error.message();
                request.refuse_with_message(&subscriber.connection, code, message);
            }
        }
    }

    /// Aborts the game for a player who has to leave, or resigns it if it is too late for that.
    pub(super) async fn forfeit(&mut self, player: PlayerId) {
        for command in [Command::Abort, Command::Resign] {
            let received = self.arrival();
            match self.execute(Actor::Player(player), &command, received).await {
                Ok(_) => return,
                Err(PersistError::Refused(_)) => {}
                Err(error) => {
                    let (_, why) = error.message();
                    return tracing::warn!(game = %self.id, "a game was not ended: {why}");
                }
            }
        }
    }

    /// Checks a result reported by a client of the plain protocol. A correct report gets no
    /// response; a wrong one gets the actual state of the game.
    fn check_reported_end(&self, connection: &Connection, reported: GameEnd) {
        match self.game.end() {
            Some(end) => {
                reply::check_reported_end(connection, reported, GameEnd { winner: end.winner });
            }
            None => {
                let turn = self.game.line().turn();
                let message = format!("the game is not over; it is {turn}'s turn");
                reply::send_simple_error(connection, message);
            }
        }
    }

    /// Records that a player left a game while a human opponent was waiting.
    pub(super) fn record_leave(&self, player: PlayerId) {
        if self.players().len() == 2 {
            lock(&self.shared.leaves).left(player, self.now());
        }
    }
}

/// The path of a command to its announcement.
impl Room {
    /// Executes a command: decides it as of its arrival, then stores, applies, and announces the
    /// resulting events. Returns `false` if there were none.
    pub(super) async fn execute(
        &mut self,
        by: Actor,
        command: &Command,
        received: Arrival,
    ) -> Result<bool, PersistError> {
        self.catch_up().await?;
        match self.decide_and_store(by, command, received).await {
            // A player's command may still be possible, such as a resignation while a move came in.
            // A timer's may no longer be due: that move has begun the turn of the other player.
            Err(PersistError::Conflict) if by != Actor::Server => {
                self.decide_and_store(by, command, received).await
            }
            other => other,
        }
    }

    /// Decides a command and stores its events. The command counts as of the moment it arrived,
    /// less the time that the server owes the player, however long it waited in the inbox and
    /// however long the store takes.
    async fn decide_and_store(
        &mut self,
        by: Actor,
        command: &Command,
        received: Arrival,
    ) -> Result<bool, PersistError> {
        self.adopt_credit();
        let at = self.credit.game_time(received);
        let events = self.game.decide(by, command, at).map_err(PersistError::Refused)?;
        if events.is_empty() {
            return Ok(false);
        }
        self.store_events(events, received.at).await?;
        Ok(true)
    }

    /// Reads what other nodes have stored if the game may differ from the store.
    pub(super) async fn catch_up(&mut self) -> Result<(), PersistError> {
        if !self.is_in_sync {
            self.read_new_events().await?;
        }
        Ok(())
    }

    pub(super) async fn store_events(
        &mut self,
        events: Vec<Event>,
        now: Moment,
    ) -> Result<(), PersistError> {
        let recorded = self.game.record(events, now);
        let finish = summary(&self.game, &recorded);
        for _ in 0..RATING_ATTEMPTS {
            let rated = match &finish {
                Some(finish) => {
                    let rated =
                        ratings::rate(&self.shared.services, self.id, &self.game, finish.end);
                    rated.await.map_err(PersistError::NotStored)?
                }
                None => None,
            };
            let (changes, message) = rated.unzip();
            let batch = Batch {
                game: self.id,
                events: recorded.clone(),
                finish: finish.clone(),
                ratings: changes.unwrap_or_default(),
            };
            match self.shared.services.store.append(batch).await {
                Ok(()) => {
                    self.announce(&recorded, EventSource::Local);
                    self.publish_version();
                    self.send_ratings(message);
                    return Ok(());
                }
                Err(StoreError::RatingConflict { .. }) => {}
                Err(error) => return self.handle_store_error(error, &recorded).await,
            }
        }
        Err(PersistError::NotStored(StoreError::Overloaded { waited: Duration::ZERO }))
    }

    /// Handles a failed write. If the outcome is uncertain, reads the new events to find out.
    async fn handle_store_error(
        &mut self,
        error: StoreError,
        recorded: &[Recorded],
    ) -> Result<(), PersistError> {
        tracing::warn!(game = %self.id, "events could not be saved: {error}");
        let is_open = matches!(
            error,
            StoreError::Conflict { .. }
                | StoreError::AlreadyFinished { .. }
                | StoreError::NoSuchGame { .. }
                | StoreError::Uncertain { .. }
        );
        if !is_open {
            self.shared.note_store_failure();
            return Err(PersistError::NotStored(error));
        }
        self.shared.services.metrics.store_errors.increment(1);
        self.is_in_sync = false;
        let stored = self.read_new_events().await?;
        if matches!(error, StoreError::AlreadyFinished { .. }) && self.game.is_running() {
            // The event that ended the game is missing, or has the version of one that the room
            // knows.
            self.reload().await?;
            let why = "it is over, but the event that ended it is missing";
            return Err(self.set_aside(Damage::Incomplete, why));
        }
        if !stored.starts_with(recorded) {
            return Err(PersistError::Conflict);
        }
        if recorded
            .iter()
            .any(|it| matches!(it.event, Event::Moved { .. } | Event::TakenBack { .. }))
        {
            self.credit.note_own();
        }
        self.publish_version();
        if recorded.iter().any(|it| it.event == Event::RematchAgreed {}) {
            self.begin_rematch();
        }
        Ok(())
    }

    /// Reads the events after the last one that the room has, announces them, and returns them.
    /// If they do not fit, reads the whole game.
    async fn read_new_events(&mut self) -> Result<Vec<Recorded>, PersistError> {
        let known = self.game.version();
        match self.shared.services.store.events_after(self.id, known).await {
            Ok(Some(events)) => {
                self.is_in_sync = true;
                if self.announce(&events, EventSource::Store) {
                    return Ok(events);
                }
            }
            // The store has fewer events than the room, or has lost one.
            Ok(None) | Err(StoreError::Damaged { .. }) => {}
            Err(error) => return self.mark_out_of_sync(&error),
        }
        self.reload().await
    }

    /// Reads the whole game, announces the events that were not announced yet, and returns them. If
    /// the store does not have what was announced, the game is set aside.
    pub(super) async fn reload(&mut self) -> Result<Vec<Recorded>, PersistError> {
        let stored = match self.shared.services.store.load_game(self.id).await {
            Ok(Some(stored)) => stored,
            Ok(None) => return Err(self.set_aside(Damage::Unreadable, "it is no longer there")),
            Err(StoreError::Damaged { what }) => {
                return Err(self.set_aside(Damage::Unreadable, what));
            }
            Err(error) => return self.mark_out_of_sync(&error),
        };
        let known = self.game.version() as usize;
        if !self.is_continued_by(&stored) {
            return self.abort_in_store(stored).await;
        }
        let events = stored.events[known..].to_vec();
        self.is_in_sync = true;
        if !self.announce(&events, EventSource::Store) {
            return Err(self.set_aside(Damage::Unreadable, "an event cannot be applied"));
        }
        Ok(events)
    }

    pub(super) fn mark_out_of_sync<T>(
        &mut self,
        why: impl core::fmt::Display,
    ) -> Result<T, PersistError> {
        tracing::error!(game = %self.id, "the game could not be reloaded: {why}");
        self.not_before = self.now().plus_ms(RETRY_MS);
        Err(PersistError::OutOfSync)
    }

    /// Applies stored events, broadcasts them, and runs their side effects. Returns `false` if one
    /// of them does not fit the game; those before it are applied.
    fn announce(&mut self, recorded: &[Recorded], source: EventSource) -> bool {
        for (index, one) in recorded.iter().enumerate() {
            let offer = self.game.offer(Proposal::Draw);
            if let Err(error) = self.game.evolve(one) {
                // `decide` produces only events that fit, and stored events were decided, so this
                // is a bug or a foreign write to the database. The room reads the game again
                // before it continues.
                tracing::error!(game = %self.id, "a saved event cannot be applied: {error}");
                self.is_in_sync = false;
                self.not_before = self.now().plus_ms(RETRY_MS);
                return false;
            }
            let now = self.arrival();
            self.turn.apply(one);
            self.credit.announce(&one.event, one.at, now, source == EventSource::Local);
            // Clients need the clocks once, after all events of this moment.
            let is_last = index + 1 == recorded.len();
            let clocks = is_last.then(|| self.clocks(now));
            let message = encode(&ServerMessage::Event(GameEvent::new(self.id, one, clocks)));
            if self.recent.len() >= RECENT {
                self.recent.pop_front();
            }
            self.recent.push_back((one.version, message.clone()));
            self.audience.broadcast(&message);
            self.audience.broadcast_simple(&self.game, &one.event, offer);
        }
        self.note_told();
        for one in recorded {
            self.run_side_effects(one, source);
        }
        true
    }

    fn send_ratings(&self, ratings: Option<Ratings>) {
        if let Some(ratings) = ratings {
            self.audience.broadcast(&encode(&ServerMessage::Ratings(ratings)));
            self.shared.services.bus.publish(BusMessage::Rated { ratings });
        }
    }

    /// Runs the side effects of an event that has been announced.
    fn run_side_effects(&mut self, recorded: &Recorded, source: EventSource) {
        match &recorded.event {
            Event::Started {}
            | Event::Moved { .. }
            | Event::TakenBack { .. }
            | Event::Resumed { .. } => {
                self.turn_since = recorded.at;
                self.engine_search = None;
            }
            Event::Ended(end) => {
                self.engine_search = None;
                self.draw_request = None;
                self.closes_at = Some(self.now().plus_ms(LINGER_MS));
                self.deregister();
                self.shared.services.metrics.games_ended.increment(1);
                self.audience.remove_simple(self.id, GameEnd { winner: end.winner });
                if end.reason == EndReason::Abandoned
                    && let Some(loser) = end.winner.map(|winner| !winner)
                    && let Some(player) = self.game.seats().get(loser)
                {
                    self.record_leave(player.id);
                }
            }
            Event::RematchAgreed {} => {
                if source == EventSource::Local {
                    self.begin_rematch();
                }
            }
            Event::Seated { .. }
            | Event::Touched { .. }
            | Event::Offered { .. }
            | Event::Declined { .. }
            | Event::TimeAdded { .. } => {}
        }
    }
}

/// Returns the summary for game lists if these events end the game.
pub(super) fn summary(game: &Game, recorded: &[Recorded]) -> Option<Summary> {
    let end_of = |one: &Recorded| match one.event {
        Event::Ended(end) => Some((end, one.at)),
        _ => None,
    };
    let (end, finished) = recorded.iter().find_map(end_of)?;
    let is_move = |one: &&Recorded| matches!(one.event, Event::Moved { .. });
    let moves = recorded.iter().filter(is_move).count();
    let plies = game.ply() + u32::try_from(moves).unwrap_or(u32::MAX);
    Some(Summary { end, plies, finished })
}
