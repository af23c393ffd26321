//! The session cookie.
//!
//! The cookie is hidden from scripts (`HttpOnly`) and, except for navigation, not sent with
//! requests from other sites (`SameSite=Lax`). On servers reached over HTTPS it is also `Secure`
//! and has the prefix `__Host-`, which browsers accept only from this exact host. If a browser
//! sends two cookies with this name, an attacker may have planted one, so neither counts.

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};

use crate::token::Token;

/// How long a browser keeps the cookie after the last visit, in seconds. Sessions last as long.
pub(crate) const KEPT_S: u64 = 30 * 24 * 3600;

const NAME: &str = "castellan";
const HOST_NAME: &str = "__Host-castellan";

/// Returns the name of the cookie.
pub(crate) fn name(is_https: bool) -> &'static str {
    if is_https { HOST_NAME } else { NAME }
}

/// Returns `true` if a request carries the cookie, valid or not.
pub(crate) fn is_present(headers: &HeaderMap, is_https: bool) -> bool {
    values(headers, name(is_https)).next().is_some()
}

/// Returns the token in a request, if there is exactly one and it is well formed.
pub(crate) fn read(headers: &HeaderMap, is_https: bool) -> Option<Token> {
    let mut values = values(headers, name(is_https));
    let token = values.next()?.parse().ok()?;
    values.next().is_none().then_some(token)
}

/// Returns the header that sets the cookie.
pub(crate) fn set(token: &Token, is_https: bool) -> HeaderValue {
    write(&token.reveal(), KEPT_S, is_https)
}

/// Returns the header that deletes the cookie.
pub(crate) fn clear(is_https: bool) -> HeaderValue {
    write("", 0, is_https)
}

fn write(value: &str, age_s: u64, is_https: bool) -> HeaderValue {
    let secure = if is_https { "; Secure" } else { "" };
    let name = name(is_https);
    let text = format!("{name}={value}; Path=/; Max-Age={age_s}; HttpOnly; SameSite=Lax{secure}");
    let mut header = HeaderValue::try_from(text).expect("hexadecimal digits are fine in a header");
    header.set_sensitive(true);
    header
}

fn values<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.filter(move |(key, _)| key.trim() == name).map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(COOKIE, line.parse().unwrap());
        }
        headers
    }

    #[test]
    fn a_cookie_that_was_set_is_read_back() {
        for is_https in [false, true] {
            let token = Token::new().unwrap();
            let set = set(&token, is_https);
            let text = set.to_str().unwrap();
            for part in ["; Path=/", "; HttpOnly", "; SameSite=Lax"] {
                assert!(text.contains(part), "{text}");
            }
            assert_eq!(text.ends_with("; Secure"), is_https, "{text}");
            assert_eq!(text.starts_with("__Host-"), is_https, "{text}");
            assert!(!text.contains("Domain"), "{text}");
            let pair = text.split(';').next().unwrap();
            let sent = headers(&[&format!("theme=dark; {pair}")]);
            assert_eq!(read(&sent, is_https).unwrap().digest(), token.digest());
            assert!(read(&sent, !is_https).is_none(), "the names differ");
        }
    }

    #[test]
    fn two_of_the_name_are_none() {
        let (one, other) = (Token::new().unwrap().reveal(), Token::new().unwrap().reveal());
        let both = headers(&[&format!("castellan={one}"), &format!("castellan={other}")]);
        assert!(read(&both, false).is_none());
        assert!(is_present(&both, false));
        let both = headers(&[&format!("castellan={one}; castellan={one}")]);
        assert!(read(&both, false).is_none());
    }

    #[test]
    fn malformed_tokens_are_none() {
        for value in ["", "x", "00", "castellan", "\"\"", &"g".repeat(64), &"0".repeat(65)] {
            assert!(read(&headers(&[&format!("castellan={value}")]), false).is_none(), "{value}");
        }
        assert!(read(&headers(&[]), false).is_none());
    }
}
