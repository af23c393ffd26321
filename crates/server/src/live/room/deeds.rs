//! Actions of players and engines, and the side effects of events.

use core::hash::{Hash, Hasher};
use core::time::Duration;
use std::sync::Arc;

use castellan_game::{Actor, Command, EndReason, Event, GameId, Proposal, Recorded};
use castellan_protocol::simple::GameEnd;
use castellan_protocol::{Level, ServerCode};
use castellan_rules::{Color, Move, UciMove};

use super::super::begin::{self, Plan, SeatPlan};
use super::super::engines::{self, Question};
use super::super::link::Link;
use super::super::lock;
use super::super::reply::{self, Asked};
use super::audience::Visitor;
use super::keeping::{Keeper, Trouble};
use super::{BREATH_MS, Call, Deed, LINGER_MS, LOST_THOUGHT_MS, Room};
use crate::clock::Arrival;

impl Room {
    /// Executes a player's action, or tells the player why it failed.
    pub(super) async fn act(
        &mut self,
        visitor: &Visitor,
        asked: Asked,
        deed: Deed,
        received: Arrival,
    ) {
        if let Deed::SimpleEnd(reported) = deed {
            return self.check_reported_end(&visitor.link, reported);
        }
        self.let_player_in(visitor, asked);
        let command = match deed {
            // Already handled above, without a command.
            Deed::SimpleEnd(_) => return,
            Deed::Command(command) => command,
            Deed::SimpleMove(mv) => Command::Move {
                ply: self.game.ply(),
                mv: mv.to_uci(),
                lag: Duration::from_millis(visitor.link.lag_ms().into()),
            },
        };
        let is_move = matches!(command, Command::Move { .. });
        let done = self.obey(Actor::Player(visitor.player()), &command, received).await;
        match done {
            Ok(true) => {
                let metrics = &self.shared.services.metrics;
                if is_move {
                    visitor.link.refund_message();
                    metrics.moves.increment(1);
                    let took_ms = self.now().since_ms(received.at);
                    metrics.move_seconds.record(took_ms as f64 / 1000.0);
                }
                if matches!(command, Command::Abort) {
                    self.blame(visitor.player());
                }
            }
            Ok(false) => self.tell_last(visitor),
            Err(Trouble::Refused(refusal)) => asked.refuse_by_game(&visitor.link, &refusal),
            Err(trouble) => {
                self.give_time_back(visitor, received);
                let (code, words) = trouble.words();
                asked.refuse_in_words(&visitor.link, code, words);
            }
        }
    }

    /// Credits the player for the time that a failed command took, if it was their turn.
    fn give_time_back(&mut self, visitor: &Visitor, received: Arrival) {
        if self.game.is_running()
            && self.game.seats().has(self.game.line().turn(), visitor.player())
        {
            self.debt.add_wait(received, self.arrival());
        }
    }

    /// Checks a result reported by a client of the plain protocol. A correct report gets no
    /// response; a wrong one gets the actual state of the game.
    fn check_reported_end(&self, link: &Link, reported: GameEnd) {
        match self.game.end() {
            Some(end) => reply::check_reported_end(link, reported, GameEnd { winner: end.winner }),
            None => {
                let turn = self.game.line().turn();
                let words = format!("the game is not over; it is {turn}'s turn");
                reply::complain_simply(link, words);
            }
        }
    }

    /// Records that a player left a game while a human opponent was waiting.
    pub(super) fn blame(&self, player: castellan_game::PlayerId) {
        if self.players().len() == 2 {
            lock(&self.shared.conduct).left(player, self.now());
        }
    }

    /// Runs the side effects of an event that has been announced.
    pub(super) fn follow(&mut self, recorded: &Recorded, by: Keeper) {
        match &recorded.event {
            Event::Started {}
            | Event::Moved { .. }
            | Event::TakenBack { .. }
            | Event::Resumed { .. } => {
                self.turn_since = recorded.at;
                self.thinking = None;
            }
            Event::Ended(end) => {
                self.closes_at = Some(self.now().plus_ms(LINGER_MS));
                self.no_longer_running();
                self.shared.services.metrics.games_ended.increment(1);
                self.audience.dismiss_simple(self.id, GameEnd { winner: end.winner });
                if end.reason == EndReason::Abandoned
                    && let Some(loser) = end.winner.map(|winner| !winner)
                    && let Some(player) = self.game.seats().get(loser)
                {
                    self.blame(player.id);
                }
            }
            Event::RematchAgreed {} if by == Keeper::Here => self.begin_rematch(),
            _ => {}
        }
    }

    /// Starts a game with the same settings and reversed colors.
    pub(super) fn begin_rematch(&mut self) {
        let seat = |color: Color| {
            let player = self.game.seats().get(color)?;
            if let Some(level) = Level::of_player(player.id) {
                return Some(SeatPlan::Engine(level));
            }
            let visitors = self.audience.visitors().iter();
            let mut own = visitors.filter(|visitor| visitor.player() == player.id).peekable();
            let who = match own.peek() {
                Some(visitor) => Arc::clone(&visitor.who),
                None => self.player_elsewhere(player)?,
            };
            let links = own.map(|visitor| Arc::clone(&visitor.link)).collect();
            Some(SeatPlan::Person { who, links })
        };
        let (shared, door) = (Arc::clone(&self.shared), self.door.clone());
        let (Some(white), Some(black)) = (seat(Color::Black), seat(Color::White)) else {
            // A player agreed and disconnected at the same moment.
            return self.rematched(Err(ServerCode::UnknownGame));
        };
        let settings = self.game.settings().clone();
        let plan = Plan { settings, seats: [white, black], rematch_of: Some(self.id) };
        let Some(tag) = shared.tasks.tag() else { return };
        tokio::spawn(async move {
            let begun = begin::begin(&shared, plan).await;
            // If the room has closed in the meantime, there is no audience left to notify.
            let _ = door.send(Call::Rematched(begun)).await;
            drop(tag);
        });
    }

    pub(super) fn rematched(&mut self, result: Result<GameId, ServerCode>) {
        match result {
            Ok(game) => {
                self.rematch = Some(game);
                self.tell_watchers();
            }
            Err(code) => {
                let players = self.audience.visitors().iter();
                for visitor in players.filter(|it| self.game.seats().is_seated(it.player())) {
                    Asked::default().refuse(&visitor.link, code);
                }
            }
        }
    }

    /// Plays the move that an engine found, unless the game has moved on.
    pub(super) async fn thought(&mut self, ply: u32, mv: Option<Move>) {
        if self.thinking.is_none_or(|(asked, _)| asked != ply) {
            return;
        }
        self.thinking = None;
        let (Some(mv), Some(color)) = (mv, self.engine_color()) else { return };
        let Some(player) = self.game.seats().get(color) else { return };
        let by = Actor::Player(player.id);
        let mv = UciMove::from_move(mv, self.game.settings().castling());
        let command = Command::Move { ply, mv, lag: Duration::ZERO };
        if let Err(trouble) = self.obey(by, &command, self.arrival()).await {
            tracing::warn!(game = %self.id, "the engine's move was not played: {trouble:?}");
            self.not_before = self.now().plus_ms(BREATH_MS);
        }
    }

    /// Asks the engine for a move if it is its turn, and answers the opponent's offers on its
    /// behalf.
    pub(super) async fn let_engine_play(&mut self) {
        let Some(color) = self.engine_color() else { return };
        let Some(player) = self.game.seats().get(color).cloned() else { return };
        if self.is_played_elsewhere() {
            return;
        }
        self.consider_draw(color).await;
        for what in [Proposal::Takeback, Proposal::Rematch] {
            if self.game.offer(what) == Some(!color) {
                self.answer_for_engine(Command::Accept(what)).await;
            }
        }
        let is_to_move = self.game.is_running() && self.game.line().turn() == color;
        let is_asked = self.thinking.is_some_and(|(ply, _)| ply == self.game.ply());
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
            self.considered = None;
            return;
        }
        let (ply, door) = (self.game.ply(), self.door.clone());
        let player = self.game.seats().get(color).map(|player| player.id);
        let Some(level) = player.and_then(Level::of_player) else { return };
        if self.considered.is_some() {
            return;
        }
        let answer = move |is_accepted| drop(door.try_send(Call::Considered { is_accepted }));
        let question = Question {
            line: self.game.line().clone(),
            level,
            seed: seed_of(self.id),
            remaining: None,
            asked: engines::Asked::Draw(color, Box::new(answer)),
        };
        match self.shared.engines.ask(question) {
            Ok(()) => self.considered = Some(ply),
            Err(engines::Busy) => self.answer_for_engine(Command::Decline(Proposal::Draw)).await,
        }
    }

    /// Responds to the draw offer that an engine evaluated, if the offer is still open.
    pub(super) async fn answer_draw(&mut self, is_accepted: bool) {
        let Some(ply) = self.considered.take() else { return };
        let Some(color) = self.engine_color() else { return };
        // A move made meanwhile changes the evaluated position, so the offer is declined.
        let is_accepted = is_accepted && ply == self.game.ply();
        if self.game.offer(Proposal::Draw) == Some(!color) {
            self.answer_for_engine(match is_accepted {
                true => Command::Accept(Proposal::Draw),
                false => Command::Decline(Proposal::Draw),
            })
            .await;
        }
    }

    async fn answer_for_engine(&mut self, command: Command) {
        let player = self.engine_color().and_then(|color| self.game.seats().get(color));
        let Some(player) = player.map(|player| player.id) else { return };
        let by = Actor::Player(player);
        if let Err(trouble) = self.obey(by, &command, self.arrival()).await {
            tracing::warn!(game = %self.id, "the engine's answer was not applied: {trouble:?}");
            self.not_before = self.now().plus_ms(BREATH_MS);
        }
    }

    fn ask_engine(&mut self, level: Level, color: Color) {
        let (now, ply, door) = (self.now(), self.game.ply(), self.door.clone());
        let remaining_ms = self.game.clocks(now).of(color).remaining_ms;
        let question = Question {
            line: self.game.line().clone(),
            level,
            seed: seed_of(self.id),
            remaining: remaining_ms.map(Duration::from_millis),
            // If the inbox is full, the move is lost, and the room asks again after
            // `LOST_THOUGHT_MS`.
            asked: engines::Asked::Move(Box::new(move |mv| {
                drop(door.try_send(Call::Thought { ply, mv }));
            })),
        };
        match self.shared.engines.ask(question) {
            Ok(()) => self.thinking = Some((ply, now)),
            Err(engines::Busy) => self.not_before = now.plus_ms(BREATH_MS),
        }
    }

    /// Drops an engine request that was never answered, so that the engine is asked again.
    pub(super) fn forget_lost_thought(&mut self) {
        let now = self.now();
        if self.thinking.is_some_and(|(_, since)| now.since_ms(since) >= LOST_THOUGHT_MS) {
            self.thinking = None;
        }
    }
}

/// Returns a seed that is always the same for the same game.
fn seed_of(game: GameId) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    game.hash(&mut hasher);
    hasher.finish()
}
