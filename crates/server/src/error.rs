//! Error responses of the HTTP API.
//!
//! Every error has a status, a code for programs, and a message for people:
//! `{"code": "name_taken", "message": "..."}`. The message says what the client did or may do;
//! internal details go to the log. No error repeats what the client sent.

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
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", self.code().message())]
pub enum ApiError {
    /// The body is not the expected JSON.
    #[error("invalid request body at line {line}, column {column}")]
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
    #[error("the body is larger than {limit} bytes")]
    TooLarge {
        /// Maximum size in bytes.
        limit: usize,
    },
    /// The path and query are too long.
    #[error("the URL is longer than {limit} bytes")]
    AddressTooLong {
        /// Maximum length in bytes.
        limit: usize,
    },
    /// The request took too long to arrive or to process.
    Timeout,
    /// The name is malformed or reserved.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The password is not accepted.
    #[error(transparent)]
    Password(#[from] PasswordError),
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
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// The request is only for the operator.
    Forbidden,
    /// The client is banned.
    #[error("{0}")]
    Banned(BanNotice),
    /// Registration is closed, or needs an invitation code.
    RegistrationClosed,
    /// The code is wrong, used up or expired.
    BadCode,
    /// The account has a second factor, and the request has no code.
    NeedsCode,
    /// The command of an admin cannot be carried out.
    #[error(transparent)]
    Admin(#[from] AdminRefusal),
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
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A rate limit was exceeded.
    #[error(transparent)]
    TooMany(#[from] TooMany),
    /// The server is overloaded.
    Busy,
    /// The store has failed, or is temporarily unavailable.
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
        self.code_and_status().0
    }

    /// Returns the HTTP status.
    pub fn status(&self) -> StatusCode {
        self.code_and_status().1
    }

    fn code_and_status(&self) -> (ServerCode, StatusCode) {
        use {ServerCode as Code, StatusCode as Status};
        match self {
            ApiError::Body { .. } => (Code::BadBody, Status::BAD_REQUEST),
            ApiError::NotJson => (Code::NotJson, Status::UNSUPPORTED_MEDIA_TYPE),
            ApiError::Query => (Code::BadQuery, Status::BAD_REQUEST),
            ApiError::TooLarge { .. } => (Code::TooLarge, Status::PAYLOAD_TOO_LARGE),
            ApiError::AddressTooLong { .. } => (Code::AddressTooLong, Status::URI_TOO_LONG),
            ApiError::Timeout => (Code::Timeout, Status::REQUEST_TIMEOUT),
            ApiError::Name(_) => (Code::BadName, Status::UNPROCESSABLE_ENTITY),
            ApiError::Password(_) => (Code::BadPassword, Status::UNPROCESSABLE_ENTITY),
            ApiError::BadEmail => (Code::BadEmail, Status::UNPROCESSABLE_ENTITY),
            ApiError::NameTaken => (Code::NameTaken, Status::CONFLICT),
            ApiError::WrongCredentials => (Code::WrongCredentials, Status::UNAUTHORIZED),
            ApiError::NotSignedIn => (Code::NotSignedIn, Status::UNAUTHORIZED),
            ApiError::NeedsAccount => (Code::NeedsAccount, Status::FORBIDDEN),
            ApiError::SignedIn => (Code::SignedIn, Status::CONFLICT),
            ApiError::Origin(_) => (Code::ForeignOrigin, Status::FORBIDDEN),
            ApiError::Forbidden => (Code::Forbidden, Status::FORBIDDEN),
            ApiError::Banned(_) => (Code::Banned, Status::FORBIDDEN),
            ApiError::RegistrationClosed => (Code::RegistrationClosed, Status::FORBIDDEN),
            ApiError::BadCode => (Code::BadCode, Status::UNAUTHORIZED),
            ApiError::NeedsCode => (Code::NeedsCode, Status::UNAUTHORIZED),
            ApiError::Admin(_) => (Code::AdminRefused, Status::UNPROCESSABLE_ENTITY),
            ApiError::NotFound => (Code::NotFound, Status::NOT_FOUND),
            ApiError::Method => (Code::MethodNotAllowed, Status::METHOD_NOT_ALLOWED),
            ApiError::SocketsOnly => (Code::SocketsOnly, Status::UPGRADE_REQUIRED),
            ApiError::UnknownGame => (Code::UnknownGame, Status::NOT_FOUND),
            ApiError::DamagedGame => (Code::DamagedGame, Status::INTERNAL_SERVER_ERROR),
            ApiError::UnknownPlayer => (Code::UnknownPlayer, Status::NOT_FOUND),
            ApiError::UnknownSession => (Code::UnknownSession, Status::NOT_FOUND),
            ApiError::Engine(error) => (error.code(), Status::UNPROCESSABLE_ENTITY),
            ApiError::TooMany(_) => (Code::RateLimited, Status::TOO_MANY_REQUESTS),
            ApiError::Busy => (Code::Busy, Status::SERVICE_UNAVAILABLE),
            ApiError::StoreUnavailable => (Code::StoreUnavailable, Status::SERVICE_UNAVAILABLE),
            ApiError::Uncertain => (Code::Uncertain, Status::SERVICE_UNAVAILABLE),
            ApiError::DiskFull => (Code::DiskFull, Status::INSUFFICIENT_STORAGE),
            ApiError::Internal => (Code::Internal, Status::INTERNAL_SERVER_ERROR),
        }
    }
}

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
