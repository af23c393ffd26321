//! Lengths of time and dates as an operator writes them.

const MINUTE_MS: u64 = 60_000;
const HOUR_MS: u64 = 60 * MINUTE_MS;
const DAY_MS: u64 = 24 * HOUR_MS;

/// Parses a length such as `90m`, `12h`, `7d` or `2w`. Returns milliseconds.
pub(super) fn parse(text: &str) -> Result<u64, String> {
    let error = || "expected a number and m, h, d or w, such as 7d".to_owned();
    let unit_ms = match text.chars().last() {
        Some('m') => MINUTE_MS,
        Some('h') => HOUR_MS,
        Some('d') => DAY_MS,
        Some('w') => 7 * DAY_MS,
        _ => return Err(error()),
    };
    let number = digits(&text[..text.len() - 1]).filter(|number| *number > 0).ok_or_else(error)?;
    number.checked_mul(unit_ms).ok_or_else(error)
}

/// Parses a date in UTC such as `2027-01-31` or `2027-01-31T18:00`. Returns milliseconds since 1970.
pub(super) fn parse_date(text: &str) -> Result<u64, String> {
    read_date(text)
        .ok_or_else(|| "expected a date such as 2027-01-31 or 2027-01-31T18:00".to_owned())
}

fn read_date(text: &str) -> Option<u64> {
    let (date, time) = text.split_once('T').unwrap_or((text, "00:00"));
    let mut parts = date.split('-');
    let (year, month, day) =
        (number(parts.next()?, 4)?, number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let (hour, minute) = time.split_once(':')?;
    let (hour, minute) = (number(hour, 2)?, number(minute, 2)?);
    let is_valid = parts.next().is_none()
        && year >= 1970
        && (1..=12).contains(&month)
        && (1..=days_of(year, month)).contains(&day)
        && hour < 24
        && minute < 60;
    let before: u64 = (1970..year).map(|year| if is_leap(year) { 366 } else { 365 }).sum();
    let days = before + (1..month).map(|month| days_of(year, month)).sum::<u64>() + day;
    is_valid.then(|| (days - 1) * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS)
}

fn days_of(year: u64, month: u64) -> u64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

/// Reads a number with exactly this many digits.
fn number(text: &str, length: usize) -> Option<u64> {
    digits(text).filter(|_| text.len() == length)
}

fn digits(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_or_refused() {
        assert_eq!(parse("90m"), Ok(5_400_000));
        assert_eq!(parse("2w"), Ok(1_209_600_000));
        for text in ["", "7", "d", "0d", "-1d", "+1d", "1.5h", "7 d", "7é", "99999999999999999w"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    /// The dates of PGN files are written by other code.
    #[test]
    fn dates_are_the_inverse_of_what_we_print() {
        for day in (0..60_000u64).step_by(17) {
            let text = castellan_pgn::pgn_date(day * 86_400).replace('.', "-");
            assert_eq!(parse_date(&text), Ok(day * DAY_MS), "{text}");
        }
        assert_eq!(parse_date("2026-11-04T20:00"), Ok(1_793_822_400_000));
    }

    #[test]
    fn text_that_is_not_a_date_is_refused() {
        for text in [
            "",
            "2026",
            "2026-02-29",
            "2026-13-01",
            "2026-00-01",
            "2026-1-1",
            "1969-12-31",
            "2026-01-01T24:00",
            "2026-01-01T1:00",
            "2026-01-01-01",
            "2026-01-01T10:00:00",
            "é",
        ] {
            assert!(parse_date(text).is_err(), "{text}");
        }
        assert!(parse_date("2028-02-29").is_ok());
    }
}
