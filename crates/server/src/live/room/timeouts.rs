//! The timers of a room: time forfeits, no-shows, abandoned games, engine moves and retries.

use castellan_game::{Actor, Command, Game, Moment, PlayerId, TimeControl};
use castellan_rules::Color;

use super::{ENGINE_TIMEOUT_MS, RETRY_MS, Room};

/// Minimum and maximum wait for a first move; in between, it is a quarter of the initial time.
const NO_SHOW_MS: [u64; 2] = [15_000, 60_000];
/// Wait for a first move in games without a clock.
const UNHURRIED_NO_SHOW_MS: u64 = 300_000;
/// Minimum and maximum wait for a disconnected player; in between, it is a fifth of the time for
/// a game of 40 moves.
const GONE_MS: [u64; 2] = [30_000, 300_000];
/// Wait for a disconnected player in games without a clock.
const UNHURRIED_GONE_MS: u64 = 1_800_000;
/// Factor on the wait when both players are disconnected, because neither of them is kept
/// waiting.
const BOTH_GONE: u64 = 4;

impl Room {
    /// Runs every timer that is due.
    pub(super) async fn tick(&mut self) {
        let now = self.now();
        if self.presence_at.is_some_and(|at| at <= now) {
            self.send_presence();
        }
        if now < self.not_before {
            return;
        }
        if self.catch_up().await.is_err() {
            self.not_before = now.plus_ms(RETRY_MS);
            return;
        }
        self.resume_clock();
        if self.record_credit().await.is_err() {
            self.not_before = now.plus_ms(RETRY_MS);
            return;
        }
        if let Some((command, absent_player)) = self.due(now) {
            match self.execute(Actor::Server, &command, self.arrival()).await {
                Ok(_) if matches!(command, Command::Abort) => {
                    absent_player.into_iter().for_each(|player| self.record_leave(player));
                }
                Ok(_) => {}
                // The game's clocks are slightly behind the timer, or the store is unavailable.
                Err(_) => {
                    self.not_before = now.plus_ms(RETRY_MS);
                }
            }
        }
        self.expire_engine_search();
        self.play_engine_move().await;
        self.run_engine().await;
    }

    /// Returns the server's command that is due now. If it aborts the game, it comes with the player
    /// who never moved.
    fn due(&self, now: Moment) -> Option<(Command, Option<PlayerId>)> {
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
        let owes = self.game.is_running() && self.credit.is_due(self.arrival());
        let retry = (!self.is_in_sync || owes).then_some(self.not_before);
        let held = self.credit.held_until().filter(|_| self.game.is_running());
        let wakes = if self.game.is_running() {
            let abandoned = self.abandonment();
            let (engine_search, waiting) = match &self.engine_search {
                Some(search) => {
                    let held = search.held.map(|(_, due)| due);
                    (Some(held.unwrap_or(search.since.plus_ms(ENGINE_TIMEOUT_MS))), None)
                }
                None => (None, self.is_engine_to_move().then_some(self.not_before)),
            };
            [self.no_show(), self.deadline(), abandoned.map(|(at, _)| at), engine_search, waiting]
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
        let at = no_show_of(&self.game, self.turn_since).filter(|_| self.may_decide())?;
        Some(self.credit.node_time(at, self.arrival()).plus_ms(self.remote_player_delay_ms()))
    }

    /// Returns when the player to move runs out of time, including the time that the server owes
    /// them.
    fn deadline(&self) -> Option<Moment> {
        let at = self.game.deadline().filter(|_| self.may_decide())?;
        Some(self.credit.node_time(at, self.arrival()).plus_ms(self.remote_player_delay_ms()))
    }

    /// Returns `true` if this node's clock may decide that the player to move was too slow. If it
    /// differs from those of other nodes, it decides only about players who are connected here.
    fn may_decide(&self) -> bool {
        self.is_mover_here() || !self.shared.peers.is_clock_off()
    }

    /// Returns the extra time that this room waits past a deadline. The node to which the player
    /// to move is connected knows best what the player is owed and when messages arrived, so it
    /// decides first.
    fn remote_player_delay_ms(&self) -> u64 {
        let bus = &self.shared.services.bus;
        if bus.is_joined() && !self.is_mover_here() { bus.heartbeat().gone_ms() } else { 0 }
    }

    /// Starts the clock again after an outage when the player to move is back or the wait is
    /// over.
    fn resume_clock(&mut self) {
        let Some(until) = self.credit.held_until() else { return };
        let now = self.arrival();
        let until = until.max(self.shared.return_until());
        if self.is_mover_here() {
            self.credit.release(now);
        } else if self.is_mover_elsewhere() {
            self.credit.forget_hold();
        } else if now.at < until {
            self.credit.hold_until(until);
        } else {
            self.credit.release(now);
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

    /// Returns when to check again whether other nodes can be reached and agree about the time.
    fn informed_at(&self) -> Option<Moment> {
        let bus = &self.shared.services.bus;
        let gone_ms = bus.heartbeat().gone_ms();
        let is_unsure = !bus.is_informed() || self.shared.peers.is_clock_off();
        (self.game.is_running() && is_unsure).then(|| self.now().plus_ms(gone_ms))
    }

    /// Returns when a player counts as having abandoned the game, and which color. `None` while
    /// other nodes cannot be reached, because the player may be connected there.
    fn abandonment(&self) -> Option<(Moment, Color)> {
        if !self.shared.services.bus.is_informed() {
            return None;
        }
        self.local_abandonment()
    }

    /// Returns the same without checking whether other nodes can be reached. Time in which this
    /// process was stalled does not count, because no player could reconnect then.
    pub(super) fn local_abandonment(&self) -> Option<(Moment, Color)> {
        let (at, color) = abandonment_of(&self.game, self.audience.away_since())?;
        let stalled_ms = self.arrival().stalled_ms.saturating_sub(self.stalled_ms);
        Some((at.plus_ms(stalled_ms), color))
    }
}

/// Sleeps until a moment, or forever if it is `None`.
pub(super) async fn sleep(clock: &crate::clock::Clock, until: Option<Moment>) {
    match until {
        Some(moment) => clock.sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// Returns when a game that has hardly begun is aborted because the player to move is a no-show.
fn no_show_of(game: &Game, turn_since: Moment) -> Option<Moment> {
    if !game.is_running() || !game.can_abort() {
        return None;
    }
    let wait_ms = match game.settings().time_control.initial_ms() {
        None => UNHURRIED_NO_SHOW_MS,
        Some(initial_ms) => (u64::from(initial_ms) / 4).clamp(NO_SHOW_MS[0], NO_SHOW_MS[1]),
    };
    Some(turn_since.plus_ms(wait_ms))
}

/// Returns when a player counts as having abandoned the game, and which color, given the moments
/// at which the players disconnected.
fn abandonment_of(game: &Game, away_since: [Option<Moment>; 2]) -> Option<(Moment, Color)> {
    if !game.is_running() {
        return None;
    }
    let wait_ms = gone_ms(game.settings().time_control);
    match away_since {
        [None, None] => None,
        [Some(since), None] => Some((since.plus_ms(wait_ms), Color::White)),
        [None, Some(since)] => Some((since.plus_ms(wait_ms), Color::Black)),
        [Some(white), Some(black)] => {
            Some((white.max(black).plus_ms(BOTH_GONE * wait_ms), game.line().turn()))
        }
    }
}

fn gone_ms(time_control: TimeControl) -> u64 {
    match time_control.initial_ms() {
        None => UNHURRIED_GONE_MS,
        Some(initial_ms) => {
            let game_ms = u64::from(initial_ms) + 40 * u64::from(time_control.step_ms());
            (game_ms / 5).clamp(GONE_MS[0], GONE_MS[1])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_for_an_absent_player_grows_with_the_time_control_up_to_a_limit() {
        let increment =
            |initial_ms, increment_ms| TimeControl::Increment { initial_ms, increment_ms };
        assert_eq!(gone_ms(increment(60_000, 0)), 30_000);
        assert_eq!(gone_ms(increment(600_000, 0)), 120_000);
        assert_eq!(gone_ms(increment(600_000, 5_000)), 160_000);
        assert_eq!(gone_ms(increment(86_400_000, 600_000)), 300_000);
        assert_eq!(gone_ms(TimeControl::Unlimited {}), 1_800_000);
    }
}
