//! Permanent identifiers of games and players.
//!
//! This module defines the identifier types and their text form. The caller supplies the
//! randomness, and the server assigns player numbers. Invariant: a [`GameId`] consists of twelve
//! ASCII letters or digits, so it needs no escaping in URLs, file names or SQL.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

const LENGTH: usize = 12;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The identifier of a game: twelve letters and digits, about 71 bits.
///
/// ```
/// use castellan_game::GameId;
/// let id = GameId::from_random([7; 16]);
/// assert_eq!(id.to_string().len(), 12);
/// assert_eq!(id.to_string().parse(), Ok(id));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "string"))]
pub struct GameId([u8; LENGTH]);

/// Why a text is not a game identifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseGameIdError {
    /// The text is not twelve bytes long.
    #[error("expected a game ID of 12 characters, found {0} bytes")]
    Length(usize),
    /// The text contains a character that is neither a letter nor a digit.
    #[error("at byte {at}: expected a letter from a to z or a digit")]
    Character {
        /// Offset of the first such byte, counting from 0.
        at: usize,
    },
}

impl GameId {
    /// Derives an identifier from sixteen random bytes. All identifiers are equally likely, to
    /// within one part in 10^17.
    pub fn from_random(bytes: [u8; 16]) -> GameId {
        let mut number = u128::from_le_bytes(bytes);
        let mut characters = [0; LENGTH];
        for character in &mut characters {
            *character = ALPHABET[(number % 62) as usize];
            number /= 62;
        }
        GameId(characters)
    }
}

impl FromStr for GameId {
    type Err = ParseGameIdError;

    fn from_str(text: &str) -> Result<GameId, ParseGameIdError> {
        let bytes = text.as_bytes();
        let characters = bytes.try_into().map_err(|_| ParseGameIdError::Length(bytes.len()))?;
        match bytes.iter().position(|byte| !byte.is_ascii_alphanumeric()) {
            Some(at) => Err(ParseGameIdError::Character { at }),
            None => Ok(GameId(characters)),
        }
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.0).expect("letters and digits are ASCII"))
    }
}

impl fmt::Debug for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GameId({self})")
    }
}

impl Serialize for GameId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::json::text::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for GameId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<GameId, D::Error> {
        crate::json::text::deserialize(deserializer)
    }
}

/// The number of a player, who may be a guest, an account or an engine. The server assigns it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PlayerId(pub u64);

impl fmt::Display for PlayerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
