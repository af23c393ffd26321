//! Chess server for games between people: HTTP, WebSockets, pairing, ratings.
//!
//! This crate is responsible for guests, accounts and sessions, for rate limits, for the read-only
//! API, for the web page, for the features that only the user who started the server on this
//! machine may use, and, in [`live`], for the games being played. It leaves the rules of a game to
//! `castellan-game`, storage to `castellan-store`, and the format of messages to
//! `castellan-protocol`.
//!
//! The server trusts nothing that a client sends, and announces nothing before it is stored.
//!
//! [`serve`] runs the whole server on a listener; [`router`] is the same without the network, for
//! tests.

mod accounts;
mod address;
mod address_limit;
mod bus;
mod clock;
mod codes;
mod common_passwords;
mod config;
mod cookie;
mod error;
mod extract;
mod guess_limits;
mod guests;
mod headers;
mod health;
mod identity;
mod listener;
pub mod live;
mod local;
mod mail;
mod metrics;
mod moderation;
mod names;
mod openapi;
mod origin;
mod pages;
mod passwords;
mod random;
mod rates;
mod reading;
mod router;
mod serve;
mod sessions;
#[cfg(test)]
mod simulation;
mod state;
mod tls;
mod token;
mod totp;
#[cfg(test)]
mod typescript;

pub use address::ClientAddress;
pub use bus::{Bus, BusAddress, BusError, HeartbeatConfig, MemoryBus, ParseBusAddressError};
pub use clock::{Arrival, Clock};
pub use config::{Config, MetricsReaders, ParseOriginError, PasswordCost, PublicOrigin};
pub use error::ApiError;
pub use guests::{create_guest, create_guest_with_session};
pub use identity::Identity;
pub use local::{EngineError, LaunchConfig, LocalConfig, LocalKey, OwnCommand};
pub use mail::{
    MailConfig, MailFrom, MailTlsError, ParseMailFromError, ParseSmtpError, SmtpAddress,
};
pub use metrics::Metrics;
pub use moderation::{
    AccountView, Actor, AdminKey, AdminRefusal, AdminReply, AdminRequest, AdminTarget, AuditView,
    BanNotice, BanView, Mode, ReportView, StatusView, perform,
};
pub use names::{NameError, is_reserved, read_name};
pub use origin::SameOrigin;
pub use pages::Page;
pub use random::{NoRandomness, Random};
pub use rates::{Action, Excess, Rate, RateConfig, RateLimits, SocketRate, TooMany};
pub use router::router;
pub use serve::{Listeners, ServeError, serve, serve_with};
pub use state::{AppState, Services};
pub use tls::{Tls, TlsError, TlsFiles};
