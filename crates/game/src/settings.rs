//! What is agreed before a game and does not change in it.
//!
//! Owns: the settings, and which time controls make sense. Leaves to the server which of them it
//! offers to whom.

use castellan_rules::{CastlingSpelling, Position};
use serde::{Deserialize, Serialize};

use crate::text;

/// What is agreed before a game begins.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Where it begins.
    #[serde(with = "text::position")]
    pub start: Position,
    /// Whether castling is spelled as Chess960 spells it, king takes rook.
    pub is_chess960: bool,
    /// How much time there is.
    pub time_control: TimeControl,
    /// When the first clock begins to run.
    pub clock_start: ClockStart,
    /// Whether the result changes ratings.
    pub is_rated: bool,
    /// Whether a touched piece must be moved or captured (FIDE 4.3).
    pub is_touch_move: bool,
    /// Whether moves may be taken back if the opponent agrees.
    pub allows_takeback: bool,
}

impl Settings {
    /// How castling is spelled in this game.
    pub fn castling(&self) -> CastlingSpelling {
        CastlingSpelling::of_chess960(self.is_chess960)
    }
}

/// When the first clock begins to run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockStart {
    /// When both are seated: online.
    Game,
    /// With the first move, which takes no time: at one board.
    FirstMove,
}

/// How much time the players have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum TimeControl {
    /// Time is not kept.
    Unlimited {},
    /// The clocks show the time used and never end a game.
    CountUp {},
    /// So much for the game, and so much more after every move.
    Increment {
        /// What there is at the beginning.
        initial_ms: u32,
        /// What is added after a move.
        increment_ms: u32,
    },
    /// So much for the game; each turn the clock waits before it runs (simple delay).
    Delay {
        /// What there is at the beginning.
        initial_ms: u32,
        /// How long the clock waits each turn.
        delay_ms: u32,
    },
}

/// Why a time control makes no sense.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TimeControlError {
    /// Nobody could make a move.
    #[error("a clock that begins with {0} ms leaves no time to move")]
    TooShort(u32),
    /// Longer than a day.
    #[error("a clock that begins with {0} ms runs longer than a day")]
    TooLong(u32),
    /// Longer than [`TimeControl::MAX_STEP_MS`] per move.
    #[error("{0} ms for every move is more than ten minutes")]
    StepTooLong(u32),
}

impl TimeControl {
    /// The least a clock may begin with: a move needs a hand and a wire.
    pub const MIN_INITIAL_MS: u32 = 1_000;
    /// The most a clock may begin with: a day.
    pub const MAX_INITIAL_MS: u32 = 86_400_000;
    /// The most an increment or a delay may be: ten minutes.
    pub const MAX_STEP_MS: u32 = 600_000;

    /// Whether this is worth playing. A game takes any control; people are asked for these.
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

    /// What a clock begins with, if it counts down.
    pub fn initial_ms(self) -> Option<u32> {
        match self {
            TimeControl::Unlimited {} | TimeControl::CountUp {} => None,
            TimeControl::Increment { initial_ms, .. } | TimeControl::Delay { initial_ms, .. } => {
                Some(initial_ms)
            }
        }
    }

    /// What every move brings, as an increment or as a delay.
    pub fn step_ms(self) -> u32 {
        match self {
            TimeControl::Unlimited {} | TimeControl::CountUp {} => 0,
            TimeControl::Increment { increment_ms: step_ms, .. }
            | TimeControl::Delay { delay_ms: step_ms, .. } => step_ms,
        }
    }
}

// Positions are equal where they repeat each other; settings only with the same counters, too.
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
