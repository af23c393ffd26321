//! Session tokens.
//!
//! A token is 256 random bits. The browser has the token and the store has only its digest, so
//! reading the store is not enough to take over a session. A token is replaced whenever its
//! privileges change, so a token that was planted before a login is worth nothing after it.

use core::fmt;
use core::str::FromStr;

use castellan_store::TokenDigest;

use crate::random::{NoRandomness, Random};

const TOKEN_BYTES: usize = 32;

/// The secret that a browser keeps. It is never shown to others or in logs.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token([u8; TOKEN_BYTES]);

impl Token {
    /// Creates a random token.
    pub(crate) fn new() -> Result<Token, NoRandomness> {
        Random::secret().map(Token)
    }

    /// Returns the digest, which is what the store has.
    pub(crate) fn digest(&self) -> TokenDigest {
        TokenDigest::of(&self.0)
    }

    /// Returns the text that the browser keeps.
    pub(crate) fn reveal(&self) -> String {
        hex::encode(self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(secret)")
    }
}

/// Returns a short ID for a session in the list of sessions. It grants no access.
pub(crate) fn label(digest: &TokenDigest) -> String {
    hex::encode(&digest.as_bytes()[..8])
}

/// The text is not a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NotAToken;

impl FromStr for Token {
    type Err = NotAToken;

    fn from_str(text: &str) -> Result<Token, NotAToken> {
        // Each token has one text form, in lower case.
        let mut bytes = [0; TOKEN_BYTES];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| NotAToken)?;
        let token = Token(bytes);
        if token.reveal() == text { Ok(token) } else { Err(NotAToken) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_back_and_differ() {
        let (one, other) = (Token::new().unwrap(), Token::new().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.reveal().parse::<Token>(), Ok(one.clone()));
        assert_eq!(one.reveal().len() * 4, 256);
        assert_ne!(one.digest(), other.digest());
        assert_eq!("A".repeat(64).parse::<Token>(), Err(NotAToken));
    }

    #[test]
    fn a_token_does_not_show_itself() {
        let token = Token::new().unwrap();
        let shown = format!("{token:?} {:?}", token.digest());
        assert!(!shown.contains(&token.reveal()[..8]), "{shown}");
        assert_ne!(label(&token.digest()), token.reveal()[..16]);
    }
}
