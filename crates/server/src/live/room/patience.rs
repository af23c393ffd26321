//! How long is waited for people.
//!
//! Owns: when a player who does not begin has not turned up, and when one who is away has left
//! for good. Pure: moments in, moments out.

use castellan_game::{Game, Moment, TimeControl};
use castellan_rules::Color;

/// Who has not moved for so long has not turned up, by the clock's beginning.
const NO_SHOW_MS: [u64; 2] = [15_000, 60_000];
/// The same where no clock counts down.
const UNHURRIED_NO_SHOW_MS: u64 = 300_000;
/// Who is away for so long has left, by the clock's beginning.
const GONE_MS: [u64; 2] = [30_000, 300_000];
/// The same where no clock counts down.
const UNHURRIED_GONE_MS: u64 = 1_800_000;
/// If both are away, nobody suffers from waiting: so many times as long.
const BOTH_GONE: u64 = 4;

/// From when on a game that has not really begun is called off.
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

/// From when on somebody has left for good, and who, given since when each color is away.
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
