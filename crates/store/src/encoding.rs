//! Encodes values that have no column type of their own.
//!
//! This module converts times, colors, end reasons and JSON in both directions; the statements
//! decide which columns hold them. Invariant: a value reads back as it was written, and anything
//! else in a column is reported as damage, never guessed.

use castellan_game::{EndReason, Moment, PlayerId};
use castellan_rules::Color;
use serde::de::DeserializeOwned;

use crate::error::StoreError;

/// Converts a time to a column value. Times after the year 292 million are clamped.
pub(crate) fn to_int(moment: Moment) -> i64 {
    i64::try_from(moment.as_millis()).unwrap_or(i64::MAX)
}

pub(crate) fn to_moment(number: i64) -> Result<Moment, StoreError> {
    let millis = u64::try_from(number).map_err(|_| damaged("a time is before 1970"))?;
    Ok(Moment::from_millis(millis))
}

pub(crate) fn to_player(number: i64) -> PlayerId {
    PlayerId(number.cast_unsigned())
}

pub(crate) fn to_u32(number: i64) -> Result<u32, StoreError> {
    u32::try_from(number).map_err(|_| damaged("a number is out of range"))
}

pub(crate) fn color_name(color: Color) -> &'static str {
    color.fold("white", "black")
}

pub(crate) fn to_color(name: &str) -> Result<Color, StoreError> {
    let named = Color::ALL.into_iter().find(|&color| color_name(color) == name);
    named.ok_or_else(|| damaged("a color is unknown"))
}

/// Returns the name of an end reason, the same as in the JSON of events.
pub(crate) fn reason_name(reason: EndReason) -> String {
    match serde_json::to_value(reason) {
        Ok(serde_json::Value::String(name)) => name,
        other => unreachable!("a reason is a word in JSON, not {other:?}"),
    }
}

pub(crate) fn to_reason(name: String) -> Result<EndReason, StoreError> {
    serde_json::from_value(serde_json::Value::String(name))
        .map_err(|_| damaged("an end reason is unknown"))
}

pub(crate) fn from_json<T: DeserializeOwned>(what: &str, json: &str) -> Result<T, StoreError> {
    let damage = |error| StoreError::Damaged { what: format!("{what}: {error}") };
    serde_json::from_str(json).map_err(damage)
}

pub(crate) fn damaged(what: &str) -> StoreError {
    StoreError::Damaged { what: what.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_read_back() {
        for color in Color::ALL {
            assert_eq!(to_color(color_name(color)), Ok(color));
        }
        assert!(to_color("red").is_err());
    }

    #[test]
    fn reasons_are_words_and_read_back() {
        let reason = EndReason::TimeoutAgainstNoMate;
        assert_eq!(reason_name(reason), "timeout_against_no_mate");
        assert_eq!(to_reason(reason_name(reason)), Ok(reason));
        assert!(to_reason("boredom".to_owned()).is_err());
    }
}
