//! The two clocks: what they show and how they settle.
//!
//! Owns: the arithmetic of time. Leaves to the game when a clock starts and stops. Invariant: a
//! clock is charged the time between events on the server's clock, less what is forgiven for the
//! wire, and never shows less than nothing.

use castellan_rules::Color;

use crate::{LagQuota, Moment, TimeControl};

/// What one clock shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Clock {
    /// The time left, if it counts down.
    pub remaining_ms: Option<u64>,
    /// The time used so far.
    pub used_ms: u64,
}

/// What both clocks show at some moment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Clocks {
    /// White's.
    pub white: Clock,
    /// Black's.
    pub black: Clock,
    /// Whose is running.
    pub running: Option<Color>,
}

impl Clocks {
    /// The clock of a color.
    pub fn of(&self, color: Color) -> Clock {
        color.fold(self.white, self.black)
    }
}

/// A clock as it stood when it last stopped, and what hangs on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Face {
    clock: Clock,
    /// All the time that the opponent gave.
    gifts_ms: u64,
    /// What may still be forgiven for the wire.
    quota_ms: u64,
}

/// Both clocks and which of them runs since when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Timing {
    control: TimeControl,
    faces: [Face; 2],
    running: Option<(Color, Moment)>,
}

/// What a turn costs that ends now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Charge {
    pub(crate) spent_ms: u64,
    pub(crate) compensated_ms: u64,
    /// What the clock shows afterwards, if it counts down.
    pub(crate) remaining_ms: Option<u64>,
}

/// The time of the player to move is up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TimeUp;

impl Timing {
    pub(crate) fn new(control: TimeControl) -> Timing {
        let remaining_ms = control.initial_ms().map(u64::from);
        let clock = Clock { remaining_ms, used_ms: 0 };
        let face = Face { clock, gifts_ms: 0, quota_ms: LagQuota::of(control).start_ms };
        Timing { control, faces: [face; 2], running: None }
    }

    /// What a turn costs that ends now with a message that was so long on the wire.
    pub(crate) fn charge(&self, mover: Color, now: Moment, lag_ms: u64) -> Result<Charge, TimeUp> {
        let face = self.faces[mover.index()];
        let elapsed_ms = self.elapsed_ms(mover, now);
        let compensated_ms = lag_ms.min(face.quota_ms).min(elapsed_ms);
        let spent_ms = elapsed_ms - compensated_ms;
        let remaining_ms = match (face.clock.remaining_ms, self.is_running(mover)) {
            (Some(before_ms), true) => {
                let left_ms = before_ms.saturating_sub(self.deducted_ms(spent_ms));
                // FIDE 6.8: the flag has fallen when nothing is left.
                Some(if left_ms == 0 { return Err(TimeUp) } else { left_ms })
            }
            (before_ms, _) => before_ms,
        };
        let remaining_ms = remaining_ms.map(|left_ms| left_ms.saturating_add(self.increment_ms()));
        Ok(Charge { spent_ms, compensated_ms, remaining_ms })
    }

    /// Whether no message could save the player to move any more, however long on the wire.
    pub(crate) fn is_up(&self, now: Moment) -> bool {
        self.running.is_some_and(|(color, _)| self.charge(color, now, u64::MAX).is_err())
    }

    /// The first moment at which [`is_up`](Timing::is_up) holds.
    pub(crate) fn deadline(&self) -> Option<Moment> {
        let (color, since) = self.running?;
        let face = self.faces[color.index()];
        let left_ms = face.clock.remaining_ms?;
        // A clock without time is up at once: neither delay nor quota bring it back.
        let grace_ms = if left_ms == 0 { 0 } else { self.delay_ms() + face.quota_ms };
        Some(since.plus_ms(left_ms.saturating_add(grace_ms)))
    }

    /// What the clocks show.
    pub(crate) fn shown(&self, now: Moment) -> Clocks {
        let [white, black] = Color::ALL.map(|color| {
            let Clock { remaining_ms, used_ms } = self.faces[color.index()].clock;
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
        self.faces[color.index()].quota_ms
    }

    /// How long the running clock has run.
    pub(crate) fn running_ms(&self, now: Moment) -> Option<u64> {
        self.running.map(|(_, since)| now.since_ms(since))
    }

    pub(crate) fn faces(&self) -> [Face; 2] {
        self.faces
    }

    pub(crate) fn start(&mut self, color: Color, at: Moment) {
        self.running = self.is_kept().then_some((color, at));
    }

    /// Books a move and starts the opponent's clock.
    pub(crate) fn press(&mut self, mover: Color, charge: Charge, at: Moment) {
        let face = &mut self.faces[mover.index()];
        face.clock.remaining_ms = charge.remaining_ms;
        face.clock.used_ms = face.clock.used_ms.saturating_add(charge.spent_ms);
        face.quota_ms = LagQuota::of(self.control).after_move(face.quota_ms, charge.compensated_ms);
        self.start(!mover, at);
    }

    pub(crate) fn add(&mut self, to: Color, added_ms: u64) {
        let face = &mut self.faces[to.index()];
        face.gifts_ms = face.gifts_ms.saturating_add(added_ms);
        let remaining_ms = &mut face.clock.remaining_ms;
        *remaining_ms = remaining_ms.map(|left_ms| left_ms.saturating_add(added_ms));
    }

    /// Takes time off the running turn.
    pub(crate) fn credit(&mut self, credited_ms: u64) {
        self.running = self.running.map(|(color, since)| (color, since.plus_ms(credited_ms)));
    }

    /// Stops the clocks where they are.
    pub(crate) fn stop(&mut self, at: Moment) {
        let shown = self.shown(at);
        for color in Color::ALL {
            self.faces[color.index()].clock = shown.of(color);
        }
        self.running = None;
    }

    /// Goes back to what the clocks showed then. What has been given since is kept, and so is
    /// what the wire has taken of the quotas.
    pub(crate) fn restore(&mut self, then: [Face; 2]) {
        for (face, then) in self.faces.iter_mut().zip(then) {
            let given_ms = face.gifts_ms.saturating_sub(then.gifts_ms);
            face.clock = then.clock;
            let remaining_ms = &mut face.clock.remaining_ms;
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

    /// How long this clock has run, if it does.
    fn elapsed_ms(&self, color: Color, now: Moment) -> u64 {
        match self.running {
            Some((running, since)) if running == color => now.since_ms(since),
            _ => 0,
        }
    }

    /// What of a turn's time comes off the clock.
    fn deducted_ms(&self, spent_ms: u64) -> u64 {
        spent_ms.saturating_sub(self.delay_ms())
    }

    fn delay_ms(&self) -> u64 {
        match self.control {
            TimeControl::Delay { delay_ms, .. } => delay_ms.into(),
            _ => 0,
        }
    }

    fn increment_ms(&self) -> u64 {
        match self.control {
            TimeControl::Increment { increment_ms, .. } => increment_ms.into(),
            _ => 0,
        }
    }
}
