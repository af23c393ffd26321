//! Protection against requests from other sites (CSRF).
//!
//! A browser sends our cookie with every request that any page makes to us. It also names that
//! page, in `Origin` and `Sec-Fetch-Site`, which pages cannot forge. So every request that may
//! change something, and every WebSocket, has to come from our own page. A program that is not a
//! browser sends neither header. It is accepted as long as it sends no cookie, because then it
//! carries no credentials.

use axum::extract::FromRequestParts;
use axum::http::header::{HOST, HeaderName, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};

use crate::config::Config;
use crate::cookie;
use crate::error::ApiError;
use crate::state::AppState;

/// Why a request does not count as coming from our own page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OriginError {
    /// The request comes from another site.
    #[error("the request comes from another site")]
    Foreign,
    /// The request comes from a page without an origin, such as a file or a sandbox.
    #[error("the request comes from a page without an origin")]
    Null,
    /// The request has a cookie but does not say which page it comes from.
    #[error("requests with a cookie must send an Origin header")]
    Missing,
    /// The server is not known by this name.
    #[error("the Host header does not name this server")]
    Host,
}

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Checks a request that may change something or opens a WebSocket.
///
/// # Errors
/// Fails if the request does not come from our own page.
pub(crate) fn check(headers: &HeaderMap, config: &Config) -> Result<(), OriginError> {
    let host = single(headers, &HOST).map_err(|()| OriginError::Host)?;
    if config.is_local && config.origins.is_empty() && !host.is_none_or(is_this_machine) {
        return Err(OriginError::Host);
    }
    let site = single(headers, &SEC_FETCH_SITE).map_err(|()| OriginError::Foreign)?;
    if !matches!(site, None | Some("same-origin" | "none")) {
        return Err(OriginError::Foreign);
    }
    match single(headers, &ORIGIN).map_err(|()| OriginError::Foreign)? {
        Some("null") => Err(OriginError::Null),
        Some(origin) if is_own(origin, host, config) => Ok(()),
        Some(_) => Err(OriginError::Foreign),
        None if site.is_some() || !cookie::is_present(headers, config.is_https()) => Ok(()),
        None => Err(OriginError::Missing),
    }
}

fn is_own(origin: &str, host: Option<&str>, config: &Config) -> bool {
    if !config.origins.is_empty() {
        return config.origins.iter().any(|own| own.as_str() == origin);
    }
    let origin_host = match origin.strip_prefix("https://") {
        // Without TLS of its own, the server may be behind a proxy that has it.
        None if config.tls.is_none() => origin.strip_prefix("http://"),
        host => host,
    };
    origin_host.is_some_and(|it| host.is_some_and(|host| it.eq_ignore_ascii_case(host)))
}

/// Returns `true` if a `Host` names this machine. This prevents DNS rebinding, where another site
/// points its own name at this machine's address.
fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Returns a header's value, if it is present. Fails if it appears twice or is not text.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ()> {
    let mut values = headers.get_all(name).iter();
    let first = values.next().map(|value| value.to_str()).transpose().map_err(|_| ())?;
    if values.next().is_some() { Err(()) } else { Ok(first) }
}

/// Returns `true` for methods that change nothing.
pub(crate) fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Extractor that lets a handler run only for our own page. WebSockets need it because they start
/// with a `GET`.
#[derive(Clone, Copy, Debug)]
pub struct SameOrigin;

impl FromRequestParts<AppState> for SameOrigin {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &AppState,
    ) -> Result<SameOrigin, ApiError> {
        check(&parts.headers, &state.services.config)?;
        Ok(SameOrigin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_with(config: &Config, lines: &[(&str, &str)], expected: Result<(), OriginError>) {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            let name: HeaderName = name.parse().unwrap();
            headers.append(name, value.parse().unwrap());
        }
        assert_eq!(check(&headers, config), expected, "{lines:?}");
    }

    const US: (&str, &str) = ("host", "chess.example:8080");
    const COOKIE: (&str, &str) = ("cookie", "castellan=0");

    #[test]
    fn our_page_is_let_in() {
        let config = Config::default();
        let own = ("origin", "http://chess.example:8080");
        check_with(&config, &[US, own], Ok(()));
        check_with(&config, &[US, own, COOKIE], Ok(()));
        check_with(&config, &[US, ("sec-fetch-site", "same-origin"), COOKIE], Ok(()));
        check_with(&config, &[US, own, ("sec-fetch-site", "same-origin"), COOKIE], Ok(()));
    }

    #[test]
    fn other_pages_are_not() {
        let config = Config::default();
        for origin in [
            "http://evil.example",
            "http://chess.example",
            "http://chess.example:8081",
            "http://chess.example:8080.evil.example",
            "http://evil.example/http://chess.example:8080",
            "chess.example:8080",
            "file://chess.example:8080",
            "",
        ] {
            check_with(&config, &[US, ("origin", origin)], Err(OriginError::Foreign));
        }
        for site in ["cross-site", "same-site", "", "nonsense"] {
            check_with(&config, &[US, ("sec-fetch-site", site)], Err(OriginError::Foreign));
            let own = ("origin", "http://chess.example:8080");
            check_with(&config, &[US, own, ("sec-fetch-site", site)], Err(OriginError::Foreign));
        }
        check_with(&config, &[US, ("origin", "null")], Err(OriginError::Null));
        let twice =
            [US, ("origin", "http://chess.example:8080"), ("origin", "http://evil.example")];
        check_with(&config, &twice, Err(OriginError::Foreign));
    }

    #[test]
    fn programs_are_let_in_without_a_cookie() {
        check_with(&Config::default(), &[US], Ok(()));
        check_with(&Config::default(), &[US, ("cookie", "theme=dark")], Ok(()));
        check_with(&Config::default(), &[US, COOKIE], Err(OriginError::Missing));
    }

    #[test]
    fn where_origins_are_listed_only_they_count() {
        let origins = vec!["https://chess.example".parse().unwrap()];
        let config = Config { origins, ..Config::default() };
        let host = ("host", "127.0.0.1:8080");
        check_with(&config, &[host, ("origin", "https://chess.example")], Ok(()));
        let inner = ("origin", "http://127.0.0.1:8080");
        check_with(&config, &[host, inner], Err(OriginError::Foreign));
    }

    #[test]
    fn a_server_for_this_machine_has_only_names_of_this_machine() {
        let config = Config { is_local: true, ..Config::default() };
        for host in ["127.0.0.1:8080", "localhost:8080", "LOCALHOST", "[::1]:8080", "127.0.0.2"] {
            check_with(&config, &[("host", host)], Ok(()));
        }
        for host in ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "192.0.2.1"] {
            let own = format!("http://{host}");
            let lines = [("host", host), ("origin", own.as_str())];
            check_with(&config, &lines, Err(OriginError::Host));
        }
    }
}
