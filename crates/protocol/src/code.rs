//! Codes for refused requests and for closed connections.
//!
//! This module defines the codes of the server; a game's refusals have their own
//! ([`castellan_game::Refusal::code`]). Codes are never renamed; messages may change.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Maximum length of a code.
const MAX_CODE_LETTERS: usize = 40;

/// Reasons for which the server itself refuses a request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ServerCode {
    /// The message cannot be parsed.
    Malformed,
    /// The client sent another message before `hello`, or a second `hello`.
    HelloFirst,
    /// The server does not support this version of the protocol.
    UnsupportedVersion,
    /// A guest must choose a name.
    NeedsName,
    /// The name is reserved or protected by an account.
    NameTaken,
    /// The request requires an account.
    NeedsAccount,
    /// The session is unknown or has ended.
    SessionOver,
    /// The game does not exist.
    UnknownGame,
    /// The invitation does not exist, or no longer exists.
    UnknownInvitation,
    /// Players cannot accept their own invitation.
    OwnInvitation,
    /// No game can be played on these terms.
    BadTerms,
    /// The client sends too many messages in too short a time.
    RateLimited,
    /// The client has too many games, invitations or seeks at once.
    TooMany,
    /// All resources are in use; the client may try again later.
    Busy,
    /// The store failed, so the request was not carried out.
    NotStored,
    /// The server is shutting down and starts nothing new.
    ShuttingDown,
    /// An internal error of the server.
    Internal,
}

impl ServerCode {
    /// All codes.
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

    /// Returns the stable code for programs.
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

    /// Returns the default message for users, for when there is nothing more specific to say.
    pub fn words(self) -> &'static str {
        match self {
            ServerCode::Malformed => "the message could not be parsed",
            ServerCode::HelloFirst => "send hello first, and only once",
            ServerCode::UnsupportedVersion => "the server does not support this protocol version",
            ServerCode::NeedsName => "guests must choose a name",
            ServerCode::NameTaken => "this name is taken",
            ServerCode::NeedsAccount => "this requires an account",
            ServerCode::SessionOver => "the session has ended",
            ServerCode::UnknownGame => "this game does not exist",
            ServerCode::UnknownInvitation => "this invitation no longer exists",
            ServerCode::OwnInvitation => "you cannot accept your own invitation",
            ServerCode::BadTerms => "no game can be played on these terms",
            ServerCode::RateLimited => "too many messages; slow down",
            ServerCode::TooMany => "the limit for this has been reached",
            ServerCode::Busy => "the server is busy; try again later",
            ServerCode::NotStored => "the server could not save this; nothing has changed",
            ServerCode::ShuttingDown => "the server is shutting down",
            ServerCode::Internal => "internal server error",
        }
    }
}

/// A code as it is sent: lowercase letters, digits and `_`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "ServerCode | RefusalCode"))]
pub struct Code(Cow<'static, str>);

/// The text is not a valid code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a code has 1 to {MAX_CODE_LETTERS} lowercase letters, digits and _")]
pub struct ParseCodeError;

impl Code {
    /// Returns the text.
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

/// The status codes with which a connection is closed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CloseCode {
    /// The client has finished.
    Normal,
    /// The server is shutting down.
    GoingAway,
    /// The client sent a message that is not text.
    NotText,
    /// The client sent text that is not UTF-8.
    NotUtf8,
    /// The client sent too many messages, or too many that could not be parsed.
    Policy,
    /// The client sent a message over the size limit.
    TooBig,
    /// An internal error of the server.
    Internal,
    /// The client was not reading fast enough; it may reconnect and ask for what it missed.
    TooSlow,
    /// The session has ended: the user logged out, or the session was revoked.
    SessionOver,
    /// Client and server have no protocol version in common.
    UnsupportedVersion,
    /// The client did not send `hello` in time.
    NoHello,
}

impl CloseCode {
    /// All close codes.
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

    /// Returns the status code; those below 4000 are defined in RFC 6455.
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
