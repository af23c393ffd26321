//! Settings of a server: everything that an operator may decide.
//!
//! Origins are validated when they are parsed, so a misspelled one is reported at startup.

use core::str::FromStr;
use core::time::Duration;
use std::net::IpAddr;
use std::path::PathBuf;

use castellan_store::Retention;

use crate::live::LiveConfig;
use crate::local::LocalConfig;
use crate::mail::MailConfig;
use crate::moderation::AdminKey;
use crate::pages::Page;
use crate::rates::RateConfig;
use crate::tls::Tls;

/// Settings of a server. `Config::default()` serves plain HTTP to any client that can connect.
#[derive(Clone, Debug)]
pub struct Config {
    /// Public origins of the server, for example if it is behind a proxy. If empty, the server
    /// trusts the `Host` of a request, or accepts only names of this machine if `is_local`.
    pub origins: Vec<PublicOrigin>,
    /// `true` to serve only this machine: `Host` must be `localhost` or a loopback address.
    pub is_local: bool,
    /// The certificate for HTTPS; `None` if the server uses plain HTTP.
    pub tls: Option<Tls>,
    /// Extra features for the user who started the program, if the server is for one person only.
    pub local: Option<LocalConfig>,
    /// The web page.
    pub page: Page,
    /// Proxies whose `X-Forwarded-For` header is trusted.
    pub trusted_proxies: Vec<IpAddr>,
    /// Addresses without limits on rates, connections, or games in memory, for example for load
    /// tests.
    pub unlimited: Vec<IpAddr>,
    /// Folder of the database, whose free space is a metric; `None` if the database is elsewhere.
    pub data_folder: Option<PathBuf>,
    /// Clients that may read `/metrics`.
    pub metrics_readers: MetricsReaders,
    /// `true` to log every request, without its query, headers and body.
    pub is_logging_requests: bool,
    /// Key of the operator for `castellan admin`; `None` if only admins send commands.
    pub admin_key: Option<AdminKey>,
    /// How mail is sent; `None` if the server sends none.
    pub mail: Option<MailConfig>,
    /// How long chat, reports and the audit log are kept.
    pub retention: Retention,
    /// Cost of hashing a password.
    pub password_cost: PasswordCost,
    /// Rate limits.
    pub rates: RateConfig,
    /// Limits for live games.
    pub live: LiveConfig,
    /// Maximum number of HTTP connections. WebSockets are counted separately.
    pub max_connections: usize,
    /// Maximum number of HTTP connections per address. When the server is nearly full, an address
    /// may have fewer.
    pub max_connections_per_address: usize,
    /// Maximum number of WebSockets.
    pub max_sockets: usize,
    /// Maximum number of WebSockets per address.
    pub max_sockets_per_address: usize,
    /// How long a client may take to send the head of a request.
    pub head_timeout: Duration,
    /// How long a client may take to send the body of a request.
    pub body_timeout: Duration,
    /// How long a request may take from its head to the head of the response.
    pub request_timeout: Duration,
    /// How long a connection that is not a WebSocket may live.
    pub connection_age: Duration,
    /// How long a shutdown waits for games and requests.
    pub shutdown_timeout: Duration,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            origins: Vec::new(),
            is_local: false,
            tls: None,
            local: None,
            page: Page::embedded(),
            trusted_proxies: Vec::new(),
            unlimited: Vec::new(),
            data_folder: None,
            metrics_readers: MetricsReaders::ThisMachine,
            is_logging_requests: false,
            admin_key: None,
            mail: None,
            retention: Retention::default(),
            password_cost: PasswordCost::default(),
            rates: RateConfig::default(),
            live: LiveConfig::default(),
            max_connections: 4096,
            max_connections_per_address: 64,
            max_sockets: 100_000,
            max_sockets_per_address: 64,
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_secs(30),
            connection_age: Duration::from_secs(300),
            shutdown_timeout: Duration::from_secs(10),
        }
    }
}

impl Config {
    /// Returns `true` if browsers reach the server over HTTPS, so that cookies are for HTTPS
    /// only.
    pub fn is_https(&self) -> bool {
        match &self.origins[..] {
            [] => self.tls.is_some(),
            origins => origins.iter().all(PublicOrigin::is_https),
        }
    }
}

/// Clients that may read `/metrics`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MetricsReaders {
    /// Programs on this machine that connect without a proxy.
    ThisMachine,
    /// All clients.
    All,
}

/// Cost of an Argon2id hash, and limits on concurrent hashes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PasswordCost {
    /// Memory in KiB.
    pub memory_kib: u32,
    /// Number of passes over the memory.
    pub passes: u32,
    /// Maximum number of hashes computed at the same time.
    pub at_once: usize,
    /// Maximum number of hashes that may wait. Further requests are told that the server is busy.
    pub waiting: usize,
}

impl Default for PasswordCost {
    /// Returns the minimum that OWASP recommends for Argon2id, in its memory-heavy form.
    fn default() -> PasswordCost {
        PasswordCost { memory_kib: 19_456, passes: 2, at_once: 2, waiting: 32 }
    }
}

/// Scheme, host and port as a browser writes them in `Origin`: `https://chess.example.org`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicOrigin(String);

impl PublicOrigin {
    /// Returns the origin as a browser writes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns `true` if the origin is reached over HTTPS.
    pub fn is_https(&self) -> bool {
        self.0.starts_with("https://")
    }
}

/// Why a text is not an origin.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseOriginError {
    /// The scheme is missing or is neither `http` nor `https`.
    #[error("an origin starts with http:// or https://")]
    Scheme,
    /// The text has a path, a user, or a host with invalid characters.
    #[error(
        "an origin is a scheme, a host and optionally a port, such as https://chess.example.org"
    )]
    Host,
}

impl FromStr for PublicOrigin {
    type Err = ParseOriginError;

    fn from_str(text: &str) -> Result<PublicOrigin, ParseOriginError> {
        let text = text.to_ascii_lowercase();
        let (scheme, host) = text.split_once("://").ok_or(ParseOriginError::Scheme)?;
        let default_port = match scheme {
            "https" => ":443",
            "http" => ":80",
            _ => return Err(ParseOriginError::Scheme),
        };
        let is_host = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
        let host = host.strip_suffix('/').unwrap_or(host);
        let host = host.strip_suffix(default_port).unwrap_or(host);
        if host.is_empty() || !host.chars().all(is_host) {
            return Err(ParseOriginError::Host);
        }
        Ok(PublicOrigin(format!("{scheme}://{host}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_written_as_browsers_do() {
        let read = |text: &str| text.parse::<PublicOrigin>().map(|origin| origin.0);
        assert_eq!(read("https://Chess.example.org/").unwrap(), "https://chess.example.org");
        assert_eq!(read("https://chess.example.org:443").unwrap(), "https://chess.example.org");
        assert_eq!(read("http://10.0.0.1:8080").unwrap(), "http://10.0.0.1:8080");
        assert_eq!(read("http://[::1]:80").unwrap(), "http://[::1]");
        for text in ["chess.example.org", "ftp://chess.example.org", "null", ""] {
            assert_eq!(read(text), Err(ParseOriginError::Scheme), "{text}");
        }
        for text in ["https://", "https://a/b", "https://user@a", "https://a b"] {
            assert_eq!(read(text), Err(ParseOriginError::Host), "{text}");
        }
    }

    #[test]
    fn cookies_are_for_https_only_if_every_origin_is() {
        let origins = |texts: &[&str]| Config {
            origins: texts.iter().map(|text| text.parse().unwrap()).collect(),
            ..Config::default()
        };
        assert!(!origins(&[]).is_https());
        assert!(origins(&["https://a.example"]).is_https());
        assert!(!origins(&["https://a.example", "http://b.example"]).is_https());
    }
}
