//! The settings of a game, which are agreed before it and do not change.
//!
//! This module defines the settings and which time controls make sense. The server decides which
//! of them it offers to which players.

use castellan_rules::{CastlingSpelling, Position};
use serde::{Deserialize, Serialize};

use crate::json;

/// The settings of a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Settings {
    /// Starting position, as a FEN in JSON.
    #[serde(with = "json::position")]
    #[cfg_attr(feature = "typescript", ts(type = "string"))]
    pub start: Position,
    /// Whether castling is written in Chess960 style, as the king taking its own rook.
    pub is_chess960: bool,
    /// Time available to the players.
    pub time_control: TimeControl,
    /// When the first clock starts.
    pub clock_start: ClockStart,
    /// Whether the result changes ratings.
    pub is_rated: bool,
    /// Whether a touched piece must be moved or captured (FIDE 4.3).
    pub is_touch_move: bool,
    /// Whether moves may be taken back if the opponent agrees.
    pub allows_takeback: bool,
}

impl Settings {
    /// Returns how castling is written in this game.
    pub fn castling(&self) -> CastlingSpelling {
        CastlingSpelling::for_game(self.is_chess960)
    }
}

/// When the first clock starts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum ClockStart {
    /// When both players are seated, as in online games.
    Game,
    /// With the first move, which is not charged, as in games on a shared screen.
    FirstMove,
}

/// How much time the players have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum TimeControl {
    /// The game has no clocks.
    Unlimited {},
    /// The clocks show the time used and never end the game.
    CountUp {},
    /// Each player has a fixed time for the game plus an increment after every move.
    Increment {
        /// Time at the start, in milliseconds.
        initial_ms: u32,
        /// Time added after each move, in milliseconds.
        increment_ms: u32,
    },
    /// Each player has a fixed time for the game, and the clock waits before it runs on each turn
    /// (simple delay).
    Delay {
        /// Time at the start, in milliseconds.
        initial_ms: u32,
        /// How long the clock waits on each turn, in milliseconds.
        delay_ms: u32,
    },
}

/// Why a time control is not acceptable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TimeControlError {
    /// The initial time is below [`TimeControl::MIN_INITIAL_MS`].
    #[error("an initial time of {0} ms is too short; the minimum is one second")]
    TooShort(u32),
    /// The initial time is above [`TimeControl::MAX_INITIAL_MS`].
    #[error("an initial time of {0} ms is too long; the maximum is one day")]
    TooLong(u32),
    /// The increment or delay is above [`TimeControl::MAX_STEP_MS`].
    #[error("an increment or delay of {0} ms is too long; the maximum is ten minutes")]
    StepTooLong(u32),
}

impl TimeControl {
    /// Minimum initial time: moving a piece and sending the move already take about that long.
    pub const MIN_INITIAL_MS: u32 = 1_000;
    /// Maximum initial time: one day.
    pub const MAX_INITIAL_MS: u32 = 86_400_000;
    /// Maximum increment or delay: ten minutes.
    pub const MAX_STEP_MS: u32 = 600_000;

    /// Checks that the time control is within the limits. A game accepts any time control; the
    /// limits apply to those that users choose.
    pub fn check(self) -> Result<(), TimeControlError> {
        let (Some(initial_ms), step_ms) = (self.initial_ms(), self.step_ms()) else {
            return Ok(());
        };
        if initial_ms < Self::MIN_INITIAL_MS {
            Err(TimeControlError::TooShort(initial_ms))
        } else if initial_ms > Self::MAX_INITIAL_MS {
            Err(TimeControlError::TooLong(initial_ms))
        } else if step_ms > Self::MAX_STEP_MS {
            Err(TimeControlError::StepTooLong(step_ms))
        } else {
            Ok(())
        }
    }

    /// Returns the initial time; `None` if the clocks do not count down.
    pub fn initial_ms(self) -> Option<u32> {
        match self {
            TimeControl::Unlimited {} | TimeControl::CountUp {} => None,
            TimeControl::Increment { initial_ms, .. } | TimeControl::Delay { initial_ms, .. } => {
                Some(initial_ms)
            }
        }
    }

    /// Returns the increment or the delay per move; 0 if there is neither.
    pub fn step_ms(self) -> u32 {
        match self {
            TimeControl::Unlimited {} | TimeControl::CountUp {} => 0,
            TimeControl::Increment { increment_ms: step_ms, .. }
            | TimeControl::Delay { delay_ms: step_ms, .. } => step_ms,
        }
    }
}

// `Position` ignores the move counters when it compares; settings are equal only if the counters
// are equal, too.
impl PartialEq for Settings {
    fn eq(&self, other: &Settings) -> bool {
        let rest = |of: &Settings| {
            let flags = [of.is_chess960, of.is_rated, of.is_touch_move, of.allows_takeback];
            (of.time_control, of.clock_start, flags)
        };
        self.start.to_setup() == other.start.to_setup() && rest(self) == rest(other)
    }
}

impl Eq for Settings {}
