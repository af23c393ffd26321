//! How much time on the wire is forgiven.
//!
//! Owns: the quota. What is forgiven is measured by the server, but a client can hold its answers
//! back and so lengthen what is measured; therefore every player has a quota, and what is
//! forgiven comes out of it.
//!
//! The numbers: a game is taken to have 40 moves, and a move brings a fifth of the time there is
//! for an average one, at most 400 ms, which is a round trip round the world with some to spare.
//! So a client that lies as best it can thinks a fifth longer, and one that does not still has
//! its wire paid for, on every move, at all but the quickest controls. Twice the gain is there at
//! the beginning, and at most four times is saved up, so that one lost packet and its repetition
//! cost nothing. Without a countdown there is nothing to forgive.

use crate::TimeControl;

/// What a player's quota begins with, gains and never exceeds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LagQuota {
    /// What every move brings.
    pub gain_ms: u64,
    /// What there is at the beginning.
    pub start_ms: u64,
    /// The most that is saved up.
    pub max_ms: u64,
}

/// The length of a game that the gain is reckoned for.
const MOVES: u64 = 40;
/// The part of the thinking time that the quota may lengthen it by, as a divisor.
const PART: u64 = 5;
/// The longest round trip that every move may have forgiven.
const MAX_GAIN_MS: u64 = 400;

impl LagQuota {
    /// The quota for a time control.
    pub fn of(control: TimeControl) -> LagQuota {
        let average_ms =
            u64::from(control.initial_ms().unwrap_or(0)) / MOVES + u64::from(control.step_ms());
        let gain_ms = (average_ms / PART).min(MAX_GAIN_MS);
        LagQuota { gain_ms, start_ms: 2 * gain_ms, max_ms: 4 * gain_ms }
    }

    /// What is left of a quota after a move that took so much of it.
    pub(crate) fn after_move(self, left_ms: u64, taken_ms: u64) -> u64 {
        (left_ms.saturating_sub(taken_ms) + self.gain_ms).min(self.max_ms)
    }
}
