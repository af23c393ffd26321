//! Why something was refused, for programs, and why a socket was closed.
//!
//! Owns: the codes of the server; a game's own refusals have theirs
//! ([`castellan_game::Refusal::code`]). Codes are never renamed, words may be.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The most letters of a code.
const MAX_CODE_LETTERS: usize = 40;

/// What the server itself refuses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ServerCode {
    /// A message that cannot be read.
    Malformed,
    /// Something before `hello`, or a second `hello`.
    HelloFirst,
    /// A version of the protocol that this server does not speak.
    UnsupportedVersion,
    /// A guest without a name.
    NeedsName,
    /// A name that cannot be had: reserved, or protected by an account.
    NameTaken,
    /// Only for accounts.
    NeedsAccount,
    /// The session is not known or over.
    SessionOver,
    /// No such game.
    UnknownGame,
    /// No such invitation, or no longer.
    UnknownInvitation,
    /// Nobody plays against himself by invitation.
    OwnInvitation,
    /// Terms on which there is no game.
    BadTerms,
    /// Too many messages in too short a time.
    RateLimited,
    /// Too many games, invitations or seeks at once.
    TooMany,
    /// Everything is in use; trying again later may help.
    Busy,
    /// The store could not keep it, so it has not happened.
    NotStored,
    /// The server is about to stop and begins nothing new.
    ShuttingDown,
    /// A fault of ours.
    Internal,
}

impl ServerCode {
    /// All of them.
    pub const ALL: [ServerCode; 17] = [
        ServerCode::Malformed,
        ServerCode::HelloFirst,
        ServerCode::UnsupportedVersion,
        ServerCode::NeedsName,
        ServerCode::NameTaken,
        ServerCode::NeedsAccount,
        ServerCode::SessionOver,
        ServerCode::UnknownGame,
        ServerCode::UnknownInvitation,
        ServerCode::OwnInvitation,
        ServerCode::BadTerms,
        ServerCode::RateLimited,
        ServerCode::TooMany,
        ServerCode::Busy,
        ServerCode::NotStored,
        ServerCode::ShuttingDown,
        ServerCode::Internal,
    ];

    /// The word for programs.
    pub fn code(self) -> &'static str {
        match self {
            ServerCode::Malformed => "malformed",
            ServerCode::HelloFirst => "hello_first",
            ServerCode::UnsupportedVersion => "unsupported_version",
            ServerCode::NeedsName => "needs_name",
            ServerCode::NameTaken => "name_taken",
            ServerCode::NeedsAccount => "needs_account",
            ServerCode::SessionOver => "session_over",
            ServerCode::UnknownGame => "unknown_game",
            ServerCode::UnknownInvitation => "unknown_invitation",
            ServerCode::OwnInvitation => "own_invitation",
            ServerCode::BadTerms => "bad_terms",
            ServerCode::RateLimited => "rate_limited",
            ServerCode::TooMany => "too_many",
            ServerCode::Busy => "busy",
            ServerCode::NotStored => "not_stored",
            ServerCode::ShuttingDown => "shutting_down",
            ServerCode::Internal => "internal",
        }
    }

    /// Words for people, where there is nothing more exact to say.
    pub fn words(self) -> &'static str {
        match self {
            ServerCode::Malformed => "the message cannot be read",
            ServerCode::HelloFirst => "the conversation begins with one hello",
            ServerCode::UnsupportedVersion => "this version of the protocol is not spoken here",
            ServerCode::NeedsName => "a guest needs a name",
            ServerCode::NameTaken => "this name belongs to somebody else",
            ServerCode::NeedsAccount => "this needs an account",
            ServerCode::SessionOver => "the session is over",
            ServerCode::UnknownGame => "there is no such game",
            ServerCode::UnknownInvitation => "there is no such invitation any more",
            ServerCode::OwnInvitation => "an invitation is for somebody else",
            ServerCode::BadTerms => "there is no game on these terms",
            ServerCode::RateLimited => "too many messages in too short a time",
            ServerCode::TooMany => "too many of them at once",
            ServerCode::Busy => "everything is in use at the moment",
            ServerCode::NotStored => "it could not be stored and so has not happened",
            ServerCode::ShuttingDown => "the server is about to stop",
            ServerCode::Internal => "something went wrong here",
        }
    }
}

/// A code as it is sent: small letters, digits and `_`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "string"))]
pub struct Code(Cow<'static, str>);

/// A text is no code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a code has 1 to {MAX_CODE_LETTERS} small letters, digits and _")]
pub struct ParseCodeError;

impl Code {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<ServerCode> for Code {
    fn from(code: ServerCode) -> Code {
        Code(Cow::Borrowed(code.code()))
    }
}

impl From<&castellan_game::Refusal> for Code {
    fn from(refusal: &castellan_game::Refusal) -> Code {
        Code(Cow::Borrowed(refusal.code()))
    }
}

impl TryFrom<String> for Code {
    type Error = ParseCodeError;

    fn try_from(text: String) -> Result<Code, ParseCodeError> {
        let is_letter =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let is_fine = (1..=MAX_CODE_LETTERS).contains(&text.len()) && text.bytes().all(is_letter);
        if is_fine { Ok(Code(Cow::Owned(text))) } else { Err(ParseCodeError) }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The numbers with which a socket is closed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CloseCode {
    /// The client is done.
    Normal,
    /// The server stops.
    GoingAway,
    /// A message that is not text.
    NotText,
    /// Text that is not UTF-8.
    NotUtf8,
    /// Too many messages, or too many that could not be read.
    Policy,
    /// A message over the limit of bytes.
    TooBig,
    /// A fault of ours.
    Internal,
    /// The client read too slowly; it may come back and ask for what it has missed.
    TooSlow,
    /// The session is over: logged out, or taken away.
    SessionOver,
    /// No common version of the protocol.
    UnsupportedVersion,
    /// No `hello` in time.
    NoHello,
}

impl CloseCode {
    /// All of them.
    pub const ALL: [CloseCode; 11] = [
        CloseCode::Normal,
        CloseCode::GoingAway,
        CloseCode::NotText,
        CloseCode::NotUtf8,
        CloseCode::Policy,
        CloseCode::TooBig,
        CloseCode::Internal,
        CloseCode::TooSlow,
        CloseCode::SessionOver,
        CloseCode::UnsupportedVersion,
        CloseCode::NoHello,
    ];

    /// The number, those below 4000 as in RFC 6455.
    pub fn number(self) -> u16 {
        match self {
            CloseCode::Normal => 1000,
            CloseCode::GoingAway => 1001,
            CloseCode::NotText => 1003,
            CloseCode::NotUtf8 => 1007,
            CloseCode::Policy => 1008,
            CloseCode::TooBig => 1009,
            CloseCode::Internal => 1011,
            CloseCode::TooSlow => 4000,
            CloseCode::SessionOver => 4001,
            CloseCode::UnsupportedVersion => 4002,
            CloseCode::NoHello => 4003,
        }
    }
}
