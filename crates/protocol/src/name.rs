//! Player names.
//!
//! This module defines which texts can be names. The server decides which player has which name,
//! which names are reserved, and when two of them count as the same. A [`Name`] is always in
//! Unicode's composed form (NFC), so that equal names are equal bytes.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::characters::{is_hidden, is_mark, is_variation_selector};
use crate::checked_text::checked_text;

/// Minimum number of characters in a name.
pub const MIN_NAME_CHARACTERS: usize = 2;
/// Maximum number of characters in a name.
pub const MAX_NAME_CHARACTERS: usize = 20;
/// Maximum number of marks on one letter; no script needs more.
const MAX_MARKS: usize = 2;

/// A player's name: 2 to 20 letters and digits of any script, with single `-`, `_`, `.`, `'` or
/// spaces between them, and a space after a dot.
///
/// Nothing in it is invisible or changes the direction of text, and Latin, Greek and Cyrillic
/// letters, which look alike, are not mixed.
///
/// ```
/// use castellan_protocol::Name;
/// let name: Name = "Ana María".parse()?;
/// assert_eq!(name.as_str(), "Ana María");
/// assert_eq!("x\u{202E}y".parse::<Name>().unwrap_err().to_string(),
///     "character 2 (U+202E) is not allowed in a name");
/// # Ok::<(), castellan_protocol::ParseNameError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "string"))]
pub struct Name(String);

/// Why a text is not a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseNameError {
    /// The name has fewer than [`MIN_NAME_CHARACTERS`] characters.
    #[error("a name needs at least {MIN_NAME_CHARACTERS} characters, this one has {characters}")]
    TooShort {
        /// Number of characters it has.
        characters: usize,
    },
    /// The name has more than [`MAX_NAME_CHARACTERS`] characters.
    #[error("a name can have at most {MAX_NAME_CHARACTERS} characters")]
    TooLong,
    /// The name contains a character that is not allowed.
    #[error("character {at} (U+{:04X}) is not allowed in a name", u32::from(*character))]
    Forbidden {
        /// Position of the character, counting from 1.
        at: usize,
        /// The character that is not allowed.
        character: char,
    },
    /// A sign or a space is at an end of the name or next to another one.
    #[error("character {at} ('{character}') must be between letters or digits")]
    Misplaced {
        /// Position of the character, counting from 1.
        at: usize,
        /// The misplaced character.
        character: char,
    },
    /// A mark has no letter, or a letter has too many marks.
    #[error("character {at} (U+{:04X}) is one combining mark too many", u32::from(*character))]
    Marks {
        /// Position of the mark, counting from 1.
        at: usize,
        /// The mark that is not allowed.
        character: char,
    },
    /// The name mixes alphabets whose letters look alike.
    #[error(
        "character {at} ('{character}') is from a different alphabet than the letters before it"
    )]
    MixedAlphabets {
        /// Position of the first letter from another alphabet, counting from 1.
        at: usize,
        /// The letter from another alphabet.
        character: char,
    },
}

checked_text!(Name, ParseNameError);

impl FromStr for Name {
    type Err = ParseNameError;

    fn from_str(text: &str) -> Result<Name, ParseNameError> {
        // Composition merges a letter and its marks into fewer characters, so even a decomposed
        // name has at most this many bytes. Longer input is refused before any work is done.
        if text.len() > MAX_NAME_CHARACTERS * (MAX_MARKS + 1) * 4 {
            return Err(ParseNameError::TooLong);
        }
        let composed: String = text.nfc().collect();
        check_length(&composed)?;
        check_characters(&composed)?;
        check_alphabets(&composed)?;
        Ok(Name(composed))
    }
}

fn check_length(text: &str) -> Result<(), ParseNameError> {
    match text.chars().count() {
        characters if characters < MIN_NAME_CHARACTERS => {
            Err(ParseNameError::TooShort { characters })
        }
        characters if characters > MAX_NAME_CHARACTERS => Err(ParseNameError::TooLong),
        _ => Ok(()),
    }
}

fn check_characters(text: &str) -> Result<(), ParseNameError> {
    // What came before: nothing, a separator, or a letter with a number of marks.
    let mut before = Before::Nothing;
    let mut last = (1, ' ');
    for (at, character) in (1..).zip(text.chars()) {
        before = before.then(character).map_err(|fault| fault(at, character))?;
        last = (at, character);
    }
    match before {
        Before::Letter { .. } => Ok(()),
        _ => Err(misplaced(last.0, last.1)),
    }
}

/// What comes before a character in a name.
#[derive(Clone, Copy)]
enum Before {
    Nothing,
    Separator(char),
    Letter { marks: usize },
}

type Fault = fn(usize, char) -> ParseNameError;

impl Before {
    fn then(self, character: char) -> Result<Before, Fault> {
        if is_hidden(character) || is_variation_selector(character) {
            return Err(forbidden);
        }
        if is_mark(character) {
            return match self {
                Before::Letter { marks } if marks < MAX_MARKS => {
                    Ok(Before::Letter { marks: marks + 1 })
                }
                _ => Err(too_many_marks),
            };
        }
        if character.is_alphanumeric() {
            return Ok(Before::Letter { marks: 0 });
        }
        match self {
            _ if !is_separator(character) => Err(forbidden),
            Before::Letter { .. } => Ok(Before::Separator(character)),
            // As in "J. Roux".
            Before::Separator('.') if character == ' ' => Ok(Before::Separator(' ')),
            _ => Err(misplaced),
        }
    }
}

fn forbidden(at: usize, character: char) -> ParseNameError {
    ParseNameError::Forbidden { at, character }
}

fn misplaced(at: usize, character: char) -> ParseNameError {
    ParseNameError::Misplaced { at, character }
}

fn too_many_marks(at: usize, character: char) -> ParseNameError {
    ParseNameError::Marks { at, character }
}

fn is_separator(character: char) -> bool {
    matches!(character, '-' | '_' | '.' | '\'' | ' ')
}

fn check_alphabets(text: &str) -> Result<(), ParseNameError> {
    let mut first = None;
    for (at, character) in (1..).zip(text.chars()) {
        let Some(alphabet) = Alphabet::of(character) else {
            continue;
        };
        if *first.get_or_insert(alphabet) != alphabet {
            return Err(ParseNameError::MixedAlphabets { at, character });
        }
    }
    Ok(())
}

/// The alphabets whose letters can be mistaken for one another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alphabet {
    Latin,
    Greek,
    Cyrillic,
}

impl Alphabet {
    fn of(character: char) -> Option<Alphabet> {
        if !character.is_alphabetic() {
            return None;
        }
        match character {
            'a'..='z' | 'A'..='Z' | '\u{AA}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => {
                Some(Alphabet::Latin)
            }
            '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => Some(Alphabet::Greek),
            '\u{400}'..='\u{52F}'
            | '\u{1C80}'..='\u{1C8F}'
            | '\u{2DE0}'..='\u{2DFF}'
            | '\u{A640}'..='\u{A69F}' => Some(Alphabet::Cyrillic),
            _ => None,
        }
    }
}
