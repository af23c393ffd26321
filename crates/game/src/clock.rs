//! The two chess clocks: the time they show and how each turn is charged to them.
//!
//! This module is responsible for clock arithmetic; the game decides when a clock starts and
//! stops. Invariant: a clock is charged the time between two events as measured by the server,
//! minus lag compensation, and never shows less than zero.

use castellan_rules::Color;

use crate::{LagQuota, Moment, TimeControl};

/// The times that one clock shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Clock {
    /// Time left in milliseconds; `None` if the clock does not count down.
    pub remaining_ms: Option<u64>,
    /// Thinking time used so far, in milliseconds.
    pub used_ms: u64,
}

/// The times that both clocks show at a given moment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Clocks {
    /// White's clock.
    pub white: Clock,
    /// Black's clock.
    pub black: Clock,
    /// The side whose clock is running; `None` if both are stopped.
    pub running: Option<Color>,
}

impl Clocks {
    /// Returns the clock of the given color.
    pub fn of(&self, color: Color) -> Clock {
        color.fold(self.white, self.black)
    }
}

/// A clock as it stood when it last stopped, with the player's time gifts and lag quota.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PlayerClock {
    clock: Clock,
    /// Total time received from the opponent.
    gifts_ms: u64,
    /// Lag compensation still available.
    quota_ms: u64,
}

/// Both clocks, and which one has been running since when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Timing {
    control: TimeControl,
    player_clocks: [PlayerClock; 2],
    running: Option<(Color, Moment)>,
}

/// Time to charge for a turn that ends now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Charge {
    pub(crate) spent_ms: u64,
    pub(crate) compensated_ms: u64,
    /// Time on the clock after the move; `None` if the clock does not count down.
    pub(crate) remaining_ms: Option<u64>,
}

/// The player to move has run out of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TimeUp;

impl Timing {
    pub(crate) fn new(control: TimeControl) -> Timing {
        let remaining_ms = control.initial_ms().map(u64::from);
        let clock = Clock { remaining_ms, used_ms: 0 };
        let player_clock =
            PlayerClock { clock, gifts_ms: 0, quota_ms: LagQuota::of(control).start_ms };
        Timing { control, player_clocks: [player_clock; 2], running: None }
    }

    /// Returns the time to charge for a turn that ends now, after subtracting the network lag as
    /// far as the player's quota covers it.
    pub(crate) fn charge(&self, mover: Color, now: Moment, lag_ms: u64) -> Result<Charge, TimeUp> {
        let player_clock = self.player_clocks[mover.index()];
        let elapsed_ms = self.elapsed_ms(mover, now);
        let compensated_ms = lag_ms.min(player_clock.quota_ms).min(elapsed_ms);
        let spent_ms = elapsed_ms - compensated_ms;
        let remaining_ms = match (player_clock.clock.remaining_ms, self.is_running(mover)) {
            (Some(before_ms), true) => {
                let left_ms = before_ms.saturating_sub(self.deducted_ms(spent_ms));
                // FIDE 6.8: the flag has fallen once no time is left.
                Some(if left_ms == 0 { return Err(TimeUp) } else { left_ms })
            }
            (before_ms, _) => before_ms,
        };
        let remaining_ms = remaining_ms.map(|left_ms| left_ms.saturating_add(self.increment_ms()));
        Ok(Charge { spent_ms, compensated_ms, remaining_ms })
    }

    /// Returns `true` once the player to move has run out of time even with the largest lag
    /// compensation their quota allows.
    pub(crate) fn is_up(&self, now: Moment) -> bool {
        self.running.is_some_and(|(color, _)| self.charge(color, now, u64::MAX).is_err())
    }

    /// Returns the first moment at which [`is_up`](Timing::is_up) holds.
    pub(crate) fn deadline(&self) -> Option<Moment> {
        let (color, since) = self.running?;
        let player_clock = self.player_clocks[color.index()];
        let left_ms = player_clock.clock.remaining_ms?;
        // A clock at zero is up at once: neither the delay nor the lag quota brings it back.
        let grace_ms = if left_ms == 0 { 0 } else { self.delay_ms() + player_clock.quota_ms };
        Some(since.plus_ms(left_ms.saturating_add(grace_ms)))
    }

    /// Returns the times shown at `now`.
    pub(crate) fn shown(&self, now: Moment) -> Clocks {
        let [white, black] = Color::ALL.map(|color| {
            let Clock { remaining_ms, used_ms } = self.player_clocks[color.index()].clock;
            let elapsed_ms = self.elapsed_ms(color, now);
            let deducted_ms = self.deducted_ms(elapsed_ms);
            Clock {
                remaining_ms: remaining_ms.map(|left_ms| left_ms.saturating_sub(deducted_ms)),
                used_ms: used_ms.saturating_add(elapsed_ms),
            }
        });
        Clocks { white, black, running: self.running.map(|(color, _)| color) }
    }

    pub(crate) fn is_countdown(&self) -> bool {
        self.control.initial_ms().is_some()
    }

    pub(crate) fn quota_ms(&self, color: Color) -> u64 {
        self.player_clocks[color.index()].quota_ms
    }

    /// Returns since when a clock has been running, without the time that was credited.
    pub(crate) fn running_since(&self) -> Option<Moment> {
        self.running.map(|(_, since)| since)
    }

    /// Returns how long the current turn has lasted, or `None` if no clock is running.
    pub(crate) fn running_ms(&self, now: Moment) -> Option<u64> {
        self.running.map(|(_, since)| now.since_ms(since))
    }

    pub(crate) fn player_clocks(&self) -> [PlayerClock; 2] {
        self.player_clocks
    }

    pub(crate) fn start(&mut self, color: Color, at: Moment) {
        self.running = self.is_kept().then_some((color, at));
    }

    /// Charges the mover for a move and starts the opponent's clock.
    pub(crate) fn press(&mut self, mover: Color, charge: Charge, at: Moment) {
        let player_clock = &mut self.player_clocks[mover.index()];
        player_clock.clock.remaining_ms = charge.remaining_ms;
        player_clock.clock.used_ms = player_clock.clock.used_ms.saturating_add(charge.spent_ms);
        player_clock.quota_ms =
            LagQuota::of(self.control).after_move(player_clock.quota_ms, charge.compensated_ms);
        self.start(!mover, at);
    }

    pub(crate) fn add(&mut self, to: Color, added_ms: u64) {
        let player_clock = &mut self.player_clocks[to.index()];
        player_clock.gifts_ms = player_clock.gifts_ms.saturating_add(added_ms);
        let remaining_ms = &mut player_clock.clock.remaining_ms;
        *remaining_ms = remaining_ms.map(|left_ms| left_ms.saturating_add(added_ms));
    }

    /// Moves the start of the running turn forward, so that `credited_ms` of it is not charged.
    pub(crate) fn credit(&mut self, credited_ms: u64) {
        self.running = self.running.map(|(color, since)| (color, since.plus_ms(credited_ms)));
    }

    /// Sets the clocks to what the server says they showed at `at`. The start of the turn is kept,
    /// so that a reading may be older than the one before. If it is unknown, the turn has lasted as
    /// long as possible, so that no reading, not even an older one, shows a delay that is used up.
    pub(crate) fn set(&mut self, shown: Clocks, at: Moment) {
        let since = self.running.filter(|(color, _)| shown.running == Some(*color));
        let elapsed_ms = since.map_or(u64::MAX, |(_, since)| at.since_ms(since));
        for color in Color::ALL {
            self.player_clocks[color.index()].clock = shown.of(color);
        }
        self.running = shown.running.map(|color| {
            let Clock { remaining_ms, used_ms } = shown.of(color);
            // A turn cannot have lasted longer than the time that its player has used.
            let elapsed_ms = elapsed_ms.min(used_ms);
            let deducted_ms = self.deducted_ms(elapsed_ms);
            self.player_clocks[color.index()].clock = Clock {
                remaining_ms: remaining_ms.map(|left_ms| left_ms.saturating_add(deducted_ms)),
                used_ms: used_ms - elapsed_ms,
            };
            (color, Moment::from_millis(at.as_millis().saturating_sub(elapsed_ms)))
        });
    }

    /// Stops both clocks at the times they show at `at`.
    pub(crate) fn stop(&mut self, at: Moment) {
        let shown = self.shown(at);
        for color in Color::ALL {
            self.player_clocks[color.index()].clock = shown.of(color);
        }
        self.running = None;
    }

    /// Resets the clocks to an earlier reading. Time gifts received since then are kept, and so
    /// are the current lag quotas: compensation that has been used is not given back.
    pub(crate) fn restore(&mut self, then: [PlayerClock; 2]) {
        for (player_clock, then) in self.player_clocks.iter_mut().zip(then) {
            let given_ms = player_clock.gifts_ms.saturating_sub(then.gifts_ms);
            player_clock.clock = then.clock;
            let remaining_ms = &mut player_clock.clock.remaining_ms;
            *remaining_ms = remaining_ms.map(|left_ms| left_ms.saturating_add(given_ms));
        }
        self.running = None;
    }

    fn is_kept(&self) -> bool {
        self.control != TimeControl::Unlimited {}
    }

    fn is_running(&self, color: Color) -> bool {
        self.running.is_some_and(|(running, _)| running == color)
    }

    /// Returns how long this clock has been running, or 0 if it is stopped.
    fn elapsed_ms(&self, color: Color, now: Moment) -> u64 {
        match self.running {
            Some((running, since)) if running == color => now.since_ms(since),
            _ => 0,
        }
    }

    /// Returns the part of a turn's time that is deducted from the clock.
    fn deducted_ms(&self, spent_ms: u64) -> u64 {
        spent_ms.saturating_sub(self.delay_ms())
    }

    fn delay_ms(&self) -> u64 {
        match self.control {
            TimeControl::Delay { delay_ms, .. } => delay_ms.into(),
            TimeControl::Unlimited {} | TimeControl::CountUp {} | TimeControl::Increment { .. } => {
                0
            }
        }
    }

    fn increment_ms(&self) -> u64 {
        match self.control {
            TimeControl::Increment { increment_ms, .. } => increment_ms.into(),
            TimeControl::Unlimited {} | TimeControl::CountUp {} | TimeControl::Delay { .. } => 0,
        }
    }
}
