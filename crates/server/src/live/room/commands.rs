//! The path of a command from a player, an engine or a timer through the store to the audience.
//!
//! This is the only place where a game changes: `decide`, then the store, then `evolve`, then the
//! audience, and last the side effects of the events. If the store cannot say whether it saved a
//! batch, or another node has stored events, the room reads the events that it does not have. If
//! the store has lost some, the game is set aside.

use core::time::Duration;

use castellan_game::{
    Actor, Command, End, EndReason, Event, Game, Moment, Proposal, Recorded, Refusal,
};
use castellan_protocol::simple::{GameEnd, SimpleServerMessage};
use castellan_protocol::{GameEvent, Ratings, ServerCode, ServerMessage};
use castellan_store::{Batch, StoreError, StoredGame, Summary};

use super::super::bus_events;
use super::super::connection::Protocol;
use super::super::damaged::Damage;
use super::super::ratings;
use super::super::reply::{RequestRef, encode, encode_simple};
use super::{LINGER_MS, RECENT, RETRY_MS, Room};
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
    pub(super) fn message(&self) -> (ServerCode, String) {
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
        self.finish_arrival().await;
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
    async fn reload(&mut self) -> Result<Vec<Recorded>, PersistError> {
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

    fn mark_out_of_sync<T>(&mut self, why: impl core::fmt::Display) -> Result<T, PersistError> {
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
        self.note_notified();
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

/// Handling of a game that the store cannot read, or whose announced events the store does not
/// have. The game cannot go on, because no node could prove how it went. It is set aside: its
/// players are told, and no clock decides it.
impl Room {
    /// Returns `true` if a stored game begins with everything that the room has announced.
    fn is_continued_by(&self, stored: &StoredGame) -> bool {
        let Some(known) = stored.events.get(..self.game.version() as usize) else { return false };
        let game = Game::replay(stored.settings.clone(), stored.created, known);
        game.is_ok_and(|game| {
            game.line().moves() == self.game.line().moves() && game.end() == self.game.end()
        })
    }

    /// Sets aside a game of which the store has lost events. The stored part is aborted, because
    /// the lost events cannot be recovered: otherwise the game would be continued after a restart,
    /// and the player whose move is missing would lose on time.
    async fn abort_in_store<T>(&mut self, stored: StoredGame) -> Result<T, PersistError> {
        let StoredGame { settings, created, events, .. } = stored;
        if let Ok(game) = Game::replay(settings, created, &events)
            && game.end().is_none()
        {
            let end = Event::Ended(End::without_winner(EndReason::Aborted));
            let recorded = game.record(vec![end], self.now());
            let finish = summary(&game, &recorded);
            let batch = Batch { finish, ..Batch::new(self.id, recorded) };
            match self.shared.services.store.append(batch).await {
                // Another node may have noticed it first.
                Ok(()) | Err(StoreError::Conflict { .. } | StoreError::AlreadyFinished { .. }) => {}
                Err(error) => return self.mark_out_of_sync(&error),
            }
        }
        bus_events::publish_repeatedly(&self.shared, BusMessage::LostEvents { game: self.id });
        let (left, announced) = (events.len(), self.game.version());
        let why = format!("of {announced} events that were announced, it has {left} or others");
        Err(self.set_aside(Damage::Incomplete, why))
    }

    fn set_aside(&mut self, damage: Damage, why: impl core::fmt::Display) -> PersistError {
        self.gone = Some(ServerCode::DamagedGame);
        self.shared.damaged.add(self.id, damage, why);
        PersistError::Damaged
    }

    /// Compares the game with the store, because another node has found that events are missing.
    pub(super) async fn compare_with_store(&mut self) {
        if let Err(PersistError::OutOfSync) = self.reload().await {
            self.is_in_sync = false;
        }
    }

    /// Tells all subscribers why the game is gone. Their connections stay open for other games.
    pub(super) fn close_gone(mut self, why: ServerCode) {
        while let Ok(call) = self.inbox.try_recv() {
            call.refuse(why);
        }
        let no_winner = GameEnd { winner: None };
        for subscriber in self.audience.subscribers() {
            let connection = &subscriber.connection;
            RequestRef::watching(self.id).refuse(connection, why);
            if connection.protocol() == Protocol::Simple {
                connection.send(encode_simple(&SimpleServerMessage::GameEnd(no_winner)));
            }
            connection.unfollow(self.id);
        }
        self.audience.remove_simple(self.id, no_winner);
        if self.game.end().is_none() {
            self.deregister();
        }
        self.shared.peers.remove_local(self.id);
    }
}

/// Returns the summary for game lists if these events end the game.
fn summary(game: &Game, recorded: &[Recorded]) -> Option<Summary> {
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
