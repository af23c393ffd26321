//! The clock of games in the plain protocol, whose clients cannot choose one.

use std::str::FromStr;

use anyhow::Context;
use castellan_game::TimeControl;

/// A clock as it is written in an option: `10+5`, or `unlimited`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SimpleClock(pub(super) TimeControl);

impl FromStr for SimpleClock {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<SimpleClock> {
        if text == "unlimited" {
            return Ok(SimpleClock(TimeControl::Unlimited {}));
        }
        // The parser of numbers would accept a sign.
        let number = |text: &str| {
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u32>().ok().filter(|_| is_number)
        };
        let parts = text.split_once('+');
        let parts = parts.and_then(|(first, second)| Some((number(first)?, number(second)?)));
        let (minutes, seconds) = parts.context(
            "expected minutes and an increment in seconds, such as 10+5, or the word unlimited",
        )?;
        let time_control = TimeControl::Increment {
            initial_ms: minutes.saturating_mul(60_000),
            increment_ms: seconds.saturating_mul(1_000),
        };
        time_control.check()?;
        Ok(SimpleClock(time_control))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_minutes_and_seconds_or_unlimited() {
        let read = |text: &str| text.parse::<SimpleClock>().map(|clock| clock.0);
        let increment =
            |initial_ms, increment_ms| TimeControl::Increment { initial_ms, increment_ms };
        assert_eq!(read("10+5").unwrap(), increment(600_000, 5_000));
        assert_eq!(read("1+0").unwrap(), increment(60_000, 0));
        assert_eq!(read("1440+600").unwrap(), increment(86_400_000, 600_000));
        assert_eq!(read("unlimited").unwrap(), TimeControl::Unlimited {});
        for text in ["", "10", "+", "10+", "10+5+1", "10++5", "ten+5", "-1+0", "1.5+0", "Unlimited"]
        {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with("expected minutes"), "{text}: {error}");
        }
        for text in ["0+5", "1441+0", "10+601", "4294967295+0"] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains("the m"), "{text}: {error}");
        }
    }

    #[test]
    fn the_default_of_the_option_is_that_of_the_server() {
        let default = castellan_server::live::LiveConfig::default().simple_time_control;
        assert_eq!("10+5".parse::<SimpleClock>().unwrap().0, default);
    }
}
