//! Extractors for request data, with size limits and our own errors.
//!
//! A parser's error message may repeat its input, which may be a password. So only the position
//! of an error is passed on.

use std::error::Error;

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use http_body_util::LengthLimitError;
use serde::de::DeserializeOwned;

use crate::error::ApiError;
use crate::state::AppState;

/// Maximum size of a body in bytes, enough for a name and passwords.
pub(crate) const BODY_LIMIT: usize = 4096;

/// A JSON body of at most `LIMIT` bytes.
pub(crate) struct JsonBody<T, const LIMIT: usize = BODY_LIMIT>(pub(crate) T);

impl<T: DeserializeOwned, const LIMIT: usize> FromRequest<AppState> for JsonBody<T, LIMIT> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        if !is_json(&parts) {
            return Err(ApiError::NotJson);
        }
        let reading = tokio::time::timeout(state.services.config.body_timeout, read(body, LIMIT));
        let bytes = reading.await.map_err(|_| ApiError::Timeout)??;
        let read = serde_json::from_slice(&bytes).map(JsonBody);
        read.map_err(|error| ApiError::Body { line: error.line(), column: error.column() })
    }
}

/// Returns `true` if the content type is JSON. A form on another site can send plain text, but it
/// cannot send JSON without a preflight request.
fn is_json(parts: &Parts) -> bool {
    let kind = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

async fn read(body: Body, limit: usize) -> Result<axum::body::Bytes, ApiError> {
    // Stops reading at the limit; reading on would defeat its purpose.
    to_bytes(body, limit).await.map_err(|error| {
        let cause = error.source();
        if cause.is_some_and(<dyn Error>::is::<LengthLimitError>) {
            ApiError::TooLarge { limit }
        } else {
            ApiError::Body { line: 0, column: 0 }
        }
    })
}

/// The query string of a URL.
pub(crate) struct UrlQuery<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<AppState> for UrlQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<UrlQuery<T>, ApiError> {
        let query = axum::extract::Query::try_from_uri(&parts.uri).map_err(|_| ApiError::Query)?;
        Ok(UrlQuery(query.0))
    }
}

/// The variable part of a path.
pub(crate) struct Segment(pub(crate) String);

impl FromRequestParts<AppState> for Segment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Segment, ApiError> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        path.map(|path| Segment(path.0)).map_err(|_| ApiError::NotFound)
    }
}
