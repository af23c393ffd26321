//! Accounts, sessions and invitations as they are stored.
//!
//! Owns: what is handed in and out about people. Leaves to the server: hashing passwords,
//! drawing tokens, deciding when something expires. Invariant: a token is never stored, only its
//! digest, so that whoever reads the database cannot take part as somebody else.

use core::fmt;

use castellan_game::{Moment, PlayerId, Settings};
use castellan_rules::Color;
use sha2::{Digest, Sha256};

/// A name that is protected by a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    /// The player that the account is.
    pub player: PlayerId,
    /// The name as its owner writes it.
    pub name: String,
    /// The salted hash of the password, in the PHC format.
    pub password_hash: String,
    /// When it was created.
    pub created: Moment,
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The hash stays out of logs.
        f.debug_struct("Account")
            .field("player", &self.player)
            .field("name", &self.name)
            .field("created", &self.created)
            .finish_non_exhaustive()
    }
}

/// The SHA-256 digest of a session's token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenDigest([u8; 32]);

impl TokenDigest {
    /// The digest of a token.
    #[must_use]
    pub fn of(token: &[u8]) -> TokenDigest {
        TokenDigest(Sha256::digest(token).into())
    }

    /// The digest with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> TokenDigest {
        TokenDigest(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for TokenDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Enough to tell two apart in a log.
        write!(f, "TokenDigest({:02x}{:02x}{:02x}..)", self.0[0], self.0[1], self.0[2])
    }
}

/// One browser or program of one player, a guest or the owner of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The digest of its token.
    pub digest: TokenDigest,
    /// Who it is.
    pub player: PlayerId,
    /// The name the player goes by.
    pub name: String,
    /// Whether the player has an account; guests have none.
    pub is_account: bool,
    /// When it began.
    pub created: Moment,
    /// When it was last used, as far as is written down.
    pub seen: Moment,
    /// When it ends by itself.
    pub expires: Moment,
    /// What the browser calls itself, for the owner's list of sessions.
    pub device: String,
}

/// An open invitation to a game, found by whoever has its id.
#[derive(Debug, Clone)]
pub struct Invitation {
    /// A random text that cannot be guessed; part of the link.
    pub id: String,
    /// Who invites.
    pub host: PlayerId,
    /// The name the host goes by.
    pub host_name: String,
    /// The color the host will have; drawn by lot where there is none.
    pub host_color: Option<Color>,
    /// What will be played.
    pub settings: Settings,
    /// When it was made.
    pub created: Moment,
    /// When it ends by itself.
    pub expires: Moment,
}
