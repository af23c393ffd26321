//! The time that the server owes the player to move.
//!
//! A player's turn begins when its event is announced, not when it was decided, so waiting for the
//! store or for a message from another node is part of [`TimeCredit`]. So are a stalled process, a
//! command that the store refused, and the time that players need to reconnect after an outage or
//! after their node died.
//! This module leaves the clocks themselves to `castellan-game`, which knows what they showed at an
//! earlier moment. It leaves to `time` which node owes the credit and when it is recorded.
//!
//! [`TurnRecord`] is the current turn according to the store. Nodes that compare the credits they
//! owe compare them relative to this record.
//!
//! Events carry the time of the node that decided them. The difference from this node's clock is
//! part of the credit and may be negative, so clock skew between nodes costs no player any time.

use castellan_game::{Event, Moment, Recorded};

use crate::clock::{Arrival, Clock};

/// Smallest credit that is recorded as soon as it is known, so that players see it on their clocks
/// and it survives a restart. A smaller credit is settled when the turn ends.
pub(super) const RECORD_FROM_MS: i64 = 1_000;
/// How long the clock stands still after a command was refused because it could not be stored. A
/// person has to see the refusal and to repeat the move.
const REPEAT_MS: u64 = 10_000;

/// A period in which no server was running, and the time that players have to reconnect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Downtime {
    /// When the player to move lost the ability to act.
    pub(crate) since: Moment,
    /// When the clock starts again if the player does not reconnect earlier.
    pub(crate) until: Moment,
}

/// A period in which the clock is stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Hold {
    since: Moment,
    /// Its latest end.
    until: Moment,
    why: HoldReason,
}

/// Why the clock is stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum HoldReason {
    /// No server was running.
    Outage,
    /// The player to move is on the way from a node that is gone.
    Return,
}

/// The time that the server owes the player to move in the current turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeCredit {
    owed_ms: i64,
    /// Moment up to which `owed_ms` has everything that other nodes could cause.
    settled: Moment,
    /// Reading of the clock's stall counter up to which `owed_ms` is complete.
    stalled_ms: u64,
    record_from_ms: i64,
    held: Option<Hold>,
    /// When a command of the player was last refused because it could not be stored.
    refused: Option<Arrival>,
    /// Whether this node told the player to move of the turn.
    pub(super) is_notified: bool,
    /// Whether this node stored the event that began the turn, so that no other node can have told
    /// the player earlier.
    pub(super) is_own: bool,
    /// Reading of the stall counter up to which stalls do not count in this turn, because the room
    /// was not open or the player seemed to be elsewhere.
    uncounted_stalls_ms: Option<u64>,
}

impl TimeCredit {
    /// Creates the credit of a room that opens now, for a game whose clock is charged from `since`.
    pub(super) fn new(
        clock: &Clock,
        since: Option<Moment>,
        downtime: Option<Downtime>,
    ) -> TimeCredit {
        let Arrival { at: now, stalled_ms } = clock.arrival();
        let (mut owed_ms, mut settled, mut held) = (0, since.unwrap_or(now), None);
        if let Some(Downtime { since, until }) = downtime {
            owed_ms = to_signed(now.min(until).since_ms(since));
            settled = now;
            held = (now < until).then_some(Hold { since: now, until, why: HoldReason::Outage });
        }
        TimeCredit {
            owed_ms,
            settled,
            stalled_ms,
            record_from_ms: RECORD_FROM_MS,
            held,
            refused: None,
            is_notified: false,
            is_own: downtime.is_some(),
            uncounted_stalls_ms: Some(stalled_ms),
        }
    }

    /// Returns the time owed to a player whose message arrived at `arrival`.
    fn owed_ms(&self, arrival: Arrival) -> i64 {
        let stopped_ms = self.held_ms(arrival).saturating_add(self.repeat_ms(arrival));
        self.written_off_ms(arrival).saturating_add(to_signed(stopped_ms))
    }

    /// Returns for how long the clock has been stopped.
    fn held_ms(&self, arrival: Arrival) -> u64 {
        self.held.map_or(0, |held| arrival.at.min(held.until).since_ms(held.since))
    }

    /// Returns for how long the clock has stood still since a command was refused.
    fn repeat_ms(&self, arrival: Arrival) -> u64 {
        self.refused.map_or(0, |refused| waited_ms(refused, arrival).min(REPEAT_MS))
    }

    /// Returns the time owed without the current stop of the clock, which is not over yet.
    pub(super) fn written_off_ms(&self, arrival: Arrival) -> i64 {
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

    /// Updates the credit for an event that is announced now. `is_own` if this node stored it.
    pub(super) fn announce(&mut self, event: &Event, at: Moment, now: Arrival, is_own: bool) {
        let stalled_ms = now.stalled_ms;
        match event {
            Event::Started {} | Event::Moved { .. } | Event::TakenBack { .. } => {
                self.begin_turn(at, now);
                self.is_own = is_own;
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
        *self = TimeCredit {
            owed_ms,
            settled: now.at,
            stalled_ms,
            record_from_ms: RECORD_FROM_MS,
            held: None,
            refused: None,
            is_notified: false,
            is_own: false,
            uncounted_stalls_ms: None,
        };
    }

    /// Adds the time that a command waited until it was refused, and lets the clock stand still
    /// until the player has repeated it.
    pub(super) fn add_refusal(&mut self, arrival: Arrival, now: Arrival) {
        let lost_ms = self.repeat_ms(arrival).saturating_add(waited_ms(arrival, now));
        self.owed_ms = self.owed_ms.saturating_add(to_signed(lost_ms));
        self.refused = Some(now);
    }

    /// Adds stalls of this process that did not count, although the player was already connected and
    /// waited for the game. The clock has run for `running_ms`.
    pub(super) fn add_uncounted_stalls(&mut self, connected: Arrival, running_ms: u64) {
        let Some(stalled_ms) = self.uncounted_stalls_ms.take() else { return };
        let waited_ms = stalled_ms.saturating_sub(connected.stalled_ms).min(running_ms);
        self.owed_ms = self.owed_ms.saturating_add(to_signed(waited_ms));
    }

    /// Notes that this node stored the event that began the turn.
    pub(super) fn note_own(&mut self) {
        self.is_own = true;
    }

    /// Leaves out the stalls until now, unless the player turns out to be connected here.
    pub(super) fn skip_stalls(&mut self, now: Arrival) {
        if now.stalled_ms > self.stalled_ms {
            (self.stalled_ms, self.uncounted_stalls_ms) = (now.stalled_ms, Some(now.stalled_ms));
        }
    }

    /// Raises the credit to what another node owes the same player in the same turn.
    pub(super) fn raise_to(&mut self, owed_ms: u64, now: Arrival) {
        let missing_ms = to_signed(owed_ms).saturating_sub(self.written_off_ms(now));
        self.owed_ms = self.owed_ms.saturating_add(missing_ms.max(0));
    }

    /// Lowers the credit to what was owed until the player could turn to another node.
    pub(super) fn limit_to(&mut self, owed_ms: u64, now: Arrival) {
        let excess_ms = self.written_off_ms(now).saturating_sub(to_signed(owed_ms));
        self.owed_ms = self.owed_ms.saturating_sub(excess_ms.max(0));
    }

    /// Returns the latest moment at which the clock starts again after an outage, if it is stopped.
    pub(super) fn held_until(&self) -> Option<Moment> {
        self.held.filter(|held| held.why == HoldReason::Outage).map(|held| held.until)
    }

    /// Sets a new latest end of the stop. Does nothing if the clock is running.
    pub(super) fn hold_until(&mut self, until: Moment) {
        self.held = self.held.map(|held| Hold { until, ..held });
    }

    /// Stops the clock for a player who is on the way from a node that is gone. `way` is the time from
    /// the node's last sign of life until the player is back, and `None` if it turns out that the node
    /// is not gone. After an outage the clock is stopped already.
    pub(super) fn hold_for_return(&mut self, way: Option<(Moment, Moment)>) {
        if self.held.is_some_and(|held| held.why == HoldReason::Outage) {
            return;
        }
        self.held = way.and_then(|(lost, until)| {
            let since = lost.max(self.settled);
            (since < until).then_some(Hold { since, until, why: HoldReason::Return })
        });
    }

    /// Starts the clock again and adds the time until now to the credit. Does nothing if the clock is
    /// running.
    pub(super) fn release(&mut self, now: Arrival) {
        if self.held.is_none() {
            return;
        }
        let owed_ms = self.written_off_ms(now).saturating_add(to_signed(self.held_ms(now)));
        let (stalled_ms, settled) = (now.stalled_ms, now.at.max(self.settled));
        *self = TimeCredit { owed_ms, stalled_ms, settled, held: None, ..*self };
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

/// The current turn as the store has it: the event that began it, and the time credited since.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct TurnRecord {
    /// Version of the event that began the turn; 0 if no turn has begun.
    pub(crate) version: u32,
    /// Time that was credited to the player to move since.
    pub(crate) credited_ms: u64,
}

impl TurnRecord {
    /// Returns the current turn of a game with these events.
    pub(crate) fn of(events: &[Recorded]) -> TurnRecord {
        let mut turn = TurnRecord::default();
        events.iter().for_each(|recorded| turn.apply(recorded));
        turn
    }

    /// Takes the next event of the game into account.
    pub(super) fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::Started {} | Event::Moved { .. } | Event::TakenBack { .. } => {
                *self = TurnRecord { version: recorded.version, credited_ms: 0 };
            }
            Event::Resumed { credited_ms } => {
                self.credited_ms = self.credited_ms.saturating_add(*credited_ms);
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
}

/// Returns the time between two readings of the clock without stalls, which are counted separately.
fn waited_ms(from: Arrival, to: Arrival) -> u64 {
    to.at.since_ms(from.at).saturating_sub(to.stalled_ms.saturating_sub(from.stalled_ms))
}

fn to_signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

fn shift(moment: Moment, by_ms: i64) -> Moment {
    Moment::from_millis(moment.as_millis().saturating_add_signed(by_ms))
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;

    fn at(ms: u64, stalled_ms: u64) -> Arrival {
        Arrival { at: Moment::from_millis(ms), stalled_ms }
    }

    fn moment(ms: u64) -> Moment {
        Moment::from_millis(ms)
    }

    fn new(now_ms: u64, downtime: Option<Downtime>) -> TimeCredit {
        TimeCredit::new(&Clock::manual(moment(now_ms)), Some(moment(0)), downtime)
    }

    #[test]
    fn a_turn_begins_when_its_event_is_announced() {
        let mut credit = new(0, None);
        credit.announce(&Event::Started {}, moment(100), at(350, 0), true);
        assert_eq!(credit.game_time(at(1_000, 0)), moment(750));
        assert_eq!(credit.node_time(moment(750), at(1_000, 0)), moment(1_000));
        assert_eq!(credit.take_due(at(1_000, 0)), None);
        credit.announce(&Event::Started {}, moment(2_000), at(2_000, 0), true);
        assert_eq!(credit.game_time(at(3_000, 0)), moment(3_000));
    }

    #[test]
    fn a_clock_that_is_ahead_or_behind_costs_nothing() {
        for event_ms in [5_000, 10_000, 15_000] {
            let mut credit = new(0, None);
            credit.announce(&Event::Started {}, moment(event_ms), at(10_000, 0), true);
            assert_eq!(credit.game_time(at(12_000, 0)), moment(event_ms + 2_000));
        }
    }

    #[test]
    fn stalls_and_waits_are_counted_once() {
        let mut credit = new(0, None);
        // The message arrived at 1,000; then the process was stalled for 500 of the next 800 ms.
        credit.add_refusal(at(1_000, 0), at(1_800, 500));
        assert_eq!(credit.owed_ms(at(1_800, 500)), 800);
        // Nothing is owed for a stall that came after the message.
        assert_eq!(credit.owed_ms(at(1_000, 0)), 300);
    }

    #[test]
    fn credited_time_is_no_longer_owed() {
        let mut credit = new(0, None);
        credit.announce(&Event::Started {}, moment(0), at(3_000, 0), true);
        assert_eq!(credit.take_due(at(3_000, 0)), Some(3_000));
        credit.announce(&Event::Resumed { credited_ms: 3_000 }, moment(3_000), at(3_100, 0), true);
        assert_eq!(credit.owed_ms(at(3_100, 0)), 0);
        credit.announce(&Event::Resumed { credited_ms: 9_000 }, moment(3_200), at(3_200, 0), true);
        assert_eq!(
            credit.owed_ms(at(3_200, 0)),
            0,
            "a credit of another node is no credit of ours"
        );
        credit.add_refusal(at(4_000, 0), at(5_500, 0));
        assert_eq!(
            credit.take_due(at(5_500, 0)),
            None,
            "twice the former threshold is not reached"
        );
    }

    #[test]
    fn the_way_from_a_dead_node_is_credited_once() {
        let mut credit = new(0, None);
        credit.announce(&Event::Started {}, moment(900), at(1_000, 0), false);
        // The node died during the turn.
        credit.hold_for_return(Some((moment(4_000), moment(6_000))));
        assert_eq!(credit.owed_ms(at(7_000, 0)), 100 + 2_000);
        assert_eq!(credit.written_off_ms(at(7_000, 0)), 100, "not certain yet");
        // It lived a little longer than it seemed, and died before the turn began.
        credit.hold_for_return(Some((moment(4_500), moment(6_000))));
        assert_eq!(credit.owed_ms(at(7_000, 0)), 100 + 1_500);
        credit.hold_for_return(Some((moment(500), moment(6_000))));
        assert_eq!(credit.owed_ms(at(7_000, 0)), 5_100);
        credit.release(at(7_000, 0));
        credit.hold_for_return(Some((moment(500), moment(6_000))));
        assert_eq!(credit.owed_ms(at(8_000, 0)), 5_100, "once");
        credit.announce(&Event::Started {}, moment(9_000), at(9_000, 0), false);
        credit.hold_for_return(Some((moment(8_000), moment(9_500))));
        credit.hold_for_return(None);
        assert_eq!(credit.owed_ms(at(10_000, 0)), 0, "the node is alive");
    }

    #[test]
    fn the_clock_stands_still_until_a_refused_move_is_repeated() {
        let mut credit = new(0, None);
        credit.add_refusal(at(1_000, 0), at(1_200, 0));
        assert_eq!(credit.owed_ms(at(3_000, 0)), 2_000);
        credit.add_refusal(at(3_000, 0), at(3_100, 0));
        assert_eq!(credit.owed_ms(at(4_000, 0)), 3_000);
        assert_eq!(credit.owed_ms(at(60_000, 0)), 2_100 + to_signed(REPEAT_MS), "not forever");
        assert_eq!(credit.take_due(at(4_000, 0)), Some(2_100), "only what is certain is recorded");
    }

    #[test]
    fn a_player_who_waited_for_the_room_is_owed_the_stalls_before_it_opened() {
        let clock = Clock::manual(moment(0));
        clock.stall(Duration::from_secs(7));
        let mut credit = TimeCredit::new(&clock, None, None);
        let mut short = credit;
        credit.add_uncounted_stalls(at(0, 1_000), 20_000);
        credit.add_uncounted_stalls(at(0, 1_000), 20_000);
        assert_eq!(credit.owed_ms(at(7_000, 7_000)), 6_000);
        short.add_uncounted_stalls(at(0, 1_000), 2_500);
        assert_eq!(short.owed_ms(at(7_000, 7_000)), 2_500, "no longer than the turn");
        credit.announce(&Event::Started {}, moment(7_000), at(7_000, 7_000), true);
        credit.add_uncounted_stalls(at(0, 1_000), 20_000);
        assert_eq!(credit.owed_ms(at(7_000, 7_000)), 0, "only the turn in which it opened");
    }

    #[test]
    fn a_stall_counts_after_all_for_a_player_who_turns_out_to_be_here() {
        let mut credit = new(0, None);
        credit.announce(&Event::Started {}, moment(0), at(0, 0), false);
        credit.skip_stalls(at(9_000, 7_000));
        assert_eq!(credit.owed_ms(at(9_000, 7_000)), 0);
        credit.add_uncounted_stalls(at(500, 0), 9_000);
        assert_eq!(credit.owed_ms(at(9_000, 7_000)), 7_000);
        credit.skip_stalls(at(9_500, 7_000));
        credit.add_uncounted_stalls(at(500, 0), 9_500);
        assert_eq!(credit.owed_ms(at(9_500, 7_000)), 7_000, "they count once");
    }

    #[test]
    fn a_debt_of_another_node_is_owed_once() {
        let mut credit = new(0, None);
        credit.announce(&Event::Started {}, moment(0), at(400, 0), true);
        credit.raise_to(3_000, at(500, 0));
        credit.raise_to(3_000, at(500, 0));
        credit.raise_to(1_000, at(500, 0));
        assert_eq!(credit.owed_ms(at(500, 0)), 3_000);
        // A stall of this node that comes later is owed in addition.
        credit.raise_to(3_000, at(1_700, 1_200));
        assert_eq!(credit.owed_ms(at(1_700, 1_200)), 4_200);
        for (limit_ms, owed_ms) in [(5_000, 4_200), (600, 600)] {
            credit.limit_to(limit_ms, at(1_700, 1_200));
            assert_eq!(credit.owed_ms(at(1_700, 1_200)), owed_ms);
        }
    }

    #[test]
    fn after_an_absence_the_clock_waits_for_the_player() {
        let downtime = Downtime { since: moment(1_000), until: moment(9_000) };
        let mut credit = new(5_000, Some(downtime));
        assert_eq!(credit.game_time(at(7_000, 0)), moment(1_000));
        assert_eq!(credit.take_due(at(5_000, 0)), Some(4_000));
        credit.announce(&Event::Resumed { credited_ms: 4_000 }, moment(5_000), at(5_000, 0), true);
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

    #[test]
    fn credits_add_up_until_the_next_turn() {
        let resumed = |credited_ms| Event::Resumed { credited_ms };
        let events = [Event::Started {}, resumed(500), resumed(700), Event::Started {}, resumed(9)];
        let recorded = |(version, event)| Recorded { version, at: Moment::default(), event };
        let record: Vec<Recorded> = (3..).zip(events).map(recorded).collect();
        assert_eq!(TurnRecord::of(&[]), TurnRecord::default());
        assert_eq!(TurnRecord::of(&record[..3]), TurnRecord { version: 3, credited_ms: 1_200 });
        assert_eq!(TurnRecord::of(&record), TurnRecord { version: 6, credited_ms: 9 });
    }
}
