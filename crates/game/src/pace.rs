//! How long a person would take for a move, for engines that play like one.
//!
//! An engine at a weak level finds its move at once. It is no fun to play against an opponent who
//! always answers at once, so the caller lets the engine wait. This module only says how long; the
//! caller has the clock and the random numbers.

use castellan_rules::Move;

use crate::{Game, Moment};

/// Minimum time for a move in milliseconds, so that the opponent can follow it.
const MIN_MS: f64 = 350.0;
/// Maximum time for a move in milliseconds.
const MAX_MS: f64 = 20_000.0;
/// Usual time for a move without a clock that counts down, in milliseconds.
const UNTIMED_MS: f64 = 1_200.0;
/// Number of plies that people know by heart.
const KNOWN_PLIES: u32 = 12;

/// What the time for a move depends on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Decision {
    /// Number of plies played before the move.
    pub ply: u32,
    /// Number of legal moves.
    pub choices: usize,
    /// Whether the player is in check.
    pub is_check: bool,
    /// Whether the move captures on the square where the opponent has just captured.
    pub is_recapture: bool,
    /// How much the player's score has changed since their last move, in centipawns.
    pub surprise_cp: i32,
    /// Time left and time added for each move, in milliseconds; `None` if the clock does not count
    /// down.
    pub clock_ms: Option<(u64, u32)>,
}

impl Decision {
    /// Returns the decision for a move of the player to move. The score is the engine's.
    pub fn new(game: &Game, mv: Move, surprise_cp: i32, now: Moment) -> Decision {
        let line = game.line();
        let position = line.position();
        let before = line.positions().iter().nth_back(1);
        let is_recapture = line.moves().last().is_some_and(|last| {
            last.to() == mv.to() && before.is_some_and(|before| before.is_capture(*last))
        });
        let remaining_ms = game.clocks(now).of(line.turn()).remaining_ms;
        Decision {
            ply: game.ply(),
            choices: position.legal_moves().len(),
            is_check: position.is_check(),
            is_recapture,
            surprise_cp,
            clock_ms: remaining_ms.map(|left| (left, game.settings().time_control.step_ms())),
        }
    }

    /// Returns how long a person would take, in milliseconds: less for what is forced or known, more
    /// after a surprise and with many choices, and never more than a tenth of the clock. `chance`
    /// is a random number from 0 to 1 that makes moves differ.
    pub fn time_ms(&self, chance: f64) -> u64 {
        let usual = self.clock_ms.map_or(UNTIMED_MS, |(remaining_ms, step_ms)| {
            as_float(remaining_ms) / 80.0 + f64::from(step_ms) / 2.0
        });
        let max = self.clock_ms.map_or(2.5 * UNTIMED_MS, |(remaining_ms, _)| {
            MAX_MS.min(as_float(remaining_ms) / 10.0)
        });
        let time = usual * self.factor() * (0.6 + 0.8 * chance.clamp(0.0, 1.0));
        let time = time.min(max).max(MIN_MS.min(max));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to MAX_MS")]
        let time_ms = time as u64;
        time_ms
    }

    /// Returns the factor on the usual time: below 1 for an easy decision, above 1 for a hard one.
    fn factor(&self) -> f64 {
        if self.choices <= 1 {
            0.1
        } else if self.is_recapture {
            0.2
        } else if self.ply < KNOWN_PLIES {
            0.3
        } else if self.is_check {
            0.6
        } else {
            let choices = u32::try_from(self.choices).unwrap_or(u32::MAX);
            let surprise = self.surprise_cp.unsigned_abs();
            0.6 + (f64::from(choices) / 50.0).min(1.0) + (f64::from(surprise) / 200.0).min(1.0)
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a clock shows less than a day")]
fn as_float(millis: u64) -> f64 {
    millis as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Decision = Decision {
        ply: 30,
        choices: 30,
        is_check: false,
        is_recapture: false,
        surprise_cp: 0,
        clock_ms: Some((600_000, 5_000)),
    };

    #[test]
    fn forced_and_known_moves_are_faster_than_decisions() {
        let usual_ms = USUAL.time_ms(0.5);
        let forced = Decision { choices: 1, ..USUAL };
        let recapture = Decision { is_recapture: true, ..USUAL };
        let easy = [forced, recapture, Decision { ply: 4, ..USUAL }];
        for decision in easy.into_iter().chain([Decision { is_check: true, ..USUAL }]) {
            assert!(decision.time_ms(0.5) < usual_ms, "{decision:?}");
        }
        assert!(forced.time_ms(0.5) < recapture.time_ms(0.5));
        let surprises = [-150, 300].map(|surprise_cp| Decision { surprise_cp, ..USUAL });
        for decision in surprises.into_iter().chain([Decision { choices: 50, ..USUAL }]) {
            assert!(decision.time_ms(0.5) > usual_ms, "{decision:?}");
        }
    }

    #[test]
    fn no_move_takes_more_than_a_tenth_of_the_clock_nor_longer_than_people_wait() {
        for remaining_ms in [0, 100, 1_000, 5_000, 30_000, 300_000, 86_400_000] {
            for choices in [1, 5, 40, 200] {
                for chance in [0.0, 0.5, 1.0] {
                    let clock_ms = Some((remaining_ms, 30_000));
                    let decision = Decision { choices, clock_ms, surprise_cp: 900, ..USUAL };
                    let time_ms = decision.time_ms(chance);
                    assert!(time_ms <= 20_000.min(remaining_ms / 10), "{decision:?}");
                }
            }
        }
        let untimed = Decision { clock_ms: None, surprise_cp: i32::MIN, ..USUAL };
        assert!(untimed.time_ms(1.0) <= 3_000);
    }

    #[test]
    fn more_time_on_the_clock_means_more_time_for_a_move() {
        let times = [5_000, 30_000, 60_000, 300_000]
            .map(|remaining_ms| Decision { clock_ms: Some((remaining_ms, 0)), ..USUAL })
            .map(|decision| decision.time_ms(0.5));
        assert!(times.is_sorted_by(|one, two| one < two), "{times:?}");
    }
}
