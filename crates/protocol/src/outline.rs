//! Checks the brackets of a text before anything is built from it.
//!
//! This module enforces the nesting limit, independently of the JSON parser's own limit, and
//! restricts where lists may occur. All other errors are left to the JSON parser.

use crate::envelope::{MAX_DEPTH, MessageFault, ParseMessageError};

/// The fields whose values are lists.
const LIST_FIELDS: [&[u8]; 5] = [b"features", b"games", b"lines", b"offers", b"touched"];

/// Refuses deep nesting, and lists in fields that do not have one.
pub(crate) fn check(text: &[u8]) -> Result<(), ParseMessageError> {
    let mut depth = 0_usize;
    // The last string that was closed, and whether only a colon has followed it.
    let (mut key, mut is_value) = (0..0, false);
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => {
                let end = end_of_text(text, at + 1);
                (key, is_value) = (at + 1..end, false);
                at = end;
            }
            b':' => is_value = true,
            b'{' | b'[' => {
                if byte == b'[' && !(is_value && LIST_FIELDS.contains(&&text[key.clone()])) {
                    return Err(ParseMessageError::new(at, MessageFault::UnexpectedList));
                }
                (depth, is_value) = (depth + 1, false);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(ParseMessageError::new(at, MessageFault::TooDeep));
        }
        at += 1;
    }
    Ok(())
}

/// Returns where the string that begins at `start` is closed, or the end of the text.
fn end_of_text(text: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}
