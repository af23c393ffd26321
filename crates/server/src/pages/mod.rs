//! The web page: embedded in the binary, or served from a folder.
//!
//! The build script embeds a page if it is asked to, with gzipped versions of the files that
//! compress well. Without a page, a placeholder says so. A path without a file that looks like a
//! location within the page gets the page, whose router then handles the path.

mod files;

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue,
    IF_NONE_MATCH, VARY,
};
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use flate2::Compression;

use crate::error::ApiError;
use crate::state::AppState;

/// The files of the web page.
#[derive(Clone)]
pub struct Page(Arc<[Asset]>);

/// A file of the page.
struct Asset {
    /// Path without a leading slash.
    path: Cow<'static, str>,
    /// Media type.
    kind: &'static str,
    etag: HeaderValue,
    bytes: Bytes,
    gzip: Option<Bytes>,
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

const INDEX: &str = "index.html";

/// Shown if there is no page.
const PLACEHOLDER: &str = include_str!("placeholder.html");

impl Page {
    /// Returns the page in the binary; it has no files if the binary was built without one.
    pub fn embedded() -> Page {
        Page(embedded().into())
    }

    /// Reads the page from the folder that the page's build wrote.
    ///
    /// # Errors
    /// Fails if a file cannot be read, or if the folder has no `index.html`.
    pub fn from_folder(folder: &Path) -> io::Result<Page> {
        let files = files::read(folder, Compression::fast())?;
        let asset = |file: files::PageFile| {
            let etag = HeaderValue::try_from(file.etag).map_err(io::Error::other)?;
            Ok(Asset {
                path: file.path.into(),
                kind: file.kind,
                etag,
                bytes: file.bytes.into(),
                gzip: file.gzip.map(Bytes::from),
            })
        };
        Ok(Page(files.into_iter().map(asset).collect::<io::Result<_>>()?))
    }

    /// Returns the file for a path: the file of that name, or the index for a location within the
    /// page.
    fn find(&self, path: &str) -> Option<&Asset> {
        let named = |name: &str| self.0.iter().find(|asset| asset.path == name);
        named(path).or_else(|| if looks_like_a_place(path) { named(INDEX) } else { None })
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page").field("files", &self.0.len()).finish()
    }
}

/// Handles every request that no route matches.
pub(crate) async fn page(
    State(state): State<AppState>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let path = uri.path().trim_start_matches('/');
    let is_page = !matches!(path.split('/').next(), Some("api" | "ws"));
    if !is_page || !matches!(method, Method::GET | Method::HEAD) {
        return ApiError::NotFound.into_response();
    }
    let page = &state.services.config.page;
    match page.find(path) {
        Some(asset) => respond(asset, &headers),
        None if page.0.is_empty() && looks_like_a_place(path) => placeholder(),
        None => ApiError::NotFound.into_response(),
    }
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
    headers.insert(ETAG, asset.etag.clone());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(caching(&asset.path)));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if is_known(request, &asset.etag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    let bytes = match asset.gzip.as_ref().filter(|_| takes_gzip(request)) {
        Some(gzip) => {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            gzip
        }
        None => &asset.bytes,
    };
    (headers, bytes.clone()).into_response()
}

/// Returns the caching policy. Files in `assets/` have a digest in their names and never change.
fn caching(path: &str) -> &'static str {
    if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" }
}

fn is_known(request: &HeaderMap, etag: &HeaderValue) -> bool {
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
