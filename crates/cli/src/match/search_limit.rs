//! Limits how long an engine may think: by a clock, or by a fixed amount for each move.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, ensure};
use castellan_rules::Color;
use castellan_uci::Go;

/// A time control: base time, increment per move, and optionally a number of moves per period.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TimeControl {
    moves: Option<u32>,
    base: Duration,
    increment: Duration,
}

/// How much an engine may think.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SearchLimit {
    Clock(TimeControl),
    MoveTime(Duration),
    Nodes(u64),
    Depth(u32),
}

/// Without a clock, an engine that takes longer than this for a move counts as stalled.
const STALLED: Duration = Duration::from_secs(120);

/// The clocks of one game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clocks {
    search_limit: SearchLimit,
    margin: Duration,
    left: [Duration; 2],
    /// Number of moves that each side has made.
    moves: [u32; 2],
}

impl Clocks {
    /// Creates the clocks for a new game. An engine may be late by `margin`: that much time can
    /// be lost between the two processes when the machine is busy.
    pub(super) fn new(search_limit: SearchLimit, margin: Duration) -> Clocks {
        let base = match search_limit {
            SearchLimit::Clock(control) => control.base,
            _ => Duration::ZERO,
        };
        Clocks { search_limit, margin, left: [base; 2], moves: [0; 2] }
    }

    /// Returns the `go` command for the engine to move.
    pub(super) fn go(&self, turn: Color) -> Go {
        // Some engines would read a time of zero as no clock.
        let left = |color: Color| Some(self.left[index(color)].max(Duration::from_millis(1)));
        match self.search_limit {
            SearchLimit::Clock(control) => Go {
                white_time: left(Color::White),
                black_time: left(Color::Black),
                white_increment: Some(control.increment),
                black_increment: Some(control.increment),
                moves_to_go: control.moves.map(|moves| moves - self.moves[index(turn)] % moves),
                ..Go::default()
            },
            SearchLimit::MoveTime(time) => Go { move_time: Some(time), ..Go::default() },
            SearchLimit::Nodes(nodes) => Go { nodes: Some(nodes), ..Go::default() },
            SearchLimit::Depth(depth) => Go { depth: Some(depth), ..Go::default() },
        }
    }

    /// Returns how long to wait for the engine's move.
    pub(super) fn limit(&self, turn: Color) -> Duration {
        match self.search_limit {
            SearchLimit::Clock(_) => self.left[index(turn)] + self.margin,
            SearchLimit::MoveTime(time) => time + self.margin,
            SearchLimit::Nodes(_) | SearchLimit::Depth(_) => STALLED,
        }
    }

    /// Updates the clock after a move that came in time. Returns the time left; `None` without a
    /// clock.
    pub(super) fn spend(&mut self, turn: Color, time: Duration) -> Option<Duration> {
        let SearchLimit::Clock(control) = self.search_limit else { return None };
        let (left, moves) = (&mut self.left[index(turn)], &mut self.moves[index(turn)]);
        *moves += 1;
        *left = left.saturating_sub(time) + control.increment;
        if control.moves.is_some_and(|period| moves.is_multiple_of(period)) {
            *left += control.base;
        }
        Some(*left)
    }
}

fn index(color: Color) -> usize {
    color.fold(0, 1)
}

/// Parses `MOVES/SECONDS+INCREMENT`; the moves and the increment are optional.
impl FromStr for TimeControl {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<TimeControl> {
        let read = || {
            let (moves, rest) = match text.split_once('/') {
                Some((moves, rest)) => (Some(moves.parse::<u32>()?), rest),
                None => (None, text),
            };
            let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
            ensure!(moves != Some(0), "the number of moves must be at least 1");
            let control =
                TimeControl { moves, base: seconds(base)?, increment: seconds(increment)? };
            ensure!(!control.base.is_zero(), "the time must not be 0");
            Ok(control)
        };
        read().with_context(|| {
            format!("{text:?} is not a time control: expected SECONDS+INCREMENT, as in 1+0.01")
        })
    }
}

/// Parses a decimal number of seconds.
fn seconds(text: &str) -> anyhow::Result<Duration> {
    const MOST: f64 = 1_000_000.0;
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    ensure!(is_plain, "{text:?} is not a number of seconds");
    let number: f64 =
        text.parse().with_context(|| format!("{text:?} is not a number of seconds"))?;
    ensure!(number <= MOST, "{number} seconds is more than the maximum of {MOST}");
    Ok(Duration::from_millis((number * 1000.0).round() as u64))
}

/// Writes the time control in PGN notation, if PGN has one for it.
impl fmt::Display for SearchLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchLimit::Clock(control) => {
                control.moves.map_or(Ok(()), |moves| write!(f, "{moves}/"))?;
                write!(f, "{}", control.base.as_secs_f64())?;
                if control.increment.is_zero() {
                    return Ok(());
                }
                write!(f, "+{}", control.increment.as_secs_f64())
            }
            SearchLimit::MoveTime(time) => write!(f, "{} s a move", time.as_secs_f64()),
            SearchLimit::Nodes(nodes) => write!(f, "{nodes} nodes"),
            SearchLimit::Depth(depth) => write!(f, "depth {depth}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(text: &str) -> SearchLimit {
        SearchLimit::Clock(text.parse().expect("it is a time control"))
    }

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn time_controls_are_read_and_written() {
        for text in ["1+0.01", "60", "40/300+2.5", "0.5+0.05"] {
            assert_eq!(clock(text).to_string(), text);
        }
        assert_eq!(clock("1+0").to_string(), "1");
        for bad in ["", "0", "+1", "1+", "x", "0/5", "1e3", "-1", "1+1+1", "9999999", "nan", "."] {
            assert!(bad.parse::<TimeControl>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn time_goes_and_increments_come() {
        let mut clocks = Clocks::new(clock("1+0.01"), ms(20));
        assert_eq!(clocks.limit(Color::White), ms(1020));
        assert_eq!(clocks.spend(Color::White, ms(300)), Some(ms(710)));
        assert_eq!(clocks.spend(Color::White, ms(715)), Some(ms(10)), "late within the margin");
        let go = clocks.go(Color::Black).to_string();
        assert_eq!(go, "go wtime 10 btime 1000 winc 10 binc 10");
    }

    #[test]
    fn a_new_period_brings_new_time() {
        let mut clocks = Clocks::new(clock("2/1"), ms(0));
        assert_eq!(clocks.go(Color::White).moves_to_go, Some(2));
        clocks.spend(Color::White, ms(400));
        assert_eq!(clocks.go(Color::White).moves_to_go, Some(1));
        assert_eq!(clocks.go(Color::Black).moves_to_go, Some(2));
        assert_eq!(clocks.spend(Color::White, ms(400)), Some(ms(1200)));
        assert_eq!(clocks.go(Color::White).moves_to_go, Some(2));
    }

    #[test]
    fn fixed_amounts_have_no_clock() {
        for (search_limit, go) in [
            (SearchLimit::Nodes(500), "go nodes 500"),
            (SearchLimit::Depth(7), "go depth 7"),
            (SearchLimit::MoveTime(ms(50)), "go movetime 50"),
        ] {
            let mut clocks = Clocks::new(search_limit, ms(5));
            assert_eq!(clocks.go(Color::White).to_string(), go);
            assert_eq!(clocks.spend(Color::White, ms(1)), None);
        }
        assert_eq!(Clocks::new(SearchLimit::MoveTime(ms(50)), ms(5)).limit(Color::White), ms(55));
    }
}
