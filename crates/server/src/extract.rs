//! What clients send, read with limits and with errors of ours.
//!
//! A parser's own complaint may repeat what it read, and what it read may be a password. So only
//! the place of an error is passed on.

use std::error::Error;

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use http_body_util::LengthLimitError;
use serde::de::DeserializeOwned;

use crate::error::ApiError;
use crate::state::AppState;

/// The largest body, in bytes, where names and passwords are all that anybody sends.
pub(crate) const BODY_LIMIT: usize = 4096;

/// A body of JSON, of so many bytes at most.
pub(crate) struct JsonBody<T, const LIMIT: usize = BODY_LIMIT>(pub(crate) T);

impl<T: DeserializeOwned, const LIMIT: usize> FromRequest<AppState> for JsonBody<T, LIMIT> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &AppState) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        if !is_json(&parts) {
            return Err(ApiError::NotJson);
        }
        let bytes = read(body, LIMIT).await?;
        let read = serde_json::from_slice(&bytes).map(JsonBody);
        read.map_err(|error| ApiError::Body { line: error.line(), column: error.column() })
    }
}

/// A form of another site can send text, and no JSON without asking first.
fn is_json(parts: &Parts) -> bool {
    let kind = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

async fn read(body: Body, limit: usize) -> Result<axum::body::Bytes, ApiError> {
    // Reading on beyond the limit would be what the limit is against.
    to_bytes(body, limit).await.map_err(|error| {
        let cause = error.source();
        if cause.is_some_and(<dyn Error>::is::<LengthLimitError>) {
            ApiError::TooLarge { limit }
        } else {
            ApiError::Body { line: 0, column: 0 }
        }
    })
}

/// The query of an address.
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
