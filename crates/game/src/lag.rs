//! How much network lag the server compensates.
//!
//! This module defines the quota. The server measures the lag, but a client can delay its replies
//! and so inflate the measurement. Every player therefore has a quota that limits the
//! compensation.
//!
//! The numbers assume a game of 40 moves. Each move adds to the quota one fifth of the average
//! time per move, at most 400 ms, which is a round trip around the world with some to spare. A
//! client that cheats as much as it can therefore gains a fifth more thinking time, and an honest
//! client still has its lag compensated on every move at all but the fastest time controls. A
//! player starts with twice the gain of a move and can save up at most four times the gain, so
//! that one lost packet and its retransmission cost nothing. Without a countdown there is nothing
//! to compensate.

use crate::TimeControl;

/// Limits on lag compensation for one player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LagQuota {
    /// Quota gained per move, in milliseconds.
    pub gain_ms: u64,
    /// Quota at the start of the game, in milliseconds.
    pub start_ms: u64,
    /// Maximum quota a player can save up, in milliseconds.
    pub max_ms: u64,
}

/// Assumed number of moves per game.
const MOVES: u64 = 40;
/// Divisor of the thinking time: lag compensation may lengthen it by at most one part in `PART`.
const PART: u64 = 5;
/// Longest round trip that can be compensated on every move.
const MAX_GAIN_MS: u64 = 400;

impl LagQuota {
    /// Returns the quota for a time control.
    pub fn of(control: TimeControl) -> LagQuota {
        let average_ms =
            u64::from(control.initial_ms().unwrap_or(0)) / MOVES + u64::from(control.step_ms());
        let gain_ms = (average_ms / PART).min(MAX_GAIN_MS);
        LagQuota { gain_ms, start_ms: 2 * gain_ms, max_ms: 4 * gain_ms }
    }

    /// Returns the quota that is left after a move that used `taken_ms` of it.
    pub(crate) fn after_move(self, left_ms: u64, taken_ms: u64) -> u64 {
        (left_ms.saturating_sub(taken_ms) + self.gain_ms).min(self.max_ms)
    }
}
