//! Dates and times as PGN writes them.
//!
//! The caller reads the clock; this module only knows the calendar.

const SECONDS_PER_DAY: u64 = 86_400;
const DAYS_PER_ERA: u64 = 146_097;

/// Returns the UTC date `seconds` seconds after the beginning of 1970.
///
/// ```
/// assert_eq!(castellan_pgn::pgn_date(951_782_400), "2000.02.29");
/// ```
pub fn pgn_date(seconds: u64) -> String {
    // Years are counted from March 1 of the year 0, so that the leap day is the last day of its
    // year, and in eras of 400 years, which all have the same number of days.
    // There are 719,468 days between that day and January 1, 1970.
    let days = seconds / SECONDS_PER_DAY + 719_468;
    let (era, day) = (days / DAYS_PER_ERA, days % DAYS_PER_ERA);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Every five months, counting from March, have 153 days.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    // January and February belong to the next calendar year.
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}.{month:02}.{day:02}", era * 400 + year + carry)
}

/// Returns the UTC time of day `seconds` seconds after the beginning of 1970.
///
/// ```
/// assert_eq!(castellan_pgn::pgn_time(3_661), "01:01:01");
/// ```
pub fn pgn_time(seconds: u64) -> String {
    let of_day = seconds % SECONDS_PER_DAY;
    format!("{:02}:{:02}:{:02}", of_day / 3600, of_day / 60 % 60, of_day % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (days, expected) in [
            (0, "1970.01.01"),
            (58, "1970.02.28"),
            (59, "1970.03.01"),
            (11_016, "2000.02.29"),
            (11_017, "2000.03.01"),
            (20_454, "2026.01.01"),
            (20_818, "2026.12.31"),
        ] {
            assert_eq!(pgn_date(days * 86_400), expected);
            assert_eq!(pgn_date(days * 86_400 + 86_399), expected);
        }
    }

    #[test]
    fn times_of_day_wrap_at_midnight() {
        assert_eq!(pgn_time(0), "00:00:00");
        assert_eq!(pgn_time(86_399), "23:59:59");
        assert_eq!(pgn_time(86_400 * 20_000 + 12 * 3600), "12:00:00");
    }
}
