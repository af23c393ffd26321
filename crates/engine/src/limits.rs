//! Search limits and time management.

use core::time::Duration;

use castellan_rules::{Color, Move};

use crate::level::Handicap;

/// The state of a player's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeLeft {
    /// The time left until the flag falls.
    pub remaining: Duration,
    /// The time added after every move.
    pub increment: Duration,
}

/// The conditions that end a search, whichever comes first. Without limits it runs until it is
/// stopped.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// The maximum depth in plies.
    pub depth: Option<u32>,
    /// The maximum number of nodes.
    pub nodes: Option<u64>,
    /// The number of nodes after which no further iteration starts.
    pub soft_nodes: Option<u64>,
    /// Stops when a mate in this many moves is found.
    pub mate: Option<u32>,
    /// The maximum time.
    pub move_time: Option<Duration>,
    /// The players' clocks, White's first; the search uses a share of the time left.
    pub clocks: [Option<TimeLeft>; 2],
    /// The number of moves until the next time control.
    pub moves_to_go: Option<u32>,
    /// Restricts the search to these root moves; an empty list means all.
    pub moves: Vec<Move>,
    /// The number of best lines to report (MultiPV); 0 counts as 1.
    pub lines: usize,
    /// The time lost on every move between the engine and the clock, for example to network
    /// latency.
    pub overhead: Duration,
    /// Weakens the play. The search then uses one thread and a table of its own, and ends at the
    /// latest after the level's number of nodes.
    pub handicap: Option<Handicap>,
}

/// The time limits of one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TimeBudget {
    /// The time after which no further iteration starts, before it is scaled by [`TimeScaling`].
    pub(crate) soft: Option<Duration>,
    /// The time at which the search is aborted.
    pub(crate) hard: Option<Duration>,
}

/// The number of moves to budget for when the caller does not say.
const MOVES_LEFT: u32 = 24;
/// The hard limit as a multiple of the soft limit.
const HARD_FACTOR: f64 = 4.5;
/// The largest fraction of the clock that one move may use.
const MAX_CLOCK_FRACTION: f64 = 0.3;
/// The same for the last move before the next time control.
const MAX_LAST_MOVE_FRACTION: f64 = 0.9;
/// The fraction of the increment that one move may count on.
const INCREMENT_FRACTION: f64 = 0.6;

impl Limits {
    /// Returns the time limits for a color.
    pub(crate) fn budget(&self, color: Color) -> TimeBudget {
        let minus_overhead = |time: Duration| time.saturating_sub(self.overhead);
        let move_time = self.move_time.map(minus_overhead);
        let Some(clock) = self.clocks[color.index()] else {
            return TimeBudget { soft: None, hard: move_time };
        };
        let left = minus_overhead(clock.remaining).as_secs_f64();
        let increment = clock.increment.as_secs_f64();
        let moves = self.moves_to_go.unwrap_or(MOVES_LEFT).clamp(1, MOVES_LEFT);
        let share = left / f64::from(moves) + increment * INCREMENT_FRACTION;
        let fraction = if moves == 1 { MAX_LAST_MOVE_FRACTION } else { MAX_CLOCK_FRACTION };
        let most = left * fraction;
        // At least half a millisecond, even if no time is left.
        let seconds = |seconds: f64| Duration::from_secs_f64(seconds.max(0.0005));
        let hard = seconds((share * HARD_FACTOR).min(most));
        TimeBudget {
            soft: Some(seconds(share.min(most))),
            hard: Some(move_time.map_or(hard, |time| time.min(hard))),
        }
    }
}

/// Observations of the search that lengthen or shorten the soft time limit.
pub(crate) struct TimeScaling {
    /// The number of iterations since the best move last changed.
    pub(crate) stable_iterations: u32,
    /// The fraction of nodes that were searched below the best move.
    pub(crate) best_share: f64,
    /// How much the score has fallen since the previous iteration, in centipawns.
    pub(crate) fall: i32,
}

impl TimeScaling {
    /// Returns the factor for the soft time limit.
    pub(crate) fn factor(&self) -> f64 {
        let stability = 1.35 - 0.09 * f64::from(self.stable_iterations.min(8));
        let share = (1.9 - 1.45 * self.best_share).clamp(0.5, 1.7);
        let fall = (1.0 + 0.012 * f64::from(self.fall)).clamp(0.85, 1.5);
        stability * share * fall
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clocked(remaining_ms: u64, increment_ms: u64, moves_to_go: Option<u32>) -> Limits {
        let clock = TimeLeft {
            remaining: Duration::from_millis(remaining_ms),
            increment: Duration::from_millis(increment_ms),
        };
        let overhead = Duration::from_millis(10);
        Limits { clocks: [Some(clock); 2], moves_to_go, overhead, ..Limits::default() }
    }

    #[test]
    fn no_budget_is_more_than_the_clock() {
        for remaining in [0, 1, 5, 11, 20, 100, 2000, 60_000, 3_600_000] {
            for increment in [0, 20, 1000, 100_000] {
                for moves in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let limits = clocked(remaining, increment, moves);
                    let TimeBudget { soft: Some(soft), hard: Some(hard) } =
                        limits.budget(Color::White)
                    else {
                        panic!("a clock gives both limits");
                    };
                    assert!(soft <= hard);
                    let most = Duration::from_millis(remaining.saturating_sub(10));
                    assert!(hard <= most.max(Duration::from_micros(500)), "{limits:?} {hard:?}");
                }
            }
        }
    }

    #[test]
    fn a_move_time_is_kept_and_nothing_means_no_limit() {
        let limits = Limits { move_time: Some(Duration::from_millis(70)), ..Limits::default() };
        let hard = Some(Duration::from_millis(70));
        assert_eq!(limits.budget(Color::Black), TimeBudget { soft: None, hard });
        assert_eq!(Limits::default().budget(Color::White), TimeBudget { soft: None, hard: None });
    }

    #[test]
    fn an_obvious_move_is_played_sooner_than_a_doubtful_one() {
        let obvious = TimeScaling { stable_iterations: 8, best_share: 0.95, fall: 0 };
        let doubtful = TimeScaling { stable_iterations: 0, best_share: 0.3, fall: 40 };
        assert!(obvious.factor() < 0.6 && doubtful.factor() > 1.5);
    }
}
