//! What a room does of its own accord: flags, people who do not come, engines, retries.

use castellan_game::{Actor, Command, Moment};

use super::patience::no_show;
use super::{BREATH_MS, LOST_THOUGHT_MS, Room};

impl Room {
    /// Does what is due.
    pub(super) async fn tick(&mut self) {
        let now = self.now();
        if self.presence_at.is_some_and(|at| at <= now) {
            self.tell_presence();
        }
        if now < self.not_before {
            return;
        }
        if self.catch_up().await.is_err() {
            self.not_before = now.plus_ms(BREATH_MS);
            return;
        }
        if let Some((command, culprit)) = self.due(now) {
            match self.obey(Actor::Server, &command).await {
                Ok(_) if matches!(command, Command::Abort) => {
                    culprit.into_iter().for_each(|player| self.blame(player));
                }
                Ok(_) => {}
                // The game sees it otherwise by a hair's breadth, or the store is away.
                Err(_) => {
                    self.not_before = now.plus_ms(BREATH_MS);
                }
            }
        }
        self.forget_lost_thought();
        self.let_engine_play().await;
    }

    /// What the server has to say to the game now, and whom to blame if it is called off.
    fn due(&self, now: Moment) -> Option<(Command, Option<castellan_game::PlayerId>)> {
        if !self.game.is_running() {
            return None;
        }
        let is_due = |at: Option<Moment>| at.is_some_and(|at| at <= now);
        if is_due(no_show(&self.game, self.turn_since)) {
            let idle = self.game.seats().get(self.game.line().turn());
            return Some((Command::Abort, idle.map(|player| player.id)));
        }
        if is_due(self.game.deadline()) {
            return Some((Command::Flag, None));
        }
        match self.abandonment() {
            Some((at, color)) if at <= now => Some((Command::Abandon { color }, None)),
            _ => None,
        }
    }

    /// When the room has to look again even if nobody calls.
    pub(super) fn next_wake(&self) -> Option<Moment> {
        let retry = (!self.is_sure || self.away_since.is_some()).then_some(self.not_before);
        let wakes = if self.game.is_running() {
            let abandoned = self.abandonment();
            let (thinking, waiting) = match self.thinking {
                Some((_, since)) => (Some(since.plus_ms(LOST_THOUGHT_MS)), None),
                None => (None, self.is_engine_to_move().then_some(self.not_before)),
            };
            [
                no_show(&self.game, self.turn_since),
                self.game.deadline(),
                abandoned.map(|(at, _)| at),
                thinking,
                waiting,
            ]
        } else {
            [self.closes_at, None, None, None, None]
        };
        let later = wakes.into_iter().flatten().chain(retry).chain(self.informed_at()).min();
        // Nothing is done before `not_before`, so there is no use in waking earlier.
        let own = later.map(|at| at.max(self.not_before));
        own.into_iter().chain(self.presence_at).min()
    }

    fn is_engine_to_move(&self) -> bool {
        self.engine_color() == Some(self.game.line().turn()) && !self.is_played_elsewhere()
    }
}

/// Sleeps until a moment, or for ever.
pub(super) async fn sleep(clock: &crate::clock::Clock, until: Option<Moment>) {
    match until {
        Some(moment) => clock.sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
