//! What ends a search, and how time is shared out among moves.

use core::time::Duration;

use castellan_rules::{Color, Move};

use crate::level::Handicap;

/// What a player's clock shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeLeft {
    /// Until the flag falls.
    pub remaining: Duration,
    /// Added after every move.
    pub increment: Duration,
}

/// When a search ends, whichever comes first. Without any limit it goes on until it is stopped.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// After so many plies.
    pub depth: Option<u32>,
    /// After so many positions.
    pub nodes: Option<u64>,
    /// After the iteration in which so many positions are reached.
    pub soft_nodes: Option<u64>,
    /// When a mate in so many moves is found.
    pub mate: Option<u32>,
    /// After this time.
    pub move_time: Option<Duration>,
    /// When the share of the clock is used up, by color.
    pub clocks: [Option<TimeLeft>; 2],
    /// Moves until more time is added to the clocks.
    pub moves_to_go: Option<u32>,
    /// Only these moves are looked at; all if there are none.
    pub moves: Vec<Move>,
    /// How many best lines are wanted; 0 counts as 1.
    pub lines: usize,
    /// What is lost on every move between the engine and the one who holds the clock.
    pub overhead: Duration,
    /// Play weaker than possible. The search then has one thread and a table of its own, and ends
    /// after the positions of the level at the latest.
    pub handicap: Option<Handicap>,
}

/// How long a search may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Budget {
    /// When another iteration is no longer begun, if all is calm.
    pub(crate) soft: Option<Duration>,
    /// When the search is broken off.
    pub(crate) hard: Option<Duration>,
}

/// Moves a game is thought to last if nobody says.
const MOVES_LEFT: u32 = 24;
/// The hard limit in shares of the soft one.
const HARD_FACTOR: f64 = 4.5;
/// No move takes more than this part of the clock.
const LARGEST_PART: f64 = 0.3;
/// Part of an increment that a move may count on.
const INCREMENT_PART: f64 = 0.6;

impl Limits {
    /// How long a color may think.
    pub(crate) fn budget(&self, color: Color) -> Budget {
        let minus_overhead = |time: Duration| time.saturating_sub(self.overhead);
        let move_time = self.move_time.map(minus_overhead);
        let Some(clock) = self.clocks[color.index()] else {
            return Budget { soft: None, hard: move_time };
        };
        let left = minus_overhead(clock.remaining).as_secs_f64();
        let increment = clock.increment.as_secs_f64();
        let moves = self.moves_to_go.unwrap_or(MOVES_LEFT).clamp(1, MOVES_LEFT);
        let share = left / f64::from(moves) + increment * INCREMENT_PART;
        let part = if moves == 1 { 0.9 } else { LARGEST_PART };
        let most = left * part;
        let seconds = |seconds: f64| Duration::from_secs_f64(seconds.max(0.0005));
        let hard = seconds((share * HARD_FACTOR).min(most));
        Budget {
            soft: Some(seconds(share.min(most))),
            hard: Some(move_time.map_or(hard, |time| time.min(hard))),
        }
    }
}

/// By how much the soft limit is stretched or cut, from what the search has seen.
pub(crate) struct Calm {
    /// Iterations since the best move last changed.
    pub(crate) stable_iterations: u32,
    /// The share of positions that were searched below the best move.
    pub(crate) best_share: f64,
    /// How much the value has fallen since earlier iterations, in centipawns.
    pub(crate) fall: i32,
}

impl Calm {
    /// The factor.
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
                    let Budget { soft: Some(soft), hard: Some(hard) } = limits.budget(Color::White)
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
        assert_eq!(limits.budget(Color::Black), Budget { soft: None, hard });
        assert_eq!(Limits::default().budget(Color::White), Budget { soft: None, hard: None });
    }

    #[test]
    fn an_obvious_move_is_played_sooner_than_a_doubtful_one() {
        let obvious = Calm { stable_iterations: 8, best_share: 0.95, fall: 0 };
        let doubtful = Calm { stable_iterations: 0, best_share: 0.3, fall: 40 };
        assert!(obvious.factor() < 0.6 && doubtful.factor() > 1.5);
    }
}
