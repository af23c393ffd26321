//! Clock times.

use core::time::Duration;
use std::fmt;

/// A time in hours, minutes and seconds, with the precision it was written in.
///
/// ```
/// use castellan_pgn::ClockTime;
/// let time = ClockTime::parse("1:02:03.40").unwrap();
/// assert_eq!(time.milliseconds(), 3_723_400);
/// assert_eq!(time.to_string(), "1:02:03.40");
/// assert_eq!(ClockTime::from_milliseconds(90_000).to_string(), "0:01:30");
/// assert_eq!(ClockTime::from_milliseconds(90_050).to_string(), "0:01:30.050");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ClockTime {
    time: Duration,
    /// Number of decimals written for the seconds, at most nine.
    decimals: u8,
}

/// Maximum number of hours that is accepted.
const MAX_HOURS: u64 = 1_000_000;

impl ClockTime {
    /// Creates a time with millisecond precision, written without decimals if it is whole
    /// seconds.
    pub fn from_milliseconds(milliseconds: u64) -> ClockTime {
        let time = Duration::from_millis(milliseconds.min(MAX_HOURS * 3_600_000));
        ClockTime { time, decimals: if milliseconds.is_multiple_of(1000) { 0 } else { 3 } }
    }

    /// Returns the time in milliseconds, rounded down.
    pub fn milliseconds(self) -> u64 {
        u64::try_from(self.time.as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns the time with the precision it was written in.
    pub fn duration(self) -> Duration {
        self.time
    }

    /// Parses `h:mm:ss`, with or without decimals; hours and minutes may be missing.
    pub fn parse(text: &str) -> Option<ClockTime> {
        let (whole, fraction) = match text.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (text, None),
        };
        let mut seconds = 0;
        for (place, field) in whole.split(':').enumerate() {
            let number = digits(field)?;
            let is_in_range = if place == 0 { number <= MAX_HOURS } else { number < 60 };
            if place > 2 || !is_in_range {
                return None;
            }
            seconds = seconds * 60 + number;
        }
        let fraction = fraction.unwrap_or("");
        let has_point = whole.len() < text.len();
        if has_point && digits(fraction).is_none() {
            return None;
        }
        let decimals = u8::try_from(fraction.len()).ok().filter(|count| *count <= 9)?;
        let scaled = digits(fraction).unwrap_or(0) * 10_u64.pow(9 - u32::from(decimals));
        let nanoseconds = u32::try_from(scaled).ok()?;
        Some(ClockTime { time: Duration::new(seconds, nanoseconds), decimals })
    }
}

impl fmt::Display for ClockTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.time.as_secs();
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        write!(f, "{hours}:{minutes:02}:{:02}", seconds % 60)?;
        if self.decimals == 0 {
            return Ok(());
        }
        let scale = 10_u32.pow(9 - u32::from(self.decimals));
        let fraction = self.time.subsec_nanos() / scale;
        write!(f, ".{fraction:0width$}", width = usize::from(self.decimals))
    }
}

/// Parses a number of at most nine decimal digits.
fn digits(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.len() <= 9;
    (is_number && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}
