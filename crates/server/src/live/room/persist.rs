//! The path from a command to its announcement, through the store.
//!
//! This is the only place where a game changes: `decide`, then the store, then `evolve`, then the
//! audience. If the store cannot say whether it saved a batch, or another node has stored events,
//! the room reads the events that it does not have.

use castellan_game::{Actor, Command, Event, Game, Moment, Recorded, Refusal};
use castellan_protocol::{ClocksView, GameEvent, Ratings, ServerCode, ServerMessage};
use castellan_store::{Batch, StoreError, StoredGame, Summary};

use super::super::reply::encode;
use super::{RECENT, RETRY_MS, Room};
use crate::bus::BusMessage;
use crate::clock::Arrival;

/// Maximum attempts to apply ratings when a concurrent game updates the same player.
const RATING_ATTEMPTS: usize = 8;

/// Where the room got an event from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EventSource {
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
    /// The store could not be read, or no longer has every event that the room has.
    OutOfSync,
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
        }
    }
}

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
            // The command may still be possible, such as a resignation while a move came in.
            Err(PersistError::Conflict) => self.decide_and_store(by, command, received).await,
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
        let at = self.credit.game_time(received);
        let events = self.game.decide(by, command, at).map_err(PersistError::Refused)?;
        if events.is_empty() {
            return Ok(false);
        }
        self.store_events(events, received.at).await?;
        Ok(true)
    }

    /// Records the time that the server owes the player to move, if it is large enough.
    pub(super) async fn record_credit(&mut self) -> Result<(), PersistError> {
        let now = self.arrival();
        // A message that is waiting goes first: a move settles the credit itself, and a player who
        // joins does not have to wait for the store.
        if !self.game.is_running() || !self.inbox.is_empty() {
            return Ok(());
        }
        let Some(owed_ms) = self.credit.take_due(now) else { return Ok(()) };
        let away = core::time::Duration::from_millis(owed_ms);
        let resume = self.game.decide(Actor::Server, &Command::Resume { away }, now.at);
        let events = resume.unwrap_or_default();
        if events.is_empty() {
            return Ok(());
        }
        let result = self.store_events(events, now.at).await;
        if result.is_err() {
            self.credit.reset_threshold();
        }
        result
    }

    /// Reads what other nodes have stored if the game may differ from the store.
    pub(super) async fn catch_up(&mut self) -> Result<(), PersistError> {
        if !self.is_in_sync {
            self.read_new_events().await?;
        }
        Ok(())
    }

    async fn store_events(&mut self, events: Vec<Event>, now: Moment) -> Result<(), PersistError> {
        let recorded = self.game.record(events, now);
        let finish = summary(&self.game, &recorded);
        for _ in 0..RATING_ATTEMPTS {
            let rated = match &finish {
                Some(finish) => self.rate(finish.end).await.map_err(PersistError::NotStored)?,
                None => None,
            };
            let (ratings, message) = rated.unzip();
            let batch = Batch {
                game: self.id,
                events: recorded.clone(),
                finish: finish.clone(),
                ratings: ratings.unwrap_or_default(),
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
        Err(PersistError::NotStored(StoreError::Overloaded { waited: core::time::Duration::ZERO }))
    }

    /// Handles a failed write. If the outcome is uncertain, reads the new events to find out.
    async fn handle_store_error(
        &mut self,
        error: StoreError,
        recorded: &[Recorded],
    ) -> Result<(), PersistError> {
        self.shared.services.metrics.store_errors.increment(1);
        tracing::warn!(game = %self.id, "events could not be saved: {error}");
        let is_open = matches!(
            error,
            StoreError::Conflict { .. }
                | StoreError::AlreadyFinished { .. }
                | StoreError::Uncertain { .. }
        );
        if !is_open {
            return Err(PersistError::NotStored(error));
        }
        self.is_in_sync = false;
        let stored = self.read_new_events().await?;
        if !stored.starts_with(recorded) {
            return Err(PersistError::Conflict);
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
        let mut events = self.reload().await?;
        Ok(events.split_off(known as usize))
    }

    /// Reads the whole game, and announces the events that were not announced yet.
    async fn reload(&mut self) -> Result<Vec<Recorded>, PersistError> {
        let events = match self.shared.services.store.load_game(self.id).await {
            Ok(Some(StoredGame { events, .. })) => events,
            Ok(None) => return self.mark_out_of_sync("it is no longer in the database"),
            Err(error) => return self.mark_out_of_sync(&error),
        };
        let known = self.game.version() as usize;
        if events.len() < known {
            return self.mark_out_of_sync("the database has lost events");
        }
        self.is_in_sync = true;
        self.announce(&events[known..], EventSource::Store);
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
            let offer = self.game.offer(castellan_game::Proposal::Draw);
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
            self.credit.announce(&one.event, one.at, now);
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
        for one in recorded {
            self.run_side_effects(one, source);
        }
        true
    }

    /// Returns the clocks as players should see them.
    pub(super) fn clocks(&self, now: Arrival) -> ClocksView {
        ClocksView::new(self.game.clocks(self.credit.game_time(now)), now.at)
    }

    fn send_ratings(&self, ratings: Option<Ratings>) {
        if let Some(ratings) = ratings {
            self.audience.broadcast(&encode(&ServerMessage::Ratings(ratings)));
            self.shared.services.bus.publish(BusMessage::Rated { ratings });
        }
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
