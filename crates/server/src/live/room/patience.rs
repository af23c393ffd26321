//! How long the server waits for players.
//!
//! This module decides when a player who does not make their first move counts as a no-show, and
//! when a disconnected player counts as having abandoned the game. It only computes with moments
//! and has no side effects.

use castellan_game::{Game, Moment, TimeControl};
use castellan_rules::Color;

/// Minimum and maximum wait for a first move; in between, it is a quarter of the initial time.
const NO_SHOW_MS: [u64; 2] = [15_000, 60_000];
/// Wait for a first move in games without a clock.
const UNHURRIED_NO_SHOW_MS: u64 = 300_000;
/// Minimum and maximum wait for a disconnected player; in between, it is a fifth of the time for
/// a game of 40 moves.
const GONE_MS: [u64; 2] = [30_000, 300_000];
/// Wait for a disconnected player in games without a clock.
const UNHURRIED_GONE_MS: u64 = 1_800_000;
/// Factor on the wait when both players are disconnected, because neither of them is kept
/// waiting.
const BOTH_GONE: u64 = 4;

/// Returns when a game that has hardly begun is aborted because the player to move is a no-show.
pub(crate) fn no_show(game: &Game, turn_since: Moment) -> Option<Moment> {
    if !game.is_running() || !game.can_abort() {
        return None;
    }
    let wait_ms = match game.settings().time_control.initial_ms() {
        None => UNHURRIED_NO_SHOW_MS,
        Some(initial_ms) => (u64::from(initial_ms) / 4).clamp(NO_SHOW_MS[0], NO_SHOW_MS[1]),
    };
    Some(turn_since.plus_ms(wait_ms))
}

/// Returns when a player counts as having abandoned the game, and which color, given the moments
/// at which the players disconnected.
pub(crate) fn abandonment(game: &Game, away_since: [Option<Moment>; 2]) -> Option<(Moment, Color)> {
    if !game.is_running() {
        return None;
    }
    let wait_ms = gone_ms(game.settings().time_control);
    match away_since {
        [None, None] => None,
        [Some(since), None] => Some((since.plus_ms(wait_ms), Color::White)),
        [None, Some(since)] => Some((since.plus_ms(wait_ms), Color::Black)),
        [Some(white), Some(black)] => {
            Some((white.max(black).plus_ms(BOTH_GONE * wait_ms), game.line().turn()))
        }
    }
}

fn gone_ms(time_control: TimeControl) -> u64 {
    match time_control.initial_ms() {
        None => UNHURRIED_GONE_MS,
        Some(initial_ms) => {
            let game_ms = u64::from(initial_ms) + 40 * u64::from(time_control.step_ms());
            (game_ms / 5).clamp(GONE_MS[0], GONE_MS[1])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_games_wait_less_and_nobody_waits_for_ever() {
        let increment =
            |initial_ms, increment_ms| TimeControl::Increment { initial_ms, increment_ms };
        assert_eq!(gone_ms(increment(60_000, 0)), 30_000);
        assert_eq!(gone_ms(increment(600_000, 0)), 120_000);
        assert_eq!(gone_ms(increment(600_000, 5_000)), 160_000);
        assert_eq!(gone_ms(increment(86_400_000, 600_000)), 300_000);
        assert_eq!(gone_ms(TimeControl::Unlimited {}), 1_800_000);
    }
}
