//! Error responses of the HTTP API.
//!
//! Every error has a status, a code for programs, and a message for people:
//! `{"code": "name_taken", "message": "..."}`. The message says what the client did or may do;
//! internal details go to the log. No error repeats what the client sent.

use core::fmt;

use axum::Json;
use axum::http::header::{RETRY_AFTER, UPGRADE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use castellan_protocol::ServerCode;
use castellan_store::StoreError;
use serde::Serialize;
use utoipa::ToSchema;

use crate::local::EngineError;
use crate::moderation::{AdminRefusal, BanNotice};
use crate::names::NameError;
use crate::origin::OriginError;
use crate::passwords::{Busy, HashError, PasswordError};
use crate::random::NoRandomness;
use crate::rates::TooMany;

/// Why a request was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ApiError {
    /// The body is not the expected JSON.
    Body {
        /// Line of the error from 1, or 0 if the whole body is meant.
        line: usize,
        /// Column of the error from 1, or 0 if the whole body is meant.
        column: usize,
    },
    /// The content type of the body is not JSON.
    NotJson,
    /// The query string is not valid.
    Query,
    /// The body is too large.
    TooLarge {
        /// Maximum size in bytes.
        limit: usize,
    },
    /// The path and query are too long.
    AddressTooLong {
        /// Maximum length in bytes.
        limit: usize,
    },
    /// The request took too long to arrive or to process.
    Timeout,
    /// The name is malformed or reserved.
    Name(NameError),
    /// The password is not accepted.
    Password(PasswordError),
    /// The text is not an e-mail address.
    BadEmail,
    /// The name belongs to an account.
    NameTaken,
    /// The name or the password is wrong. The response does not say which.
    WrongCredentials,
    /// The request needs a guest or an account.
    NotSignedIn,
    /// The request needs an account; guests cannot do this.
    NeedsAccount,
    /// The request is not possible while signed in.
    SignedIn,
    /// The request comes from another site, or does not say where it comes from.
    Origin(OriginError),
    /// The request is only for the operator.
    Forbidden,
    /// The client is banned.
    Banned(BanNotice),
    /// Registration is closed, or needs an invitation code.
    RegistrationClosed,
    /// The code is wrong, used up or expired.
    BadCode,
    /// The account has a second factor, and the request has no code.
    NeedsCode,
    /// The command of an admin is not possible.
    Admin(AdminRefusal),
    /// The path does not exist.
    NotFound,
    /// The path does not support this method.
    Method,
    /// The path is a WebSocket endpoint, and the request is not an upgrade.
    SocketsOnly,
    /// The game does not exist.
    UnknownGame,
    /// The game is damaged in the store.
    DamagedGame,
    /// No account has that name, and no player of that name has finished a game.
    UnknownPlayer,
    /// The session does not exist.
    UnknownSession,
    /// The external engine cannot be used.
    Engine(EngineError),
    /// A rate limit was exceeded.
    TooMany(TooMany),
    /// The server is overloaded.
    Busy,
    /// The store does not work, or not at the moment.
    StoreUnavailable,
    /// The connection to the store was lost during a write.
    Uncertain,
    /// The store has no disk space left.
    DiskFull,
    /// An internal error, which is a bug.
    Internal,
}

/// Body of an error response.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct ErrorBody {
    /// Code for programs.
    #[schema(value_type = String, example = "name_taken")]
    code: ServerCode,
    /// Message for people.
    #[schema(example = "this name belongs to an account")]
    message: String,
    /// Why a command of an admin is not possible, with the code `admin_refused`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    refusal: Option<AdminRefusal>,
}

impl ApiError {
    /// Returns the body of the response.
    pub(crate) fn body(&self) -> ErrorBody {
        let refusal = match self {
            ApiError::Admin(refusal) => Some(*refusal),
            _ => None,
        };
        ErrorBody { code: self.code(), message: self.to_string(), refusal }
    }

    /// Returns the code for programs.
    pub fn code(&self) -> ServerCode {
        match self {
            ApiError::Body { .. } => ServerCode::BadBody,
            ApiError::NotJson => ServerCode::NotJson,
            ApiError::Query => ServerCode::BadQuery,
            ApiError::TooLarge { .. } => ServerCode::TooLarge,
            ApiError::AddressTooLong { .. } => ServerCode::AddressTooLong,
            ApiError::Timeout => ServerCode::Timeout,
            ApiError::Name(_) => ServerCode::BadName,
            ApiError::Password(_) => ServerCode::BadPassword,
            ApiError::BadEmail => ServerCode::BadEmail,
            ApiError::NameTaken => ServerCode::NameTaken,
            ApiError::WrongCredentials => ServerCode::WrongCredentials,
            ApiError::NotSignedIn => ServerCode::NotSignedIn,
            ApiError::NeedsAccount => ServerCode::NeedsAccount,
            ApiError::SignedIn => ServerCode::SignedIn,
            ApiError::Origin(_) => ServerCode::ForeignOrigin,
            ApiError::Forbidden => ServerCode::Forbidden,
            ApiError::Banned(_) => ServerCode::Banned,
            ApiError::RegistrationClosed => ServerCode::RegistrationClosed,
            ApiError::BadCode => ServerCode::BadCode,
            ApiError::NeedsCode => ServerCode::NeedsCode,
            ApiError::Admin(_) => ServerCode::AdminRefused,
            ApiError::NotFound => ServerCode::NotFound,
            ApiError::Method => ServerCode::MethodNotAllowed,
            ApiError::SocketsOnly => ServerCode::SocketsOnly,
            ApiError::UnknownGame => ServerCode::UnknownGame,
            ApiError::DamagedGame => ServerCode::DamagedGame,
            ApiError::UnknownPlayer => ServerCode::UnknownPlayer,
            ApiError::UnknownSession => ServerCode::UnknownSession,
            ApiError::Engine(error) => error.code(),
            ApiError::TooMany(_) => ServerCode::RateLimited,
            ApiError::Busy => ServerCode::Busy,
            ApiError::StoreUnavailable => ServerCode::StoreUnavailable,
            ApiError::Uncertain => ServerCode::Uncertain,
            ApiError::DiskFull => ServerCode::DiskFull,
            ApiError::Internal => ServerCode::Internal,
        }
    }

    /// Returns the HTTP status.
    pub fn status(&self) -> StatusCode {
        match self {
            ApiError::Body { .. } | ApiError::Query => StatusCode::BAD_REQUEST,
            ApiError::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ApiError::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            ApiError::AddressTooLong { .. } => StatusCode::URI_TOO_LONG,
            ApiError::Timeout => StatusCode::REQUEST_TIMEOUT,
            ApiError::Name(_)
            | ApiError::Password(_)
            | ApiError::BadEmail
            | ApiError::Engine(_)
            | ApiError::Admin(_) => StatusCode::UNPROCESSABLE_ENTITY,
            ApiError::NameTaken | ApiError::SignedIn => StatusCode::CONFLICT,
            ApiError::WrongCredentials
            | ApiError::NotSignedIn
            | ApiError::BadCode
            | ApiError::NeedsCode => StatusCode::UNAUTHORIZED,
            ApiError::NeedsAccount
            | ApiError::Origin(_)
            | ApiError::Forbidden
            | ApiError::Banned(_)
            | ApiError::RegistrationClosed => StatusCode::FORBIDDEN,
            ApiError::NotFound
            | ApiError::UnknownGame
            | ApiError::UnknownPlayer
            | ApiError::UnknownSession => StatusCode::NOT_FOUND,
            ApiError::Method => StatusCode::METHOD_NOT_ALLOWED,
            ApiError::SocketsOnly => StatusCode::UPGRADE_REQUIRED,
            ApiError::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            ApiError::Busy | ApiError::StoreUnavailable | ApiError::Uncertain => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            ApiError::DiskFull => StatusCode::INSUFFICIENT_STORAGE,
            ApiError::DamagedGame | ApiError::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl fmt::Display for ApiError {
    /// Writes the message of the code, or a more specific one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApiError::Body { line, column } => {
                write!(f, "invalid request body at line {line}, column {column}")
            }
            ApiError::TooLarge { limit } => write!(f, "the body is larger than {limit} bytes"),
            ApiError::AddressTooLong { limit } => {
                write!(f, "the URL is longer than {limit} bytes")
            }
            ApiError::Name(error) => error.fmt(f),
            ApiError::Password(error) => error.fmt(f),
            ApiError::Origin(error) => error.fmt(f),
            ApiError::Engine(error) => error.fmt(f),
            ApiError::TooMany(error) => error.fmt(f),
            ApiError::Banned(ban) => ban.fmt(f),
            ApiError::Admin(refusal) => refusal.fmt(f),
            other => f.write_str(other.code().message()),
        }
    }
}

impl core::error::Error for ApiError {}

/// Marks a response that reports a failure of the store, so that it is counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoreFailure;

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status(), Json(self.body())).into_response();
        if matches!(self, ApiError::StoreUnavailable | ApiError::Uncertain | ApiError::DiskFull) {
            response.extensions_mut().insert(StoreFailure);
        }
        let headers = response.headers_mut();
        if self == ApiError::SocketsOnly {
            // The status requires this header (RFC 9110, 15.5.22).
            headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        }
        let wait = match self {
            ApiError::TooMany(too_many) => Some(too_many.seconds()),
            ApiError::Busy | ApiError::StoreUnavailable => Some(2),
            _ => None,
        };
        headers.extend(wait.map(|seconds| (RETRY_AFTER, HeaderValue::from(seconds))));
        response
    }
}

impl From<NameError> for ApiError {
    fn from(error: NameError) -> ApiError {
        ApiError::Name(error)
    }
}

impl From<AdminRefusal> for ApiError {
    fn from(refusal: AdminRefusal) -> ApiError {
        ApiError::Admin(refusal)
    }
}

impl From<EngineError> for ApiError {
    fn from(refusal: EngineError) -> ApiError {
        ApiError::Engine(refusal)
    }
}

impl From<PasswordError> for ApiError {
    fn from(error: PasswordError) -> ApiError {
        ApiError::Password(error)
    }
}

impl From<OriginError> for ApiError {
    fn from(error: OriginError) -> ApiError {
        ApiError::Origin(error)
    }
}

impl From<TooMany> for ApiError {
    fn from(error: TooMany) -> ApiError {
        ApiError::TooMany(error)
    }
}

impl From<Busy> for ApiError {
    fn from(_: Busy) -> ApiError {
        ApiError::Busy
    }
}

impl From<HashError> for ApiError {
    fn from(error: HashError) -> ApiError {
        match error {
            HashError::Busy => ApiError::Busy,
            HashError::Failed => {
                tracing::error!("hashing a password failed");
                ApiError::Internal
            }
        }
    }
}

impl From<NoRandomness> for ApiError {
    fn from(error: NoRandomness) -> ApiError {
        tracing::error!("{error}");
        ApiError::Internal
    }
}

impl From<StoreError> for ApiError {
    /// Converts an error that a client's request can cause to a code of its own. For other errors
    /// the client learns only whether waiting helps, and the log has the rest.
    fn from(error: StoreError) -> ApiError {
        match error {
            StoreError::NameTaken { .. } => ApiError::NameTaken,
            StoreError::NoSuchGame { .. } => ApiError::UnknownGame,
            StoreError::NoSuchSession => ApiError::UnknownSession,
            StoreError::CodeRefused => ApiError::BadCode,
            StoreError::Overloaded { .. } | StoreError::SearchTimeout => ApiError::Busy,
            StoreError::DiskFull => ApiError::DiskFull,
            StoreError::Uncertain { .. } => {
                tracing::error!("the database failed: {error}");
                ApiError::Uncertain
            }
            error => {
                tracing::error!("the database failed: {error}");
                ApiError::StoreUnavailable
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use castellan_protocol::ParseNameError;

    use super::*;

    /// Returns at least one error of each kind.
    fn all() -> Vec<ApiError> {
        vec![
            ApiError::Body { line: 1, column: 17 },
            ApiError::NotJson,
            ApiError::Query,
            ApiError::TooLarge { limit: 4096 },
            ApiError::AddressTooLong { limit: 2048 },
            ApiError::Timeout,
            ApiError::Name(NameError::Reserved),
            ApiError::Name(NameError::Malformed(ParseNameError::TooLong)),
            ApiError::Password(PasswordError::Short),
            ApiError::BadEmail,
            ApiError::NameTaken,
            ApiError::WrongCredentials,
            ApiError::NotSignedIn,
            ApiError::NeedsAccount,
            ApiError::SignedIn,
            ApiError::Origin(OriginError::Foreign),
            ApiError::Origin(OriginError::Missing),
            ApiError::Forbidden,
            ApiError::Banned(BanNotice { reason: "spam".to_owned(), until: None }),
            ApiError::RegistrationClosed,
            ApiError::BadCode,
            ApiError::NeedsCode,
            ApiError::Admin(AdminRefusal::NoSuchBan),
            ApiError::NotFound,
            ApiError::Method,
            ApiError::SocketsOnly,
            ApiError::UnknownGame,
            ApiError::DamagedGame,
            ApiError::UnknownPlayer,
            ApiError::UnknownSession,
            ApiError::Engine(EngineError::NotAbsolute),
            ApiError::Engine(EngineError::NotUci("no uciok came in time".to_owned())),
            ApiError::TooMany(TooMany { retry_after: Duration::from_millis(1500) }),
            ApiError::Busy,
            ApiError::StoreUnavailable,
            ApiError::Uncertain,
            ApiError::DiskFull,
            ApiError::Internal,
        ]
    }

    const BODIES: &str = "\
400 bad_body: invalid request body at line 1, column 17
415 not_json: the body must be JSON with the content type application/json
400 bad_query: invalid query string
413 too_large: the body is larger than 4096 bytes
414 address_too_long: the URL is longer than 2048 bytes
408 timeout: the request took too long
422 bad_name: this name is reserved
422 bad_name: a name can have at most 20 characters
422 bad_password: a password needs at least 8 characters
422 bad_email: this is not an e-mail address
409 name_taken: this name belongs to an account
401 wrong_credentials: wrong name or password
401 not_signed_in: enter a name or sign in first
403 needs_account: this requires an account
409 signed_in: sign out first
403 foreign_origin: the request comes from another site
403 foreign_origin: requests with a cookie must send an Origin header
403 forbidden: you do not have permission to do this
403 banned: you are banned from this server: spam
403 registration_closed: this server does not accept new accounts
401 bad_code: the code is wrong, used up or expired
401 needs_code: enter the code of your second factor
422 admin_refused: there is no such ban
404 not_found: this path does not exist
405 method_not_allowed: this path does not support this method
426 sockets_only: this path accepts only WebSocket connections
404 unknown_game: this game does not exist
500 damaged_game: this game is damaged in the database of the server and cannot be shown or continued
404 unknown_player: this player does not exist
404 unknown_session: this session does not exist
422 engine_not_absolute: the path must be absolute
422 engine_not_uci: the program is not a UCI engine: no uciok came in time
429 rate_limited: too many requests; try again in 2 s
503 busy: the server is busy; try again in a moment
503 store_unavailable: the database is unavailable; nothing was changed
503 uncertain: the database connection was lost during a write; check whether the change was saved
507 disk_full: the server is out of disk space; nothing was changed
500 internal: internal server error
";

    #[test]
    fn all_error_bodies_are_known() {
        let told: String = all()
            .iter()
            .map(|error| format!("{} {}: {error}\n", error.status().as_u16(), error.code().code()))
            .collect();
        assert_eq!(told, BODIES);
    }

    #[test]
    fn messages_of_the_store_are_not_passed_on() {
        let secret = || "postgres://castellan:hunter2@db".to_owned();
        for error in [
            StoreError::Unavailable { why: secret() },
            StoreError::Uncertain { why: secret() },
            StoreError::Refused { why: secret() },
            StoreError::Damaged { what: secret() },
            StoreError::NameTaken { name: secret() },
            StoreError::Closed,
            StoreError::DiskFull,
        ] {
            let told = ApiError::from(error);
            assert!(!format!("{told} {told:?}").contains("hunter2"), "{told:?}");
        }
    }
}
