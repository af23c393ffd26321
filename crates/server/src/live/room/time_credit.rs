//! Time that the server took from the player to move and gives back.
//!
//! This module measures that time within one turn. A player's turn begins when its event is
//! announced, not when it was decided, so waiting for the store or for a message from another
//! node counts here. So do a stalled process, a command that the store refused, and the time that
//! players need to reconnect after an outage. The module leaves the clocks to `castellan-game`,
//! and asks them what they showed at an earlier moment.
//!
//! Events carry the time of the node that decided them. The difference from this node's clock is
//! part of the credit and may be negative, so clock skew between nodes costs no player any time.

use castellan_game::{Event, Moment};

use crate::clock::{Arrival, Clock};

/// Smallest credit that is recorded as soon as it is known, so that players see it on their clocks
/// and it survives a restart. A smaller credit is settled when the turn ends.
const RECORD_FROM_MS: i64 = 1_000;

/// A period in which no server was running, and the time that players have to reconnect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Downtime {
    /// When the player to move lost the ability to act.
    pub(crate) since: Moment,
    /// When the clock starts again if the player does not reconnect earlier.
    pub(crate) until: Moment,
}

/// The time that the server owes the player to move in the current turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeCredit {
    owed_ms: i64,
    /// Reading of the clock's stall counter up to which `owed_ms` is complete.
    stalled_ms: u64,
    record_from_ms: i64,
    /// Period in which the clock is stopped: its start and its latest end.
    held: Option<(Moment, Moment)>,
}

impl TimeCredit {
    /// Creates the credit of a room that opens now.
    pub(super) fn new(clock: &Clock, downtime: Option<Downtime>) -> TimeCredit {
        let Arrival { at: now, stalled_ms } = clock.arrival();
        let (mut owed_ms, mut held) = (0, None);
        if let Some(Downtime { since, until }) = downtime {
            owed_ms = to_signed(now.min(until).since_ms(since));
            held = (now < until).then_some((now, until));
        }
        TimeCredit { owed_ms, stalled_ms, record_from_ms: RECORD_FROM_MS, held }
    }

    /// Returns the time owed to a player whose message arrived at `arrival`.
    fn owed_ms(&self, arrival: Arrival) -> i64 {
        let held = self.held.map_or(0, |(since, until)| arrival.at.min(until).since_ms(since));
        self.written_off_ms(arrival).saturating_add(to_signed(held))
    }

    /// Returns the time owed without the current stop of the clock, which is not over yet.
    fn written_off_ms(&self, arrival: Arrival) -> i64 {
        let stalled_ms = arrival.stalled_ms.saturating_sub(self.stalled_ms);
        self.owed_ms.saturating_add(to_signed(stalled_ms))
    }

    /// Converts an arrival to the moment that the game's clocks had reached by then.
    pub(super) fn game_time(&self, arrival: Arrival) -> Moment {
        shift(arrival.at, self.owed_ms(arrival).saturating_neg())
    }

    /// Converts a moment on the game's clocks to this node's clock, assuming that the credit does
    /// not grow until then.
    pub(super) fn node_time(&self, moment: Moment, now: Arrival) -> Moment {
        shift(moment, self.owed_ms(now))
    }

    /// Updates the credit for an event that is announced now.
    pub(super) fn announce(&mut self, event: &Event, at: Moment, now: Arrival) {
        let stalled_ms = now.stalled_ms;
        match event {
            Event::Started {} | Event::Moved { .. } | Event::TakenBack { .. } => {
                self.begin_turn(at, now);
            }
            Event::Resumed { credited_ms } => {
                // Another node may have credited more than this node owes.
                let owed_ms = self.written_off_ms(now);
                let left_ms = owed_ms.saturating_sub(to_signed(*credited_ms));
                *self = TimeCredit { owed_ms: left_ms.max(owed_ms.min(0)), stalled_ms, ..*self };
            }
            Event::Seated { .. }
            | Event::Touched { .. }
            | Event::Offered { .. }
            | Event::Declined { .. }
            | Event::TimeAdded { .. }
            | Event::Ended(_)
            | Event::RematchAgreed {} => {}
        }
    }

    /// Lets a turn begin now whose clock has been running since `since`.
    pub(super) fn begin_turn(&mut self, since: Moment, now: Arrival) {
        let ahead_ms = to_signed(since.since_ms(now.at));
        let owed_ms = to_signed(now.at.since_ms(since)).saturating_sub(ahead_ms);
        let stalled_ms = now.stalled_ms;
        *self = TimeCredit { owed_ms, stalled_ms, record_from_ms: RECORD_FROM_MS, held: None };
    }

    /// Adds the time that a failed command waited for its response.
    pub(super) fn add_wait(&mut self, arrival: Arrival, now: Arrival) {
        // Stalls are counted separately.
        let stalled_ms = now.stalled_ms.saturating_sub(arrival.stalled_ms);
        let waited_ms = now.at.since_ms(arrival.at).saturating_sub(stalled_ms);
        self.owed_ms = self.owed_ms.saturating_add(to_signed(waited_ms));
    }

    /// Returns the latest moment at which the clock starts again, if it is stopped.
    pub(super) fn held_until(&self) -> Option<Moment> {
        self.held.map(|(_, until)| until)
    }

    /// Sets a new latest end of the stop. Does nothing if the clock is running.
    pub(super) fn hold_until(&mut self, until: Moment) {
        self.held = self.held.map(|(since, _)| (since, until));
    }

    /// Starts the clock again and adds the time until now to the credit.
    pub(super) fn release(&mut self, now: Arrival) {
        let (owed_ms, stalled_ms) = (self.owed_ms(now), now.stalled_ms);
        *self = TimeCredit { owed_ms, stalled_ms, held: None, ..*self };
    }

    /// Drops the stop without a credit, because another node now takes care of it.
    pub(super) fn forget_hold(&mut self) {
        self.held = None;
    }

    /// Returns the credit if it is time to record it. Each further time the credit has to be twice
    /// as large, because recording it takes time as well.
    pub(super) fn take_due(&mut self, now: Arrival) -> Option<u64> {
        if !self.is_due(now) {
            return None;
        }
        self.record_from_ms = self.record_from_ms.saturating_mul(2);
        u64::try_from(self.written_off_ms(now)).ok()
    }

    /// Returns `true` if the credit is large enough to be recorded.
    pub(super) fn is_due(&self, now: Arrival) -> bool {
        self.written_off_ms(now) >= self.record_from_ms
    }

    /// Resets the threshold after the credit could not be recorded, so that it is tried again.
    pub(super) fn reset_threshold(&mut self) {
        self.record_from_ms = RECORD_FROM_MS;
    }
}

fn to_signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

fn shift(moment: Moment, by_ms: i64) -> Moment {
    Moment::from_millis(moment.as_millis().saturating_add_signed(by_ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64, stalled_ms: u64) -> Arrival {
        Arrival { at: Moment::from_millis(ms), stalled_ms }
    }

    fn moment(ms: u64) -> Moment {
        Moment::from_millis(ms)
    }

    fn new(now_ms: u64, downtime: Option<Downtime>) -> TimeCredit {
        TimeCredit::new(&Clock::manual(moment(now_ms)), downtime)
    }

    #[test]
    fn a_turn_begins_when_its_event_is_announced() {
        let mut credit = new(0, None);
        credit.announce(&Event::Started {}, moment(100), at(350, 0));
        assert_eq!(credit.game_time(at(1_000, 0)), moment(750));
        assert_eq!(credit.node_time(moment(750), at(1_000, 0)), moment(1_000));
        assert_eq!(credit.take_due(at(1_000, 0)), None);
        credit.announce(&Event::Started {}, moment(2_000), at(2_000, 0));
        assert_eq!(credit.game_time(at(3_000, 0)), moment(3_000));
    }

    #[test]
    fn a_clock_that_is_ahead_or_behind_costs_nothing() {
        for event_ms in [5_000, 10_000, 15_000] {
            let mut credit = new(0, None);
            credit.announce(&Event::Started {}, moment(event_ms), at(10_000, 0));
            assert_eq!(credit.game_time(at(12_000, 0)), moment(event_ms + 2_000));
        }
    }

    #[test]
    fn stalls_and_waits_are_counted_once() {
        let mut credit = new(0, None);
        // The message arrived at 1,000; then the process was stalled for 500 of the next 800 ms.
        credit.add_wait(at(1_000, 0), at(1_800, 500));
        assert_eq!(credit.owed_ms(at(1_800, 500)), 800);
        // Nothing is owed for a stall that came after the message.
        assert_eq!(credit.owed_ms(at(1_000, 0)), 300);
    }

    #[test]
    fn what_was_credited_is_owed_no_more() {
        let mut credit = new(0, None);
        credit.announce(&Event::Started {}, moment(0), at(3_000, 0));
        assert_eq!(credit.take_due(at(3_000, 0)), Some(3_000));
        credit.announce(&Event::Resumed { credited_ms: 3_000 }, moment(3_000), at(3_100, 0));
        assert_eq!(credit.owed_ms(at(3_100, 0)), 0);
        credit.announce(&Event::Resumed { credited_ms: 9_000 }, moment(3_200), at(3_200, 0));
        assert_eq!(
            credit.owed_ms(at(3_200, 0)),
            0,
            "a credit of another node is no credit of ours"
        );
        credit.add_wait(at(4_000, 0), at(5_500, 0));
        assert_eq!(
            credit.take_due(at(5_500, 0)),
            None,
            "twice the former threshold is not reached"
        );
    }

    #[test]
    fn after_an_absence_the_clock_waits_for_the_player() {
        let downtime = Downtime { since: moment(1_000), until: moment(9_000) };
        let mut credit = new(5_000, Some(downtime));
        assert_eq!(credit.game_time(at(7_000, 0)), moment(1_000));
        assert_eq!(credit.take_due(at(5_000, 0)), Some(4_000));
        credit.announce(&Event::Resumed { credited_ms: 4_000 }, moment(5_000), at(5_000, 0));
        assert_eq!(credit.game_time(at(7_000, 0)), moment(5_000));
        let mut late = credit;
        credit.release(at(7_000, 0));
        assert_eq!((credit.game_time(at(8_000, 0)), credit.held_until()), (moment(6_000), None));
        assert_eq!(late.game_time(at(10_000, 0)), moment(6_000), "the wait has an end");
        late.release(at(10_000, 0));
        assert_eq!(late.game_time(at(10_000, 0)), moment(6_000));
    }

    #[test]
    fn an_absence_that_is_long_over_is_owed_without_a_wait() {
        let downtime = Downtime { since: moment(1_000), until: moment(9_000) };
        let credit = new(20_000, Some(downtime));
        assert_eq!((credit.owed_ms(at(20_000, 0)), credit.held_until()), (8_000, None));
    }
}
