//! The engine as a player: a player without a connection, whose commands take the same path as
//! those of a person.

use core::hash::{Hash, Hasher};
use core::time::Duration;

use castellan_game::{Actor, Command, Decision, GameId, Proposal};
use castellan_protocol::Level;
use castellan_rules::{Color, UciMove};

use super::super::engine_queue::EnginesBusy;
use super::super::engines::{EngineChoice, EngineRequest, EngineTask};
use super::{Call, ENGINE_TIMEOUT_MS, EngineSearch, RETRY_MS, Room};

impl Room {
    /// Takes what an engine has decided, unless the game has moved on, and does it when a person
    /// would.
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

/// Returns a seed that is always the same for the same game.
fn seed_of(game: GameId) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    game.hash(&mut hasher);
    hasher.finish()
}
