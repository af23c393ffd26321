//! Opaque tokens that the server issues and accepts.
//!
//! This module defines their length and characters, so that nothing else is ever stored or
//! compared. It does not generate them; both need at least 128 random bits.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Minimum number of characters: 128 bits in base 62.
pub const MIN_TOKEN_CHARACTERS: usize = 22;
/// Maximum number of characters.
pub const MAX_TOKEN_CHARACTERS: usize = 64;

/// Why a text is not a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseTokenError {
    /// The text is too short or too long.
    #[error("expected {MIN_TOKEN_CHARACTERS} to {MAX_TOKEN_CHARACTERS} characters")]
    Length,
    /// The text contains a character that is not allowed.
    #[error("at byte {at}: expected a letter, a digit, - or _")]
    Character {
        /// Offset of the byte, counting from 0.
        at: usize,
    },
}

fn check(text: &str) -> Result<(), ParseTokenError> {
    if !(MIN_TOKEN_CHARACTERS..=MAX_TOKEN_CHARACTERS).contains(&text.len()) {
        return Err(ParseTokenError::Length);
    }
    let is_strange = |byte: u8| !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    match text.bytes().position(is_strange) {
        Some(at) => Err(ParseTokenError::Character { at }),
        None => Ok(()),
    }
}

macro_rules! token {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
        #[cfg_attr(feature = "typescript", ts(type = "string"))]
        pub struct $name(String);

        impl $name {
            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = ParseTokenError;

            fn from_str(text: &str) -> Result<$name, ParseTokenError> {
                check(text)?;
                Ok($name(text.to_owned()))
            }
        }

        impl TryFrom<String> for $name {
            type Error = ParseTokenError;

            fn try_from(text: String) -> Result<$name, ParseTokenError> {
                check(&text)?;
                Ok($name(text))
            }
        }

        impl From<$name> for String {
            fn from(token: $name) -> String {
                token.0
            }
        }
    };
}

token! {
    /// The secret identifier of an invitation; anyone who has it can accept the invitation.
    InvitationId
}

token! {
    /// A secret that identifies a returning client. It is never printed in debug output.
    SessionToken
}

impl fmt::Display for InvitationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for InvitationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InvitationId({})", self.0)
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken(...)")
    }
}
