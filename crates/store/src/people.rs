//! Stored accounts, sessions and invitations.
//!
//! This module defines the types that callers pass in and get back; the server hashes passwords,
//! generates tokens and decides when something expires. Invariant: a token is never stored, only
//! its digest, so that a reader of the database cannot impersonate a player.

use core::fmt;

use castellan_game::{Moment, PlayerId, Settings};
use castellan_rules::Color;
use sha2::{Digest, Sha256};

/// A player name protected by a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    /// The player who owns the account.
    pub player: PlayerId,
    /// The name as the owner spells it.
    pub name: String,
    /// The salted password hash, in the PHC format.
    pub password_hash: String,
    /// When the account was created.
    pub created: Moment,
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The password hash stays out of the logs.
        f.debug_struct("Account")
            .field("player", &self.player)
            .field("name", &self.name)
            .field("created", &self.created)
            .finish_non_exhaustive()
    }
}

/// The SHA-256 digest of a session token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenDigest([u8; 32]);

impl TokenDigest {
    /// Computes the digest of a token.
    #[must_use]
    pub fn of(token: &[u8]) -> TokenDigest {
        TokenDigest(Sha256::digest(token).into())
    }

    /// Creates a digest from its bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> TokenDigest {
        TokenDigest(bytes)
    }

    /// Returns the bytes of the digest.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for TokenDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Three bytes are enough to tell digests apart in a log.
        write!(f, "TokenDigest({:02x}{:02x}{:02x}..)", self.0[0], self.0[1], self.0[2])
    }
}

/// A login of one browser or program, for a guest or the owner of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The digest of the session's token.
    pub digest: TokenDigest,
    /// The player who is logged in.
    pub player: PlayerId,
    /// The player's name.
    pub name: String,
    /// Whether the player has an account; `false` for guests.
    pub is_account: bool,
    /// When the session started.
    pub created: Moment,
    /// When the session was last recorded as used.
    pub seen: Moment,
    /// When the session expires.
    pub expires: Moment,
    /// The browser's description of itself, shown in the owner's list of sessions.
    pub device: String,
}

/// An open invitation to a game; anyone who has its id can accept it.
#[derive(Debug, Clone)]
pub struct Invitation {
    /// A random text that cannot be guessed and is part of the link.
    pub id: String,
    /// The player who sent the invitation.
    pub host: PlayerId,
    /// The host's name.
    pub host_name: String,
    /// The host's color; `None` if it is drawn at random.
    pub host_color: Option<Color>,
    /// The settings of the game.
    pub settings: Settings,
    /// When the invitation was created.
    pub created: Moment,
    /// When the invitation expires.
    pub expires: Moment,
}
