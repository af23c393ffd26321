//! Codes for refused requests and for closed connections.
//!
//! This module defines the codes of the server, the same for sockets and for HTTP; a game's
//! refusals have their own ([`castellan_game::Refusal::code`]). Codes are never renamed; messages
//! may change.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Maximum length of a code.
const MAX_CODE_CHARACTERS: usize = 40;

/// Defines the codes from one table: the variant, the text that is sent, and the default message.
macro_rules! server_codes {
    ($($(#[$doc:meta])* $variant:ident = $code:literal: $message:literal,)*) => {
        /// Why the server itself refuses a request, over a socket or over HTTP.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
        pub enum ServerCode {
            $($(#[$doc])* #[serde(rename = $code)] $variant,)*
        }

        impl ServerCode {
            /// All codes.
            pub const ALL: &[ServerCode] = &[$(ServerCode::$variant,)*];

            /// Returns the stable code for programs.
            pub const fn code(self) -> &'static str {
                match self {
                    $(ServerCode::$variant => $code,)*
                }
            }

            /// Returns the default message for users, for errors without a more specific message.
            pub const fn message(self) -> &'static str {
                match self {
                    $(ServerCode::$variant => $message,)*
                }
            }
        }
    };
}

server_codes! {
    /// The message cannot be parsed.
    Malformed = "malformed": "the message could not be parsed",
    /// The client sent another message before `hello`, or a second `hello`.
    HelloFirst = "hello_first": "send hello first, and only once",
    /// The server does not support this version of the protocol.
    UnsupportedVersion = "unsupported_version": "the server does not support this protocol version",
    /// A guest must choose a name.
    NeedsName = "needs_name": "guests must choose a name",
    /// The name is malformed or reserved.
    BadName = "bad_name": "this name is not allowed",
    /// The name belongs to an account.
    NameTaken = "name_taken": "this name belongs to an account",
    /// The password is too short, too long, or the same as the name.
    BadPassword = "bad_password": "this password is not accepted",
    /// The text is not an e-mail address.
    BadEmail = "bad_email": "this is not an e-mail address",
    /// The name or the password is wrong. The code does not say which.
    WrongCredentials = "wrong_credentials": "wrong name or password",
    /// The request needs a guest or an account.
    NotSignedIn = "not_signed_in": "enter a name or sign in first",
    /// The request is not possible while signed in.
    SignedIn = "signed_in": "sign out first",
    /// The request requires an account.
    NeedsAccount = "needs_account": "this requires an account",
    /// The session of a connection is unknown or has ended.
    SessionOver = "session_over": "the session has ended",
    /// The player, the name or the address is banned.
    Banned = "banned": "you are banned from this server",
    /// Registration is closed, or needs an invitation code.
    RegistrationClosed = "registration_closed": "this server does not accept new accounts",
    /// The code is wrong, used up or expired.
    BadCode = "bad_code": "the code is wrong, used up or expired",
    /// The account has a second factor, and the request has no code of it.
    NeedsCode = "needs_code": "enter the code of your second factor",
    /// The session does not exist.
    UnknownSession = "unknown_session": "this session does not exist",
    /// The game does not exist.
    UnknownGame = "unknown_game": "this game does not exist",
    /// The game is damaged in the store and cannot be played.
    DamagedGame = "damaged_game":
        "this game is damaged in the database of the server and cannot be shown or continued",
    /// No account has that name, and no player of that name has finished a game.
    UnknownPlayer = "unknown_player": "this player does not exist",
    /// The invitation does not exist, or no longer exists.
    UnknownInvitation = "unknown_invitation": "this invitation no longer exists",
    /// Players cannot accept their own invitation.
    OwnInvitation = "own_invitation": "you cannot accept your own invitation",
    /// No game can be played on these terms.
    BadTerms = "bad_terms": "no game can be played on these terms",
    /// The client sends too many requests or messages in too short a time.
    RateLimited = "rate_limited": "too many messages; slow down",
    /// The client has too many games, invitations or seeks at once.
    TooMany = "too_many": "the limit for this has been reached",
    /// All resources are in use; the client may try again later.
    Busy = "busy": "the server is busy; try again in a moment",
    /// The store failed, so the request was not carried out.
    NotStored = "not_stored": "the server could not save this; nothing has changed",
    /// The store does not work at the moment.
    StoreUnavailable = "store_unavailable": "the database is unavailable; nothing was changed",
    /// The connection to the store was lost during a write.
    Uncertain = "uncertain":
        "the database connection was lost during a write; check whether the change was saved",
    /// The store has no disk space left.
    DiskFull = "disk_full": "the server is out of disk space; nothing was changed",
    /// The server is shutting down and starts nothing new.
    ShuttingDown = "shutting_down": "the server is shutting down",
    /// An internal error of the server.
    Internal = "internal": "internal server error",
    /// The body of a request is not the expected JSON.
    BadBody = "bad_body": "invalid request body",
    /// The content type of the body is not JSON.
    NotJson = "not_json": "the body must be JSON with the content type application/json",
    /// The query string of a request is not valid.
    BadQuery = "bad_query": "invalid query string",
    /// The body of a request is too large.
    TooLarge = "too_large": "the body is too large",
    /// The path and query of a request are too long.
    AddressTooLong = "address_too_long": "the URL is too long",
    /// The request took too long to arrive or to process.
    Timeout = "timeout": "the request took too long",
    /// The request comes from another site, or does not say where it comes from.
    ForeignOrigin = "foreign_origin": "the request comes from another site",
    /// The request is only for the operator or the user of this machine.
    Forbidden = "forbidden": "you do not have permission to do this",
    /// The command of an admin is not possible.
    AdminRefused = "admin_refused": "this command is not possible",
    /// The path does not exist.
    NotFound = "not_found": "this path does not exist",
    /// The path does not support this method.
    MethodNotAllowed = "method_not_allowed": "this path does not support this method",
    /// The path is a WebSocket endpoint, and the request is not an upgrade.
    SocketsOnly = "sockets_only": "this path accepts only WebSocket connections",
    /// The path of an external engine is not absolute.
    EngineNotAbsolute = "engine_not_absolute": "the path must be absolute",
    /// The path of an external engine does not exist or is a folder.
    EngineNoFile = "engine_no_file": "this file does not exist",
    /// The file of an external engine is not executable.
    EngineNotExecutable = "engine_not_executable": "the file is not executable",
    /// The arguments of an external engine are not a command line.
    EngineBadArguments = "engine_bad_arguments": "the arguments are not a command line",
    /// The program runs, but is not a UCI engine.
    EngineNotUci = "engine_not_uci": "the program is not a UCI engine",
    /// The list of external engines is full.
    EngineTooMany = "engine_too_many": "the list of engines is full; remove one first",
    /// The external engine is already in the list.
    EngineKnown = "engine_known": "this engine is already in the list",
    /// The external engine is not in the list.
    EngineUnknown = "engine_unknown": "this engine is not in the list",
    /// The position to search is not valid.
    EnginePosition = "engine_position": "invalid position",
    /// The list of external engines could not be saved.
    EngineNotKept = "engine_not_kept": "the list of engines could not be saved",
    /// Too many external engines are running.
    EngineBusy = "engine_busy": "too many engines are running; try again later",
    /// The external engine does not support Chess960.
    EngineNoChess960 = "engine_no_chess960": "the engine does not support Chess960",
    /// The external engine stopped or did not follow the protocol.
    EngineFailed = "engine_failed": "the engine failed",
}

/// A code as it is sent: lowercase letters, digits and `_`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "ServerCode | RefusalCode"))]
pub struct Code(Cow<'static, str>);

/// The text is not a valid code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a code has 1 to {MAX_CODE_CHARACTERS} lowercase letters, digits and _")]
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
        let is_allowed =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let is_valid =
            (1..=MAX_CODE_CHARACTERS).contains(&text.len()) && text.bytes().all(is_allowed);
        if is_valid { Ok(Code(Cow::Owned(text))) } else { Err(ParseCodeError) }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The status codes with which a connection is closed; those below 4000 are defined in RFC 6455.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CloseCode {
    /// The client has finished.
    Normal = 1000,
    /// The server is shutting down.
    GoingAway = 1001,
    /// The client sent a message that is not text.
    NotText = 1003,
    /// The client sent text that is not UTF-8.
    NotUtf8 = 1007,
    /// The client sent too many messages, or too many that could not be parsed.
    Policy = 1008,
    /// The client sent a message over the size limit.
    TooBig = 1009,
    /// An internal error of the server.
    Internal = 1011,
    /// The client was not reading fast enough; it may reconnect and ask for what it missed.
    TooSlow = 4000,
    /// The session has ended: the user logged out, or the session was revoked.
    SessionOver = 4001,
    /// Client and server have no protocol version in common.
    UnsupportedVersion = 4002,
    /// The client did not send `hello` in time.
    NoHello = 4003,
    /// The player, the name or the address is banned.
    Banned = 4004,
}

impl CloseCode {
    /// All close codes.
    pub const ALL: [CloseCode; 12] = [
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
        CloseCode::Banned,
    ];

    /// Returns the status code.
    pub fn number(self) -> u16 {
        self as u16
    }
}
