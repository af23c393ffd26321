//! The web page, embedded in the binary.
//!
//! The build script embeds the folder `web/dist` if it exists, with gzipped versions of the files
//! that compress well. If it does not exist, a placeholder says so. A path without a file that
//! looks like a location within the page gets the page, whose router then handles the path.

use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue,
    IF_NONE_MATCH, VARY,
};
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};

use crate::error::ApiError;

/// A file of the page.
#[derive(Clone, Copy, Debug)]
struct Asset {
    /// Path without a leading slash.
    path: &'static str,
    kind: &'static str,
    etag: &'static str,
    bytes: &'static [u8],
    gzip: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

const INDEX: &str = "index.html";

/// Shown if the page has not been built.
const PLACEHOLDER: &str = include_str!("placeholder.html");

/// Handles every request that no route matches.
pub(crate) async fn page(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let is_page = !matches!(path.split('/').next(), Some("api" | "ws"));
    if !is_page || !matches!(method, Method::GET | Method::HEAD) {
        return ApiError::NotFound.into_response();
    }
    match find(ASSETS, path) {
        Some(asset) => respond(asset, &headers),
        None if ASSETS.is_empty() && looks_like_a_place(path) => placeholder(),
        None => ApiError::NotFound.into_response(),
    }
}

fn find(assets: &'static [Asset], path: &str) -> Option<&'static Asset> {
    let named = |name: &str| assets.iter().find(|asset| asset.path == name);
    named(path).or_else(|| if looks_like_a_place(path) { named(INDEX) } else { None })
}

/// Returns `true` if a path names no file; files have a dot in their name.
fn looks_like_a_place(path: &str) -> bool {
    !path.rsplit('/').next().is_some_and(|name| name.contains('.'))
}

fn placeholder() -> Response {
    let headers = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "no-store")];
    (headers, PLACEHOLDER).into_response()
}

fn respond(asset: &Asset, request: &HeaderMap) -> Response {
    let mut headers = HeaderMap::new();
    headers.insert(ETAG, HeaderValue::from_static(asset.etag));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(caching(asset.path)));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if is_known(request, asset.etag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    let bytes = match asset.gzip.filter(|_| takes_gzip(request)) {
        Some(gzip) => {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            gzip
        }
        None => asset.bytes,
    };
    (headers, bytes).into_response()
}

/// Returns the caching policy. Files in `assets/` have a digest in their names and never change.
fn caching(path: &str) -> &'static str {
    if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" }
}

fn is_known(request: &HeaderMap, etag: &str) -> bool {
    let values = request.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = values.flat_map(|value| value.split(','));
    tags.any(|tag| matches!(tag.trim().trim_start_matches("W/"), tag if tag == etag || tag == "*"))
}

fn takes_gzip(request: &HeaderMap) -> bool {
    let values = request.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut codings = values.flat_map(|value| value.split(','));
    codings.any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let is_refused = weight.trim().strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0_f32));
        name.trim().eq_ignore_ascii_case("gzip") && !is_refused
    })
}

#[cfg(test)]
mod tests;
