//! What a client is told when something is not done.
//!
//! Every error has a status, a code for programs and words for people, as
//! `{"code": "name_taken", "words": "..."}`. The words say what the client did or may do; what
//! happened inside goes to the log. No error repeats what the client sent.

use axum::Json;
use axum::http::header::{RETRY_AFTER, UPGRADE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use castellan_store::StoreError;
use serde::Serialize;
use utoipa::ToSchema;

use crate::local::EngineRefusal;
use crate::names::NameError;
use crate::origin::OriginError;
use crate::passwords::{Busy, HashError, PasswordError};
use crate::random::NoRandomness;
use crate::rates::TooMany;

/// Why a request is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ApiError {
    /// The body is not the JSON that is expected.
    #[error("the body is not what is expected here, at line {line} column {column}")]
    Body {
        /// From 1; 0 if the whole is meant.
        line: usize,
        /// From 1; 0 if the whole is meant.
        column: usize,
    },
    /// The body is not said to be JSON.
    #[error("the body has to be JSON with the content type application/json")]
    NotJson,
    /// The query of the address.
    #[error("the query is not what is expected here")]
    Query,
    /// The body is too large.
    #[error("the body is larger than {limit} bytes")]
    TooLarge {
        /// What is allowed.
        limit: usize,
    },
    /// The address is too long.
    #[error("the address is longer than {limit} bytes")]
    AddressTooLong {
        /// What is allowed.
        limit: usize,
    },
    /// The request took too long to come in or to answer.
    #[error("the request took too long")]
    Timeout,
    /// Nobody may be called that.
    #[error("{0}")]
    Name(NameError),
    /// A password that is no good.
    #[error("{0}")]
    Password(PasswordError),
    /// An account has that name.
    #[error("that name belongs to an account")]
    NameTaken,
    /// Name or password are wrong; which is not said.
    #[error("name or password is wrong")]
    WrongCredentials,
    /// One has to be somebody for that.
    #[error("give a name or sign in first")]
    NotSignedIn,
    /// Guests cannot do that.
    #[error("that is only for accounts")]
    AccountNeeded,
    /// One who is signed in cannot do that.
    #[error("sign out first")]
    SignedIn,
    /// The request comes from another page, or does not say from where.
    #[error("{0}")]
    Origin(OriginError),
    /// Only for the operator.
    #[error("that is not for everybody")]
    Forbidden,
    /// There is nothing at this address.
    #[error("there is nothing here")]
    NotFound,
    /// The address is right and the method is not.
    #[error("that cannot be done with this address")]
    Method,
    /// A socket is opened here, and the request does not ask for one.
    #[error("this address is for WebSockets")]
    SocketsOnly,
    /// There is no such game.
    #[error("there is no such game")]
    NoSuchGame,
    /// Nobody of that name has played.
    #[error("nobody of that name is known")]
    NoSuchPlayer,
    /// There is no such session.
    #[error("there is no such session")]
    NoSuchSession,
    /// Another engine cannot be used.
    #[error("{0}")]
    Engine(EngineRefusal),
    /// Too often.
    #[error("{0}")]
    TooMany(TooMany),
    /// The server has too much to do.
    #[error("the server is busy; try again in a moment")]
    Busy,
    /// The store does not work, or not now.
    #[error("the server cannot reach its records; nothing was changed")]
    StoreUnavailable,
    /// The store was lost in the middle of a write.
    #[error("the server lost its records while writing; look whether it was done")]
    Uncertain,
    /// The store has no space.
    #[error("the server has no space left for its records; nothing was changed")]
    DiskFull,
    /// A bug.
    #[error("something went wrong in the server")]
    Internal,
}

/// The body of an error.
#[derive(Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    /// For programs.
    #[schema(example = "name_taken")]
    code: &'static str,
    /// For people.
    #[schema(example = "that name belongs to an account")]
    words: String,
}

impl ApiError {
    /// The code for programs.
    pub fn code(&self) -> &'static str {
        self.row().1
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.row().0
    }

    fn row(&self) -> (StatusCode, &'static str) {
        match self {
            ApiError::Body { .. } => (StatusCode::BAD_REQUEST, "bad_body"),
            ApiError::NotJson => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json"),
            ApiError::Query => (StatusCode::BAD_REQUEST, "bad_query"),
            ApiError::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "too_large"),
            ApiError::AddressTooLong { .. } => (StatusCode::URI_TOO_LONG, "address_too_long"),
            ApiError::Timeout => (StatusCode::REQUEST_TIMEOUT, "timeout"),
            ApiError::Name(_) => (StatusCode::UNPROCESSABLE_ENTITY, "bad_name"),
            ApiError::Password(_) => (StatusCode::UNPROCESSABLE_ENTITY, "bad_password"),
            ApiError::NameTaken => (StatusCode::CONFLICT, "name_taken"),
            ApiError::WrongCredentials => (StatusCode::UNAUTHORIZED, "wrong_credentials"),
            ApiError::NotSignedIn => (StatusCode::UNAUTHORIZED, "not_signed_in"),
            ApiError::AccountNeeded => (StatusCode::FORBIDDEN, "account_needed"),
            ApiError::SignedIn => (StatusCode::CONFLICT, "signed_in"),
            ApiError::Origin(_) => (StatusCode::FORBIDDEN, "foreign_origin"),
            ApiError::Forbidden => (StatusCode::FORBIDDEN, "forbidden"),
            ApiError::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            ApiError::Method => (StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"),
            ApiError::SocketsOnly => (StatusCode::UPGRADE_REQUIRED, "sockets_only"),
            ApiError::NoSuchGame => (StatusCode::NOT_FOUND, "no_such_game"),
            ApiError::NoSuchPlayer => (StatusCode::NOT_FOUND, "no_such_player"),
            ApiError::NoSuchSession => (StatusCode::NOT_FOUND, "no_such_session"),
            ApiError::Engine(refusal) => (StatusCode::UNPROCESSABLE_ENTITY, refusal.code()),
            ApiError::TooMany(_) => (StatusCode::TOO_MANY_REQUESTS, "too_many"),
            ApiError::Busy => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            ApiError::StoreUnavailable => (StatusCode::SERVICE_UNAVAILABLE, "store_unavailable"),
            ApiError::Uncertain => (StatusCode::SERVICE_UNAVAILABLE, "uncertain"),
            ApiError::DiskFull => (StatusCode::INSUFFICIENT_STORAGE, "disk_full"),
            ApiError::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        }
    }
}

/// Put beside an answer that tells of a failure of the store, so that it is counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoreFailure;

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = ErrorBody { code: self.code(), words: self.to_string() };
        let mut response = (self.status(), Json(body)).into_response();
        if matches!(self, ApiError::StoreUnavailable | ApiError::Uncertain | ApiError::DiskFull) {
            response.extensions_mut().insert(StoreFailure);
        }
        let headers = response.headers_mut();
        if self == ApiError::SocketsOnly {
            // The status demands it (RFC 9110, 15.5.22).
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

impl From<EngineRefusal> for ApiError {
    fn from(refusal: EngineRefusal) -> ApiError {
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
                tracing::error!("a password could not be hashed");
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
    /// The errors that a request of a client can cause have codes of their own; of the others
    /// the client learns whether waiting helps, and the log the rest.
    fn from(error: StoreError) -> ApiError {
        match error {
            StoreError::NameTaken { .. } => ApiError::NameTaken,
            StoreError::NoSuchGame { .. } => ApiError::NoSuchGame,
            StoreError::NoSuchSession => ApiError::NoSuchSession,
            StoreError::Overloaded { .. } => ApiError::Busy,
            StoreError::DiskFull => ApiError::DiskFull,
            StoreError::Uncertain { .. } => {
                tracing::error!("the store failed: {error}");
                ApiError::Uncertain
            }
            error => {
                tracing::error!("the store failed: {error}");
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

    /// At least one of each.
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
            ApiError::NameTaken,
            ApiError::WrongCredentials,
            ApiError::NotSignedIn,
            ApiError::AccountNeeded,
            ApiError::SignedIn,
            ApiError::Origin(OriginError::Foreign),
            ApiError::Origin(OriginError::Missing),
            ApiError::Forbidden,
            ApiError::NotFound,
            ApiError::Method,
            ApiError::SocketsOnly,
            ApiError::NoSuchGame,
            ApiError::NoSuchPlayer,
            ApiError::NoSuchSession,
            ApiError::Engine(EngineRefusal::NotAbsolute),
            ApiError::Engine(EngineRefusal::NotUci("no uciok came in time".to_owned())),
            ApiError::TooMany(TooMany { retry_after: Duration::from_millis(1500) }),
            ApiError::Busy,
            ApiError::StoreUnavailable,
            ApiError::Uncertain,
            ApiError::DiskFull,
            ApiError::Internal,
        ]
    }

    const BODIES: &str = "\
400 bad_body: the body is not what is expected here, at line 1 column 17
415 not_json: the body has to be JSON with the content type application/json
400 bad_query: the query is not what is expected here
413 too_large: the body is larger than 4096 bytes
414 address_too_long: the address is longer than 2048 bytes
408 timeout: the request took too long
422 bad_name: that name is kept for the server
422 bad_name: a name has at most 20 characters, this has more
422 bad_password: a password has at least 8 characters
409 name_taken: that name belongs to an account
401 wrong_credentials: name or password is wrong
401 not_signed_in: give a name or sign in first
403 account_needed: that is only for accounts
409 signed_in: sign out first
403 foreign_origin: the request comes from another site
403 foreign_origin: a request with a cookie has to say its Origin
403 forbidden: that is not for everybody
404 not_found: there is nothing here
405 method_not_allowed: that cannot be done with this address
426 sockets_only: this address is for WebSockets
404 no_such_game: there is no such game
404 no_such_player: nobody of that name is known
404 no_such_session: there is no such session
422 engine_not_absolute: the path has to be whole, from the root on
422 engine_not_uci: it does not answer as a UCI engine: no uciok came in time
429 too_many: too often; again in 2 s
503 busy: the server is busy; try again in a moment
503 store_unavailable: the server cannot reach its records; nothing was changed
503 uncertain: the server lost its records while writing; look whether it was done
507 disk_full: the server has no space left for its records; nothing was changed
500 internal: something went wrong in the server
";

    #[test]
    fn all_error_bodies_are_known() {
        let told: String = all()
            .iter()
            .map(|error| format!("{} {}: {error}\n", error.status().as_u16(), error.code()))
            .collect();
        assert_eq!(told, BODIES);
    }

    #[test]
    fn what_the_store_says_is_not_passed_on() {
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
