//! A second set of books for the clocks, kept from what was recorded and nothing else.

use castellan_game::{ClockStart, Event, Game, LagQuota, Moment, Recorded, Settings, TimeControl};
use castellan_rules::Color;
use proptest::prelude::*;

/// The clocks once more, written independently from the events and their times alone.
pub(crate) struct Ledger {
    control: TimeControl,
    starts_with_move: bool,
    turn: Color,
    left: [i128; 2],
    used: [i128; 2],
    quota: [i128; 2],
    /// All that was ever forgiven, and how many moves it was forgiven in.
    forgiven: [i128; 2],
    moves: [i128; 2],
    turn_began: Option<i128>,
    /// Before each move: what was left and used, without what was given.
    before: Vec<([i128; 2], [i128; 2])>,
    given: [i128; 2],
    is_over: bool,
}

impl Ledger {
    pub(crate) fn new(settings: &Settings) -> Ledger {
        let left = settings.time_control.initial_ms().unwrap_or(0).into();
        let quota = LagQuota::of(settings.time_control).start_ms.into();
        Ledger {
            control: settings.time_control,
            starts_with_move: settings.clock_start == ClockStart::FirstMove,
            turn: settings.start.turn(),
            left: [left; 2],
            used: [0; 2],
            quota: [quota; 2],
            forgiven: [0; 2],
            moves: [0; 2],
            turn_began: None,
            before: Vec::new(),
            given: [0; 2],
            is_over: false,
        }
    }

    fn is_countdown(&self) -> bool {
        matches!(self.control, TimeControl::Increment { .. } | TimeControl::Delay { .. })
    }

    fn deducted(&self, spent: i128) -> i128 {
        match self.control {
            TimeControl::Delay { delay_ms, .. } => (spent - i128::from(delay_ms)).max(0),
            _ => spent,
        }
    }

    fn begin_turn(&mut self, at: i128) {
        let is_kept = self.control != TimeControl::Unlimited {};
        let is_due = !self.starts_with_move || !self.before.is_empty();
        self.turn_began = (is_kept && is_due).then_some(at);
    }

    fn elapsed(&self, at: i128) -> i128 {
        self.turn_began.map_or(0, |began| at - began)
    }

    /// Books an event. Its command arrived at `now`, which may be before the event that was
    /// recorded last.
    pub(crate) fn book(
        &mut self,
        recorded: &Recorded,
        lag_ms: u64,
        now: Moment,
    ) -> Result<(), TestCaseError> {
        let arrived = i128::from(now.as_millis());
        let at = i128::from(recorded.at.as_millis());
        let mover = self.turn.index();
        match recorded.event {
            Event::Started {} => self.begin_turn(at),
            Event::Moved { spent_ms, compensated_ms, remaining_ms, .. } => {
                let (spent, forgiven) = (i128::from(spent_ms), i128::from(compensated_ms));
                let passed = self.elapsed(arrived).max(0);
                prop_assert_eq!(spent, passed - forgiven, "deducted is what passed");
                prop_assert!(forgiven <= self.quota[mover], "forgiven out of the quota");
                prop_assert!(compensated_ms <= lag_ms, "no more than was measured");
                let quota = LagQuota::of(self.control);
                let saved = self.quota[mover] - forgiven + i128::from(quota.gain_ms);
                self.quota[mover] = saved.min(quota.max_ms.into());
                self.forgiven[mover] += forgiven;
                self.moves[mover] += 1;
                let most = i128::from(quota.start_ms)
                    + i128::from(quota.gain_ms) * (self.moves[mover] - 1);
                prop_assert!(self.forgiven[mover] <= most, "a liar gains no more than the quota");
                let given = self.given;
                let base = [0, 1].map(|color| self.left[color] - given[color]);
                self.before.push((base, self.used));
                self.left[mover] -= self.deducted(spent);
                if self.turn_began.is_some() && self.is_countdown() {
                    prop_assert!(self.left[mover] > 0, "who moves had time left");
                }
                if let TimeControl::Increment { increment_ms, .. } = self.control {
                    self.left[mover] += i128::from(increment_ms);
                }
                self.used[mover] += spent;
                let expected = self.is_countdown().then_some(self.left[mover]);
                prop_assert_eq!(remaining_ms.map(i128::from), expected);
                self.turn = !self.turn;
                self.begin_turn(at);
            }
            Event::TakenBack { ply } => {
                let (base, used) = self.before[ply as usize];
                self.turn = if (self.before.len() - ply as usize).is_multiple_of(2) {
                    self.turn
                } else {
                    !self.turn
                };
                self.before.truncate(ply as usize);
                self.left = [0, 1].map(|color| base[color] + self.given[color]);
                self.used = used;
                self.begin_turn(at);
            }
            Event::TimeAdded { to, added_ms } => {
                self.left[to.index()] += i128::from(added_ms);
                self.given[to.index()] += i128::from(added_ms);
            }
            Event::Resumed { credited_ms } => {
                let credited = i128::from(credited_ms);
                prop_assert!(credited <= self.elapsed(at));
                self.turn_began = self.turn_began.map(|began| began + credited);
            }
            Event::Ended(_) => {
                let spent = self.elapsed(at);
                self.left[mover] = (self.left[mover] - self.deducted(spent)).max(0);
                self.used[mover] += spent;
                self.turn_began = None;
                self.is_over = true;
            }
            _ => {}
        }
        Ok(())
    }

    /// The clocks that the game shows are these.
    pub(crate) fn compare(&self, game: &Game, now: Moment) -> Result<(), TestCaseError> {
        let at = i128::from(now.max(game.last_at()).as_millis());
        let shown = game.clocks(now);
        for color in Color::ALL {
            let is_running = self.turn_began.is_some() && self.turn == color;
            let elapsed = if is_running { self.elapsed(at) } else { 0 };
            let left = (self.left[color.index()] - self.deducted(elapsed)).max(0);
            let clock = shown.of(color);
            let expected = self.is_countdown().then_some(left);
            prop_assert_eq!(clock.remaining_ms.map(i128::from), expected);
            prop_assert_eq!(i128::from(clock.used_ms), self.used[color.index()] + elapsed);
            prop_assert_eq!(shown.running == Some(color), is_running);
            prop_assert_eq!(i128::from(game.lag_quota_ms(color)), self.quota[color.index()]);
        }
        Ok(())
    }
}
