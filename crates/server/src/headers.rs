//! Security headers for every response.
//!
//! Scripts, styles, and all other resources come from this server only, and inline ones are
//! forbidden, so markup injected into a page has no effect. WebAssembly may be compiled, for the
//! rules and the engine in the browser.

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

/// Headers of every response. The last two let the page share memory between threads, which
/// browsers allow only for cross-origin isolated pages.
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

/// Tells browsers to use only HTTPS for this server for a year.
const HTTPS_FOR_A_YEAR: &str = "max-age=31536000";

/// Adds the headers to a response.
pub(crate) async fn add(State(state): State<AppState>, mut response: Response) -> Response {
    add_to(response.headers_mut(), state.services.config.is_https());
    response
}

fn add_to(headers: &mut HeaderMap, is_https: bool) {
    // A response may contain personal data, so it is not cached unless it says otherwise.
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    for (name, value) in ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if is_https {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HTTPS_FOR_A_YEAR));
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
    fn only_https_responses_ask_browsers_to_stay_with_https() {
        for is_https in [false, true] {
            let mut headers = HeaderMap::new();
            add_to(&mut headers, is_https);
            assert_eq!(headers.contains_key(STRICT_TRANSPORT_SECURITY), is_https);
            assert_eq!(headers.len(), ALWAYS.len() + 1 + usize::from(is_https));
            assert_eq!(headers[CACHE_CONTROL], "no-store");
        }
    }
}
