//! A played game as PGN, for writing and for reading.
//!
//! This is the only place where a game becomes a PGN: [`Game::to_pgn`] writes the moves, the time
//! control, the variant, the end and the clock times, and [`Game::update_pgn`] brings a PGN up to
//! date from which the game was opened. Event, date and players are left to the caller, who knows
//! them.
//!
//! PGN itself has no tag for a delay, for the reason of an end or for touch-move; this module
//! defines ours for the first two, so that every part of Castellan understands the games of the
//! others. Laws: what is written for a time control or an end reads back as the same.

use castellan_pgn::{Game as Pgn, GameResult, Tags};
use castellan_rules::Color;

use crate::{End, EndReason, Game, Moment, TimeControl};

/// The time control; `-` without clocks, `?` with clocks that count up.
const TIME_CONTROL: &str = "TimeControl";
/// Seconds that the clock waits before it runs on each turn.
const DELAY: &str = "Delay";
/// Why the game ended, in words.
const ENDING: &str = "Ending";
/// Why the game ended, in the words of the PGN standard.
const TERMINATION: &str = "Termination";

const UNLIMITED: &str = "-";
const UNKNOWN: &str = "?";
/// Longest time that is accepted: one day.
const MAX_MS: f64 = 86_400_000.0;

impl Game {
    /// Returns the game as PGN: its moves, time control, variant and end, and its clock times as of
    /// `now`. Without `now`, the PGN says nothing about time, for a game whose times are not known.
    pub fn to_pgn(&self, now: Option<Moment>) -> Pgn {
        let mut pgn = Pgn::from_line(self.line());
        self.control_for(now).write_tags(&mut pgn.tags);
        if self.settings().is_chess960 {
            pgn.tags.set("Variant", "Chess960");
        }
        if let Some(end) = self.end() {
            end.write_tags(&mut pgn.tags);
            pgn.result = end.result();
        }
        self.write_clocks(&mut pgn, now);
        pgn
    }

    /// Brings a PGN up to date whose main line has the moves of the game. Tags that are still true
    /// stay as they are, in whatever words, and a finished game gets no `Termination` if it had
    /// none.
    pub fn update_pgn(&self, pgn: &mut Pgn, now: Option<Moment>) {
        let control = self.control_for(now);
        if TimeControl::of_pgn(pgn) != control {
            control.write_tags(&mut pgn.tags);
        }
        if self.settings().is_chess960 && !pgn.is_chess960() {
            pgn.tags.set("Variant", "Chess960");
        }
        match self.end() {
            Some(end) => {
                let had_termination = pgn.tags.get(TERMINATION).is_some();
                end.write_tags(&mut pgn.tags);
                if !had_termination {
                    pgn.tags.remove(TERMINATION);
                }
                pgn.result = end.result();
            }
            None => {
                if pgn.result != GameResult::Open {
                    pgn.tags.remove(TERMINATION);
                }
                pgn.tags.remove(ENDING);
                pgn.result = GameResult::Open;
            }
        }
        self.write_clocks(pgn, now);
    }

    fn control_for(&self, now: Option<Moment>) -> TimeControl {
        now.map_or(TimeControl::Unlimited {}, |_| self.settings().time_control)
    }

    /// Writes the clock times: the time left if the clock counts down, the time used if it counts
    /// up. With a delay, the clock does not tell how long a move took, so that is written, too.
    fn write_clocks(&self, pgn: &mut Pgn, now: Option<Moment>) {
        let control = self.settings().time_control;
        let Some(now) = now.filter(|_| control != (TimeControl::Unlimited {})) else { return };
        let mut used_ms = [0; 2];
        let mut turn = self.line().start().turn();
        let after_moves = self.played().iter().map(|played| {
            used_ms[turn.index()] += played.spent_ms;
            let shown_ms = played.remaining_ms.unwrap_or(used_ms[turn.index()]);
            turn = !turn;
            shown_ms
        });
        let after_moves: Vec<u64> = after_moves.collect();
        let is_delay = matches!(control, TimeControl::Delay { .. });
        let elapsed: Option<Vec<u64>> =
            is_delay.then(|| self.played().iter().map(|it| it.spent_ms).collect());
        let clocks = self.clocks(now);
        let at_end = Color::ALL.map(|color| {
            let clock = clocks.of(color);
            clock.remaining_ms.unwrap_or(clock.used_ms)
        });
        pgn.set_clocks(&after_moves, elapsed.as_deref(), at_end);
    }
}

impl TimeControl {
    /// Sets the tags for the time control.
    fn write_tags(self, tags: &mut Tags) {
        let seconds = |ms: u32| (f64::from(ms) / 1000.0).to_string();
        tags.remove(DELAY);
        let text = match self {
            TimeControl::Unlimited {} => UNLIMITED.to_owned(),
            TimeControl::CountUp {} => UNKNOWN.to_owned(),
            TimeControl::Increment { initial_ms, increment_ms: 0 } => seconds(initial_ms),
            TimeControl::Increment { initial_ms, increment_ms } => {
                format!("{}+{}", seconds(initial_ms), seconds(increment_ms))
            }
            TimeControl::Delay { initial_ms, delay_ms } => {
                tags.set(DELAY, &seconds(delay_ms));
                seconds(initial_ms)
            }
        };
        tags.set(TIME_CONTROL, &text);
    }

    /// Returns the time control of a PGN. Continuing with it requires clock times; without them the
    /// game is continued without a clock.
    pub fn of_pgn(pgn: &Pgn) -> TimeControl {
        let has_final = Color::ALL.iter().any(|color| {
            pgn.tags.get(color.fold("WhiteClock", "BlackClock")).is_some_and(|it| !it.is_empty())
        });
        let has_clocks = has_final || pgn.main_line().any(|at| pgn.clock(at).is_some());
        match TimeControl::from_tags(&pgn.tags) {
            TimeControl::CountUp {} if !has_final => TimeControl::Unlimited {},
            control if has_clocks => control,
            _ => TimeControl::Unlimited {},
        }
    }

    /// Reads the time control of a game whose PGN has clock times. Anything that is not a time for
    /// the whole game counts as unlimited.
    fn from_tags(tags: &Tags) -> TimeControl {
        let text = tags.get(TIME_CONTROL).unwrap_or_default();
        let (initial, step) = text.split_once('+').unwrap_or((text, "0"));
        let delay_ms = tags.get(DELAY).and_then(milliseconds);
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
    /// Sets the tags for the end; none if the reason is not known.
    fn write_tags(self, tags: &mut Tags) {
        if let Some(word) = self.reason.termination() {
            tags.set(ENDING, &self.to_string());
            tags.set(TERMINATION, word);
        }
    }

    fn result(self) -> GameResult {
        GameResult::from_bytes(self.score().as_bytes()).unwrap_or(GameResult::Open)
    }

    /// Returns how a PGN says the game ended; `None` if it is not over. The reason is what the tags
    /// say, and no more.
    pub fn of_pgn(pgn: &Pgn) -> Option<End> {
        let text = pgn.tags.get(ENDING).unwrap_or_default();
        let ends = EndReason::ALL.into_iter().flat_map(|reason| {
            let winners = [Some(Color::White), Some(Color::Black), None];
            winners.map(|winner| End { reason, winner })
        });
        let is_possible = |end: &End| end.is_consistent() && end.score() == pgn.result.as_str();
        let stated = ends.filter(is_possible).find(|end| end.to_string() == text);
        let termination = pgn.tags.get(TERMINATION).unwrap_or_default().to_ascii_lowercase();
        stated.or_else(|| terminated(pgn.result, &termination))
    }
}

/// Returns the end for a result and the tag `Termination` in lower case; `None` if the game is not
/// over. Other words than these, such as "normal", leave the reason open.
fn terminated(result: GameResult, termination: &str) -> Option<End> {
    let is_timeout = termination.contains("time forfeit");
    let other = if termination == "abandoned" { EndReason::Abandoned } else { EndReason::Unstated };
    match result {
        GameResult::Win(winner) => {
            Some(End::win(if is_timeout { EndReason::Timeout } else { other }, winner))
        }
        GameResult::Draw => {
            let timeout = EndReason::TimeoutAgainstNoMate;
            Some(End::without_winner(if is_timeout { timeout } else { other }))
        }
        GameResult::Open => None,
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
