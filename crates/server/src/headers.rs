//! What browsers are told about every answer: what a page of ours may do, and who may use it.
//!
//! Scripts, styles and everything else come from this server only, and nothing inline: markup
//! that slips into a page stays dead. WebAssembly may be compiled, for the rules and the engine
//! in the browser.

use axum::extract::State;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;

use crate::state::AppState;

const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    img-src 'self' data:; font-src 'self'; media-src 'self'; connect-src 'self'; \
    worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; \
    frame-ancestors 'none'";

/// The last two let the page share memory between threads, which browsers allow only to pages
/// that keep to themselves.
const ALWAYS: [(HeaderName, &str); 8] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-embedder-policy"), "require-corp"),
];

const A_YEAR: &str = "max-age=31536000";

/// Adds them to an answer.
pub(crate) async fn add(State(state): State<AppState>, mut response: Response) -> Response {
    add_to(response.headers_mut(), state.services.config.is_https());
    response
}

fn add_to(headers: &mut HeaderMap, is_https: bool) {
    // Answers may be about whoever asks; what may be kept says so.
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    for (name, value) in ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if is_https {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(A_YEAR));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_policy_allows_anything_inline() {
        assert!(!POLICY.contains("unsafe-inline") && !POLICY.contains("'unsafe-eval'"));
        assert!(POLICY.starts_with("default-src 'none'; "));
        assert!(POLICY.contains("frame-ancestors 'none'"));
        assert!(!POLICY.contains('*') && !POLICY.contains("http"));
    }

    #[test]
    fn only_https_is_asked_to_stay_https() {
        for is_https in [false, true] {
            let mut headers = HeaderMap::new();
            add_to(&mut headers, is_https);
            assert_eq!(headers.contains_key(STRICT_TRANSPORT_SECURITY), is_https);
            assert_eq!(headers.len(), ALWAYS.len() + 1 + usize::from(is_https));
            assert_eq!(headers[CACHE_CONTROL], "no-store");
        }
    }
}
