//! The SMTP server through which mail is sent, and the addresses of people.

use core::fmt;
use core::str::FromStr;
use core::time::Duration;
use std::net::IpAddr;

use castellan_store::MAX_EMAIL_BYTES;
use lettre::message::Mailbox;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::{Address, AsyncSmtpTransport, Tokio1Executor};
use percent_encoding::percent_decode_str;

/// Address of an SMTP server, with credentials if it needs them. `Debug` and `Display` omit the
/// credentials.
#[derive(Clone, PartialEq, Eq)]
pub struct SmtpAddress {
    host: String,
    port: u16,
    encryption: Encryption,
    user: Option<String>,
    password: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Encryption {
    /// From the first byte (RFC 8314).
    Implicit,
    /// After the command STARTTLS, without which nothing is sent.
    StartTls,
    /// None, for a server on this machine.
    None,
}

/// Why a text is not the address of an SMTP server. The text is not repeated, because it may
/// contain a password.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseSmtpError {
    /// The scheme is neither `smtps` nor `smtp`.
    #[error("expected the address of an SMTP server, as in smtps://USER:PASSWORD@HOST")]
    Scheme,
    /// The host or the port is not valid.
    #[error("the host or the port of the SMTP server is not valid")]
    Host,
    /// The credentials have a password without a user, or are not percent-encoded UTF-8.
    #[error(
        "the user or the password of the SMTP server is not valid; write special characters as in \
         URLs, such as %40 for @"
    )]
    Credentials,
}

impl SmtpAddress {
    /// Sets the password, for callers that read it from a file and not from the address.
    ///
    /// # Errors
    /// Fails if there is no user, or a password already.
    pub fn with_password(mut self, password: String) -> Result<SmtpAddress, ParseSmtpError> {
        if self.user.is_none() || self.password.is_some() || password.is_empty() {
            return Err(ParseSmtpError::Credentials);
        }
        self.password = Some(password);
        Ok(self)
    }
}

impl fmt::Display for SmtpAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl fmt::Debug for SmtpAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for SmtpAddress {
    type Err = ParseSmtpError;

    fn from_str(text: &str) -> Result<SmtpAddress, ParseSmtpError> {
        let (scheme, rest) = text.split_once("://").ok_or(ParseSmtpError::Scheme)?;
        let is_implicit = match scheme {
            "smtps" => true,
            "smtp" => false,
            _ => return Err(ParseSmtpError::Scheme),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (credentials, place) = match rest.rsplit_once('@') {
            Some((credentials, place)) => (Some(credentials), place),
            None => (None, rest),
        };
        let (host, port) = split_port(place).ok_or(ParseSmtpError::Host)?;
        let ip: Option<IpAddr> = host.parse().ok();
        let is_here = ip.map_or(host == "localhost", |ip| ip.is_loopback());
        let (encryption, default_port) = match (is_implicit, is_here) {
            (true, _) => (Encryption::Implicit, 465),
            (false, false) => (Encryption::StartTls, 587),
            (false, true) => (Encryption::None, 25),
        };
        let (user, password) = match credentials {
            None => (None, None),
            Some(text) => {
                let (user, password) = match text.split_once(':') {
                    Some((user, password)) => (user, Some(password)),
                    None => (text, None),
                };
                (Some(decode(user)?), password.map(decode).transpose()?)
            }
        };
        let port = port.unwrap_or(default_port);
        Ok(SmtpAddress { host: host.to_owned(), port, encryption, user, password })
    }
}

/// Splits a host from its port. An IPv6 address is in brackets.
fn split_port(place: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (host, port) = rest.split_once(']')?;
            host.parse::<std::net::Ipv6Addr>().ok()?;
            (host, port)
        }
        None => {
            let end = place.find(':').unwrap_or(place.len());
            let (host, port) = place.split_at(end);
            let is_host = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
            (!host.is_empty() && host.chars().all(is_host)).then_some(())?;
            (host, port)
        }
    };
    if port.is_empty() {
        return Some((host, None));
    }
    let port: u16 = port.strip_prefix(':')?.parse().ok()?;
    (port > 0).then_some((host, Some(port)))
}

fn decode(text: &str) -> Result<String, ParseSmtpError> {
    let decoded =
        percent_decode_str(text).decode_utf8().map_err(|_| ParseSmtpError::Credentials)?;
    if decoded.is_empty() { Err(ParseSmtpError::Credentials) } else { Ok(decoded.into_owned()) }
}

/// The sender of mail, with or without a name: `Castellan <chess@example.org>`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MailFrom(pub(super) Mailbox);

/// The text is not the address of a sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected an e-mail address, as in chess@example.org or Castellan <chess@example.org>")]
pub struct ParseMailFromError;

impl FromStr for MailFrom {
    type Err = ParseMailFromError;

    fn from_str(text: &str) -> Result<MailFrom, ParseMailFromError> {
        text.parse().map(MailFrom).map_err(|_| ParseMailFromError)
    }
}

/// An e-mail address that a user typed. It is ASCII, so that every mail server accepts it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct EmailAddress(Address);

/// The text is not an e-mail address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NotAnAddress;

impl EmailAddress {
    /// Returns the address as it was typed.
    pub(crate) fn as_str(&self) -> &str {
        self.0.as_ref()
    }

    pub(super) fn mailbox(&self) -> Mailbox {
        Mailbox::new(None, self.0.clone())
    }
}

impl FromStr for EmailAddress {
    type Err = NotAnAddress;

    fn from_str(text: &str) -> Result<EmailAddress, NotAnAddress> {
        let text = text.trim();
        let is_plain = text.len() <= MAX_EMAIL_BYTES && text.bytes().all(|b| b.is_ascii_graphic());
        let address: Address = text.parse().map_err(|_| NotAnAddress)?;
        if is_plain && address.domain().contains('.') {
            Ok(EmailAddress(address))
        } else {
            Err(NotAnAddress)
        }
    }
}

/// Settings for sending mail.
#[derive(Clone)]
pub struct MailConfig {
    place: String,
    pub(super) transport: AsyncSmtpTransport<Tokio1Executor>,
    pub(super) from: Mailbox,
    /// How long one attempt to send a message may take.
    pub attempt_timeout: Duration,
    /// How long to wait before the second and the third attempt.
    pub retry_pauses: [Duration; 2],
}

/// The certificates of this machine cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot set up TLS for the SMTP server: {0}")]
pub struct MailTlsError(lettre::transport::smtp::Error);

impl MailConfig {
    /// Prepares for sending mail. Nothing is sent, and no connection is made.
    ///
    /// # Errors
    /// Fails if TLS cannot be set up.
    pub fn new(server: &SmtpAddress, from: MailFrom) -> Result<MailConfig, MailTlsError> {
        let attempt_timeout = Duration::from_secs(30);
        let tls = || TlsParameters::new(server.host.clone()).map_err(MailTlsError);
        let tls = match server.encryption {
            Encryption::Implicit => Tls::Wrapper(tls()?),
            Encryption::StartTls => Tls::Required(tls()?),
            Encryption::None => Tls::None,
        };
        let domain = from.0.email.domain().to_owned();
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&server.host)
            .port(server.port)
            .hello_name(ClientId::Domain(domain))
            .timeout(Some(attempt_timeout))
            .tls(tls);
        if let (Some(user), Some(password)) = (&server.user, &server.password) {
            builder = builder.credentials(Credentials::new(user.clone(), password.clone()));
        }
        Ok(MailConfig {
            place: server.to_string(),
            transport: builder.build(),
            from: from.0,
            attempt_timeout,
            retry_pauses: [Duration::from_secs(5), Duration::from_secs(30)],
        })
    }
}

impl fmt::Debug for MailConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("MailConfig");
        shown.field("place", &self.place).field("from", &self.from).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, host: &str, port: u16, encryption: Encryption) -> SmtpAddress {
        let address: SmtpAddress = text.parse().unwrap();
        assert_eq!((address.host.as_str(), address.port), (host, port));
        assert_eq!(address.encryption, encryption);
        address
    }

    #[test]
    fn mail_is_encrypted_unless_it_stays_on_this_machine() {
        check("smtps://mail.example.org", "mail.example.org", 465, Encryption::Implicit);
        check("smtp://mail.example.org/", "mail.example.org", 587, Encryption::StartTls);
        check("smtp://mail.example.org:25", "mail.example.org", 25, Encryption::StartTls);
        check("smtp://localhost", "localhost", 25, Encryption::None);
        check("smtp://127.0.0.1:2525", "127.0.0.1", 2525, Encryption::None);
        check("smtp://[::1]:2525", "::1", 2525, Encryption::None);
        check("smtps://[2001:db8::1]", "2001:db8::1", 465, Encryption::Implicit);
        let address = check("smtps://a%40b:hunter%3A2@c.d", "c.d", 465, Encryption::Implicit);
        assert_eq!(address.user.as_deref(), Some("a@b"));
        assert_eq!(address.password.as_deref(), Some("hunter:2"));
        assert!(!format!("{address} {address:?}").contains("hunter"));
    }

    #[test]
    fn other_texts_are_no_addresses_of_servers() {
        let read = |text: &str| text.parse::<SmtpAddress>().unwrap_err();
        for text in ["", "mail.example.org", "http://mail.example.org", "smtps:mail"] {
            assert_eq!(read(text), ParseSmtpError::Scheme, "{text}");
        }
        for text in
            ["smtps://", "smtps://a b", "smtps://a:0", "smtps://a:x", "smtps://a:1:2", "smtp://[x]"]
        {
            assert_eq!(read(text), ParseSmtpError::Host, "{text}");
        }
        for text in ["smtps://:a@b", "smtps://@b", "smtps://a:@b", "smtps://a:%ff@b"] {
            assert_eq!(read(text), ParseSmtpError::Credentials, "{text}");
        }
    }

    #[test]
    fn a_password_can_come_from_elsewhere() {
        let read = |text: &str| text.parse::<SmtpAddress>().unwrap();
        let address = read("smtps://anna@b").with_password("hunter2".to_owned()).unwrap();
        assert_eq!(address, read("smtps://anna:hunter2@b"));
        for text in ["smtps://b", "smtps://anna:other@b"] {
            assert!(read(text).with_password("hunter2".to_owned()).is_err(), "{text}");
        }
        assert!(read("smtps://anna@b").with_password(String::new()).is_err());
    }

    #[test]
    fn addresses_of_people_are_checked() {
        let read = |text: &str| text.parse::<EmailAddress>().map(|it| it.as_str().to_owned());
        assert_eq!(
            read(" Anna.Blume+chess@mail.example.org "),
            Ok("Anna.Blume+chess@mail.example.org".into())
        );
        let long = format!("{}@{}.org", "a".repeat(64), "b".repeat(200));
        for text in [
            "",
            "anna",
            "anna@",
            "@example.org",
            "anna@localhost",
            "anna@@example.org",
            "änna@example.org",
            "anna@example.org\r\nBcc: eve@example.org",
            "anna@exa mple.org",
            "anna@example.org,eve@example.org",
            "Anna <anna@example.org>",
            long.as_str(),
        ] {
            assert_eq!(read(text), Err(NotAnAddress), "{text:?}");
        }
    }

    #[test]
    fn a_sender_may_have_a_name() {
        for text in ["chess@example.org", "Castellan <chess@example.org>"] {
            let from: MailFrom = text.parse().unwrap();
            assert_eq!(from.0.email.to_string(), "chess@example.org");
        }
        assert!("Castellan".parse::<MailFrom>().is_err());
    }
}
