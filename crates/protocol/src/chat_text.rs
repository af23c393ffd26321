//! Chat lines.
//!
//! This module defines which characters a chat line may contain; the server decides which clients
//! may send one and how often. A [`ChatText`] has no spaces at its ends and is in Unicode's
//! composed form (NFC).

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::characters::{is_hidden, is_joiner, is_mark};
use crate::checked_text::checked_text;

/// Maximum number of characters in a chat line.
pub const MAX_CHAT_CHARACTERS: usize = 200;
/// Maximum number of combining marks on one character; more would cover the lines around it.
const MAX_MARKS: usize = 4;

/// A chat line: 1 to 200 characters, none of them a control character, invisible, or one that
/// changes the direction of text.
///
/// Spaces at the ends are removed. The two joiners, which emoji and some scripts need, may appear
/// between other characters.
///
/// ```
/// use castellan_protocol::ChatText;
/// assert_eq!(" good game ".parse::<ChatText>()?.as_str(), "good game");
/// assert_eq!("two\nlines".parse::<ChatText>().unwrap_err().to_string(),
///     "character 4 (U+000A) is not allowed");
/// # Ok::<(), castellan_protocol::ParseChatError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "string"))]
pub struct ChatText(String);

/// Why a text is not a line of chat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseChatError {
    /// The text is empty or consists of spaces only.
    #[error("the message is empty")]
    Empty,
    /// The text has more than [`MAX_CHAT_CHARACTERS`] characters.
    #[error("the message is longer than {MAX_CHAT_CHARACTERS} characters")]
    TooLong,
    /// The text contains a character that is not allowed.
    #[error("character {at} (U+{:04X}) is not allowed", u32::from(*character))]
    Forbidden {
        /// Position of the character, counting from 1.
        at: usize,
        /// The character that is not allowed.
        character: char,
    },
    /// A character has too many marks.
    #[error("character {at} (U+{:04X}) is one combining mark too many", u32::from(*character))]
    Marks {
        /// Position of the mark, counting from 1.
        at: usize,
        /// The mark that is one too many.
        character: char,
    },
}

checked_text!(ChatText, ParseChatError);

impl FromStr for ChatText {
    type Err = ParseChatError;

    fn from_str(text: &str) -> Result<ChatText, ParseChatError> {
        let trimmed = text.trim_matches(' ');
        if trimmed.is_empty() {
            return Err(ParseChatError::Empty);
        }
        // Rejects long input before it is normalized. A character has at most 4 bytes in UTF-8.
        if trimmed.len() > MAX_CHAT_CHARACTERS * (MAX_MARKS + 1) * 4 {
            return Err(ParseChatError::TooLong);
        }
        let composed: String = trimmed.nfc().collect();
        if composed.chars().count() > MAX_CHAT_CHARACTERS {
            return Err(ParseChatError::TooLong);
        }
        check_characters(&composed)?;
        Ok(ChatText(composed))
    }
}

fn check_characters(text: &str) -> Result<(), ParseChatError> {
    let mut marks = 0;
    // The pending joiner: it needs a visible character on both sides.
    let mut open_joiner = None;
    let mut is_after_visible = false;
    for (at, character) in (1..).zip(text.chars()) {
        if is_joiner(character) && is_after_visible {
            (open_joiner, is_after_visible) = (Some((at, character)), false);
            continue;
        }
        if is_hidden(character) {
            return Err(ParseChatError::Forbidden { at, character });
        }
        marks = if is_mark(character) { marks + 1 } else { 0 };
        if marks > MAX_MARKS {
            return Err(ParseChatError::Marks { at, character });
        }
        (open_joiner, is_after_visible) = (None, character != ' ');
    }
    match open_joiner {
        Some((at, character)) => Err(ParseChatError::Forbidden { at, character }),
        None => Ok(()),
    }
}
