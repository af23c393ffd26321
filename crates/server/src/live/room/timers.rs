//! What a room does on its own: time forfeits, no-shows and abandoned games, engine moves,
//! retries.

use castellan_game::{Actor, Command, Moment};

use super::patience::no_show;
use super::{BREATH_MS, LOST_THOUGHT_MS, Room};

impl Room {
    /// Runs every timer that is due.
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
        self.let_clock_run();
        if self.settle_debt().await.is_err() {
            self.not_before = now.plus_ms(BREATH_MS);
            return;
        }
        if let Some((command, culprit)) = self.due(now) {
            match self.obey(Actor::Server, &command, self.arrival()).await {
                Ok(_) if matches!(command, Command::Abort) => {
                    culprit.into_iter().for_each(|player| self.blame(player));
                }
                Ok(_) => {}
                // The game's clocks are a hair behind the timer, or the store is unavailable.
                Err(_) => {
                    self.not_before = now.plus_ms(BREATH_MS);
                }
            }
        }
        self.forget_lost_thought();
        self.let_engine_play().await;
    }

    /// Returns the server's command that is due now, and the player to blame if it aborts the
    /// game.
    fn due(&self, now: Moment) -> Option<(Command, Option<castellan_game::PlayerId>)> {
        // The message waiting in the inbox may have arrived in time, so it goes first.
        if !self.game.is_running() || !self.inbox.is_empty() {
            return None;
        }
        let is_due = |at: Option<Moment>| at.is_some_and(|at| at <= now);
        if is_due(self.no_show()) {
            let idle = self.game.seats().get(self.game.line().turn());
            return Some((Command::Abort, idle.map(|player| player.id)));
        }
        if is_due(self.deadline()) {
            return Some((Command::Flag, None));
        }
        match self.abandonment() {
            Some((at, color)) if at <= now => Some((Command::Abandon { color }, None)),
            _ => None,
        }
    }

    /// Returns when the room has to run its timers even if no call arrives.
    pub(super) fn next_wake(&self) -> Option<Moment> {
        let owes = self.game.is_running() && self.debt.is_due(self.arrival());
        let retry = (!self.is_sure || owes).then_some(self.not_before);
        let held = self.debt.held_until().filter(|_| self.game.is_running());
        let wakes = if self.game.is_running() {
            let abandoned = self.abandonment();
            let (thinking, waiting) = match self.thinking {
                Some((_, since)) => (Some(since.plus_ms(LOST_THOUGHT_MS)), None),
                None => (None, self.is_engine_to_move().then_some(self.not_before)),
            };
            [self.no_show(), self.deadline(), abandoned.map(|(at, _)| at), thinking, waiting]
        } else {
            [self.closes_at, None, None, None, None]
        };
        let later =
            wakes.into_iter().flatten().chain(retry).chain(held).chain(self.informed_at()).min();
        // Timers do nothing before `not_before`, so there is no point in waking earlier.
        let own = later.map(|at| at.max(self.not_before));
        own.into_iter().chain(self.presence_at).min()
    }

    /// Returns when the player to move counts as a no-show.
    fn no_show(&self) -> Option<Moment> {
        let at = no_show(&self.game, self.turn_since)?;
        Some(self.debt.local(at, self.arrival()).plus_ms(self.deference_ms()))
    }

    /// Returns when the player to move runs out of time, including the time that the server owes
    /// them.
    fn deadline(&self) -> Option<Moment> {
        let at = self.game.deadline()?;
        Some(self.debt.local(at, self.arrival()).plus_ms(self.deference_ms()))
    }

    /// Returns the extra time that this room waits past a deadline. The node to which the player
    /// to move is connected knows best what the player is owed and when messages arrived, so it
    /// decides first.
    fn deference_ms(&self) -> u64 {
        let bus = &self.shared.services.bus;
        if bus.is_joined() && !self.is_mover_here() { bus.pace().gone_ms() } else { 0 }
    }

    /// Starts the clock again after an outage when the player to move is back or the wait is
    /// over.
    fn let_clock_run(&mut self) {
        let Some(until) = self.debt.held_until() else { return };
        let now = self.arrival();
        let until = until.max(self.shared.return_until());
        if self.is_mover_here() {
            self.debt.release(now);
        } else if self.is_mover_elsewhere() {
            self.debt.forget_hold();
        } else if now.at < until {
            self.debt.hold_until(until);
        } else {
            self.debt.release(now);
        }
    }

    fn is_mover_here(&self) -> bool {
        let turn = self.game.line().turn();
        let mover = self.game.seats().get(turn).map(|player| player.id);
        let here = self.audience.players_here(&self.game);
        self.engine_color() == Some(turn) || mover.is_some_and(|mover| here.contains(&mover))
    }

    fn is_mover_elsewhere(&self) -> bool {
        let mover = self.game.seats().get(self.game.line().turn());
        mover.is_some_and(|mover| self.audience.is_elsewhere(mover.id))
    }

    fn is_engine_to_move(&self) -> bool {
        self.engine_color() == Some(self.game.line().turn()) && !self.is_played_elsewhere()
    }
}

/// Sleeps until a moment, or forever if it is `None`.
pub(super) async fn sleep(clock: &crate::clock::Clock, until: Option<Moment>) {
    match until {
        Some(moment) => clock.sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
