//! A played game in the tags and times of a PGN, for reading and for writing.
//!
//! PGN itself has no tag for a delay, for the reason of an end or for touch-move; this module
//! defines ours, so that every part of Castellan writes a game in the same way and understands the
//! games of the others. It knows tags as text only and leaves files to `castellan-pgn`. Laws: what
//! is written for a time control or an end reads back as the same.

use castellan_rules::Color;

use crate::{End, EndReason, Game, Moment, TimeControl};

/// The time control; `-` without clocks, `?` with clocks that count up.
pub const TIME_CONTROL: &str = "TimeControl";
/// Seconds that the clock waits before it runs on each turn.
pub const DELAY: &str = "Delay";
/// Why the game ended, in words.
pub const ENDING: &str = "Ending";
/// Why the game ended, in the words of the PGN standard.
pub const TERMINATION: &str = "Termination";

const UNLIMITED: &str = "-";
const UNKNOWN: &str = "?";
/// Longest time that is accepted: one day.
const MAX_MS: f64 = 86_400_000.0;

impl TimeControl {
    /// Returns the tags for the time control.
    pub fn pgn_tags(self) -> Vec<(&'static str, String)> {
        let seconds = |ms: u32| (f64::from(ms) / 1000.0).to_string();
        match self {
            TimeControl::Unlimited {} => vec![(TIME_CONTROL, UNLIMITED.to_owned())],
            TimeControl::CountUp {} => vec![(TIME_CONTROL, UNKNOWN.to_owned())],
            TimeControl::Increment { initial_ms, increment_ms: 0 } => {
                vec![(TIME_CONTROL, seconds(initial_ms))]
            }
            TimeControl::Increment { initial_ms, increment_ms } => {
                vec![(TIME_CONTROL, format!("{}+{}", seconds(initial_ms), seconds(increment_ms)))]
            }
            TimeControl::Delay { initial_ms, delay_ms } => {
                vec![(DELAY, seconds(delay_ms)), (TIME_CONTROL, seconds(initial_ms))]
            }
        }
    }

    /// Reads the time control of a game whose PGN has clock times. Anything that is not a time for
    /// the whole game counts as unlimited.
    pub fn from_pgn_tags<'a>(tag: impl Fn(&str) -> Option<&'a str>) -> TimeControl {
        let text = tag(TIME_CONTROL).unwrap_or_default();
        let (initial, step) = text.split_once('+').unwrap_or((text, "0"));
        let delay_ms = tag(DELAY).and_then(milliseconds);
        match (milliseconds(initial).filter(|&ms| ms > 0), milliseconds(step), delay_ms) {
            (Some(initial_ms), _, Some(delay_ms)) => TimeControl::Delay { initial_ms, delay_ms },
            (Some(initial_ms), Some(increment_ms), None) => {
                TimeControl::Increment { initial_ms, increment_ms }
            }
            // Other programs write `-` for a game whose clocks count up.
            _ if matches!(text, UNKNOWN | UNLIMITED) => TimeControl::CountUp {},
            _ => TimeControl::Unlimited {},
        }
    }
}

fn milliseconds(seconds: &str) -> Option<u32> {
    let ms = seconds.parse::<f64>().ok()? * 1000.0;
    (0.0..=MAX_MS).contains(&ms).then_some(ms.round() as u32)
}

impl End {
    /// Returns the tags for the end; none if the reason is not known.
    pub fn pgn_tags(self) -> Vec<(&'static str, String)> {
        match self.reason.termination() {
            Some(word) => vec![(ENDING, self.to_string()), (TERMINATION, word.to_owned())],
            None => Vec::new(),
        }
    }

    /// Reads the end of a game with this result. Its reason is what the tags say, and no more.
    pub fn from_pgn_tags<'a>(result: &str, tag: impl Fn(&str) -> Option<&'a str>) -> Option<End> {
        let text = tag(ENDING).unwrap_or_default();
        let ends = EndReason::ALL.into_iter().flat_map(|reason| {
            let winners = [Some(Color::White), Some(Color::Black), None];
            winners.map(|winner| End { reason, winner })
        });
        let is_possible = |end: &End| end.is_consistent() && end.score() == result;
        let stated = ends.filter(is_possible).find(|end| end.to_string() == text);
        let termination = tag(TERMINATION).unwrap_or_default().to_ascii_lowercase();
        stated.or_else(|| terminated(result, &termination))
    }
}

/// Returns the end for a result and the tag `Termination` in lower case; `None` if the game is not
/// over. Other words than these, such as "normal", leave the reason open.
fn terminated(result: &str, termination: &str) -> Option<End> {
    let is_timeout = termination.contains("time forfeit");
    let other = if termination == "abandoned" { EndReason::Abandoned } else { EndReason::Unstated };
    let win = if is_timeout { EndReason::Timeout } else { other };
    let draw = if is_timeout { EndReason::TimeoutAgainstNoMate } else { other };
    match result {
        "1-0" => Some(End::win(win, Color::White)),
        "0-1" => Some(End::win(win, Color::Black)),
        "1/2-1/2" => Some(End::without_winner(draw)),
        _ => None,
    }
}

impl EndReason {
    /// Returns the word of the PGN standard for the tag `Termination`; `None` if the reason is not
    /// known.
    pub fn termination(self) -> Option<&'static str> {
        Some(match self {
            EndReason::Timeout | EndReason::TimeoutAgainstNoMate => "time forfeit",
            EndReason::Abandoned => "abandoned",
            EndReason::Aborted => "unterminated",
            EndReason::PlyLimit => "adjudication",
            EndReason::Checkmate
            | EndReason::Stalemate
            | EndReason::DeadPosition
            | EndReason::FivefoldRepetition
            | EndReason::SeventyFiveMoves
            | EndReason::ThreefoldRepetition
            | EndReason::FiftyMoves
            | EndReason::Resignation
            | EndReason::Agreement => "normal",
            EndReason::Unstated => return None,
        })
    }
}

/// The clock times of a game for its PGN, in milliseconds: the time left if the clock counts down,
/// the time used if it counts up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockTimes {
    /// After each move, on the clock of the player who made it.
    pub after_moves: Vec<u64>,
    /// How long each move took, where the clock does not tell: of a delay, it does not tell how
    /// much was used.
    pub elapsed: Option<Vec<u64>>,
    /// White's and Black's clock now.
    pub now: [u64; 2],
}

impl Game {
    /// Returns the clock times for a PGN; `None` if the game has no clocks.
    pub fn clock_times(&self, now: Moment) -> Option<ClockTimes> {
        let control = self.settings().time_control;
        if control == (TimeControl::Unlimited {}) {
            return None;
        }
        let mut used_ms = [0; 2];
        let mut turn = self.line().start().turn();
        let after_moves = self.played().iter().map(|played| {
            used_ms[turn.index()] += played.spent_ms;
            let shown_ms = played.remaining_ms.unwrap_or(used_ms[turn.index()]);
            turn = !turn;
            shown_ms
        });
        let after_moves = after_moves.collect();
        let is_delay = matches!(control, TimeControl::Delay { .. });
        let elapsed = is_delay.then(|| self.played().iter().map(|it| it.spent_ms).collect());
        let clocks = self.clocks(now);
        let now = Color::ALL.map(|color| {
            let clock = clocks.of(color);
            clock.remaining_ms.unwrap_or(clock.used_ms)
        });
        Some(ClockTimes { after_moves, elapsed, now })
    }
}
