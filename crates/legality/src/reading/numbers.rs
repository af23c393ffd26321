//! Reads the two clocks, which consist of digits and must fit the integer types of the rules.

use super::{Fields, TextErrors, quoted};
use crate::{Code, Field, Value};

/// Reads the half-move clock; `None` if it is missing or invalid.
pub(super) fn halfmove_clock(fields: &Fields<'_>, errors: &mut TextErrors<'_>) -> Option<u16> {
    read(fields, Field::HalfmoveClock, u16::MAX.into(), errors)
        .and_then(|number| u16::try_from(number).ok())
}

/// Reads the move number; `None` if it is missing or invalid.
pub(super) fn fullmove_number(fields: &Fields<'_>, errors: &mut TextErrors<'_>) -> Option<u32> {
    let number = read(fields, Field::FullmoveNumber, u32::MAX.into(), errors)
        .and_then(|number| u32::try_from(number).ok());
    if let (Some(0), Some(span)) = (number, fields.span(Field::FullmoveNumber)) {
        errors.add(Code::MoveNumberZero, span.start, []);
    }
    number
}

/// Reads the number of a field, which must be at most `largest`.
fn read(
    fields: &Fields<'_>,
    field: Field,
    largest: u64,
    errors: &mut TextErrors<'_>,
) -> Option<u64> {
    let start = fields.span(field)?.start;
    let word = fields.get(field);
    if !word.bytes().all(|byte| byte.is_ascii_digit()) {
        let code = if field == Field::HalfmoveClock {
            Code::BadHalfmoveClock
        } else {
            Code::BadFullmoveNumber
        };
        errors.add(code, start, [quoted(word)]);
        return None;
    }
    // A number with more digits than fit is too large in any case.
    let number = word.parse().unwrap_or(u64::MAX);
    if number > largest {
        errors.add(Code::NumberTooLarge, start, [quoted(word), Value::Number(largest)]);
        return None;
    }
    Some(number)
}
