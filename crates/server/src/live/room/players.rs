//! What the players of a game do: the actions of people, the moves and answers of the engine, and
//! the rematch on which they agree.
//!
//! The engine is a player without a connection, whose commands take the same path as those of a
//! person. That path is in `commands`.

use core::hash::{Hash, Hasher};
use core::time::Duration;
use std::sync::Arc;

use castellan_game::{Actor, Command, Decision, GameId, Player, PlayerId, Proposal};
use castellan_protocol::simple::GameEnd;
use castellan_protocol::{Level, ServerCode};
use castellan_rules::{Color, UciMove};

use super::super::begin::{self, GamePlan, SeatPlan};
use super::super::connection::Connection;
use super::super::engine_queue::EnginesBusy;
use super::super::engines::{EngineChoice, EngineRequest, EngineTask};
use super::super::lock;
use super::super::reply::{self, RequestRef};
use super::audience::Subscriber;
use super::commands::PersistError;
use super::{Call, ENGINE_TIMEOUT_MS, EngineSearch, PlayerAction, RETRY_MS, Room};
use crate::clock::Arrival;
use crate::identity::Identity;

/// The actions of people.
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

/// The engine as a player.
impl Room {
    /// Accepts the decision of an engine, unless the game has moved on, and carries it out after
    /// the time that a person would take.
    pub(super) async fn receive_engine_choice(
        &mut self,
        ply: u32,
        choice: Option<Box<EngineChoice>>,
    ) {
        let Some(search) = self.engine_search.as_ref().filter(|search| search.ply == ply) else {
            return;
        };
        let Some(choice) = choice else {
            self.engine_search = None;
            return;
        };
        let due = search.asked.plus_ms(self.thinking_ms(&choice));
        self.conduct = choice.conduct.clone();
        if let Some(search) = &mut self.engine_search {
            search.held = Some((choice, due));
        }
        self.play_engine_choice().await;
    }

    /// Returns how long the engine takes for a move that it has found. Full strength has used its
    /// time for the search.
    fn thinking_ms(&self, choice: &EngineChoice) -> u64 {
        let color = self.game.line().turn();
        let player = self.game.seats().get(color).map(|player| player.id);
        if player.and_then(Level::of_player).and_then(Level::elo).is_none() {
            return 0;
        }
        // The same number for the same move of a game, so that another node would wait as long.
        let mut hasher = std::hash::DefaultHasher::new();
        (self.id, self.game.ply()).hash(&mut hasher);
        let chance =
            f64::from(u32::try_from(hasher.finish() >> 32).unwrap_or(0)) / f64::from(u32::MAX);
        Decision::new(&self.game, choice.mv, choice.surprise_cp, self.now()).time_ms(chance)
    }

    /// Plays the engine's move or resigns for it, if that is due.
    pub(super) async fn play_engine_choice(&mut self) {
        let now = self.now();
        let is_due =
            |search: &mut EngineSearch| search.held.as_ref().is_some_and(|(_, due)| *due <= now);
        let Some(search) = self.engine_search.take_if(is_due) else { return };
        let Some((choice, _)) = search.held else { return };
        if choice.resigns {
            return self.act_for_engine(Command::Resign).await;
        }
        // A draw is offered before the move (FIDE 9.1.2.1).
        if choice.offers_draw && self.game.offer(Proposal::Draw).is_none() {
            self.act_for_engine(Command::Offer(Proposal::Draw)).await;
        }
        let mv = UciMove::from_move(choice.mv, self.game.settings().castling());
        self.act_for_engine(Command::Move { ply: search.ply, mv, lag: Duration::ZERO }).await;
    }

    /// Asks the engine for a move if it is its turn, and answers the opponent's offers on its
    /// behalf.
    pub(super) async fn run_engine(&mut self) {
        let Some(color) = self.engine_color() else { return };
        let Some(player) = self.game.seats().get(color).cloned() else { return };
        if self.audience.is_played_elsewhere(&self.game) {
            return;
        }
        self.consider_draw(color).await;
        for what in [Proposal::Takeback, Proposal::Rematch] {
            if self.game.offer(what) == Some(!color) {
                self.act_for_engine(Command::Accept(what)).await;
            }
        }
        let is_to_move = self.game.is_running() && self.game.line().turn() == color;
        let ply = self.game.ply();
        let is_asked = self.engine_search.as_ref().is_some_and(|search| search.ply == ply);
        if let Some(level) = Level::of_player(player.id)
            && is_to_move
            && !is_asked
        {
            self.ask_engine(level, color);
        }
    }

    /// Asks an engine whether it accepts a draw. If no engine is free, the offer is declined.
    async fn consider_draw(&mut self, color: Color) {
        if self.game.offer(Proposal::Draw) != Some(!color) {
            self.draw_request = None;
            return;
        }
        let (ply, sender) = (self.game.ply(), self.sender.clone());
        let player = self.game.seats().get(color).map(|player| player.id);
        let Some(level) = player.and_then(Level::of_player) else { return };
        if self.draw_request.is_some() {
            return;
        }
        let answer =
            move |is_accepted| drop(sender.try_send(Call::EngineDrawReply { is_accepted }));
        let engine_request = EngineRequest {
            line: self.game.line().clone(),
            level,
            seed: seed_of(self.id),
            remaining: None,
            task: EngineTask::Draw(color, Box::new(answer)),
        };
        match self.shared.engines.submit(engine_request) {
            Ok(ticket) => self.draw_request = Some((ply, ticket)),
            Err(EnginesBusy) => self.act_for_engine(Command::Decline(Proposal::Draw)).await,
        }
    }

    /// Responds to the draw offer that an engine evaluated, if the offer is still open.
    pub(super) async fn answer_draw(&mut self, is_accepted: bool) {
        let Some((ply, _)) = self.draw_request.take() else { return };
        let Some(color) = self.engine_color() else { return };
        // A move made meanwhile changes the evaluated position, so the offer is declined.
        let is_accepted = is_accepted && ply == self.game.ply();
        if self.game.offer(Proposal::Draw) == Some(!color) {
            self.act_for_engine(match is_accepted {
                true => Command::Accept(Proposal::Draw),
                false => Command::Decline(Proposal::Draw),
            })
            .await;
        }
    }

    async fn act_for_engine(&mut self, command: Command) {
        let player = self.engine_color().and_then(|color| self.game.seats().get(color));
        let Some(player) = player.map(|player| player.id) else { return };
        let by = Actor::Player(player);
        if let Err(error) = self.execute(by, &command, self.arrival()).await {
            tracing::warn!(game = %self.id, "the engine's {command:?} was not applied: {error:?}");
            self.not_before = self.now().plus_ms(RETRY_MS);
        }
    }

    fn ask_engine(&mut self, level: Level, color: Color) {
        let (now, ply, sender) = (self.now(), self.game.ply(), self.sender.clone());
        let remaining_ms = self.game.clocks(now).of(color).remaining_ms;
        let engine_request = EngineRequest {
            line: self.game.line().clone(),
            level,
            seed: seed_of(self.id),
            remaining: remaining_ms.map(Duration::from_millis),
            // If the inbox is full, the move is lost, and the room asks again later.
            task: EngineTask::Move(
                self.conduct.clone(),
                Box::new(move |choice| {
                    let choice = choice.map(Box::new);
                    drop(sender.try_send(Call::EngineMove { ply, choice }));
                }),
            ),
        };
        match self.shared.engines.submit(engine_request) {
            Ok(ticket) => {
                self.shared.services.metrics.engine_requests.increment(1);
                let held = None;
                self.engine_search =
                    Some(EngineSearch { ply, asked: now, since: now, ticket, held });
            }
            Err(EnginesBusy) => self.not_before = now.plus_ms(RETRY_MS),
        }
    }

    /// Drops an engine request whose answer was lost, so that the engine is asked again. A request
    /// that is still in the queue is not repeated, because that would only make the queue longer.
    pub(super) fn expire_engine_search(&mut self) {
        let now = self.now();
        let Some(search) = &mut self.engine_search else { return };
        if search.held.is_some() || now.since_ms(search.since) < ENGINE_TIMEOUT_MS {
            return;
        }
        if search.ticket.is_over() {
            self.engine_search = None;
        } else {
            search.since = now;
        }
    }
}

/// Rematches.
impl Room {
    /// Starts a game with the same settings and reversed colors.
    pub(super) fn begin_rematch(&mut self) {
        let seat = |color: Color| {
            let player = self.game.seats().get(color)?;
            if let Some(level) = Level::of_player(player.id) {
                return Some(SeatPlan::Engine(level));
            }
            let subscribers = self.audience.subscribers().iter();
            let mut own =
                subscribers.filter(|subscriber| subscriber.player() == player.id).peekable();
            let who = match own.peek() {
                Some(subscriber) => Arc::clone(&subscriber.who),
                None => self.remote_player(player)?,
            };
            let connections = own.map(|subscriber| Arc::clone(&subscriber.connection)).collect();
            Some(SeatPlan::Person { who, connections })
        };
        let (shared, sender) = (Arc::clone(&self.shared), self.sender.clone());
        let (Some(white), Some(black)) = (seat(Color::Black), seat(Color::White)) else {
            // A player agreed and disconnected at the same moment.
            return self.rematched(Err(ServerCode::UnknownGame));
        };
        let settings = self.game.settings().clone();
        let plan = GamePlan { settings, seats: [white, black], rematch_of: Some(self.id) };
        self.shared.tasks.spawn(async move {
            let started = begin::start_game(&shared, plan).await;
            // If the room has closed in the meantime, there is no audience left to notify.
            let _ = sender.send(Call::RematchStarted(started)).await;
        });
    }

    /// Returns the identity of a player who has just agreed to a rematch and is not connected
    /// here, and so must be connected to another node.
    fn remote_player(&self, player: &Player) -> Option<Arc<Identity>> {
        if !self.shared.services.bus.is_joined() {
            return None;
        }
        // Only account holders have a rating in their seat.
        let (name, is_account) = (player.name.clone(), player.rating.is_some());
        Some(Arc::new(Identity { player: player.id, name, is_account, session: None }))
    }

    pub(super) fn rematched(&mut self, result: Result<GameId, ServerCode>) {
        match result {
            Ok(game) => {
                self.rematch = Some(game);
                self.send_snapshot_to_watchers();
            }
            Err(code) => {
                let players = self.audience.subscribers().iter();
                for subscriber in players.filter(|it| self.game.seats().is_seated(it.player())) {
                    RequestRef::default().refuse(&subscriber.connection, code);
                }
            }
        }
    }
}

/// Returns a seed that is always the same for the same game.
fn seed_of(game: GameId) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    game.hash(&mut hasher);
    hasher.finish()
}
