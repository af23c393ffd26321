//! A bus over a NATS server.
//!
//! This module is responsible for the connection and restores it whenever it is lost. It leaves
//! the delivery of messages between nodes to the NATS server. Servers of different databases do
//! not receive each other's messages, because the subject is named after the database.

use core::fmt;
use core::str::FromStr;
use core::time::Duration;
use std::sync::Arc;

use async_nats::connection::State;
use async_nats::{Client, ConnectOptions, Event, ServerAddr, Subscriber};
use castellan_game::Moment;
use futures_util::StreamExt;
use percent_encoding::percent_decode_str;
use tokio::sync::{mpsc, watch};

use super::{Bus, Exchange, HeartbeatConfig, InboxSender, bus};
use crate::clock::Clock;
use crate::random::NoRandomness;

/// How long a starting node waits for the NATS server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of messages queued in the NATS client.
const CAPACITY: usize = 4096;

/// Address of a NATS server: `nats://HOST:PORT`, or `tls://HOST:PORT` for an encrypted connection.
/// Credentials come before the host: `USER:PASSWORD@`, or `TOKEN@`.
#[derive(Clone, PartialEq, Eq)]
pub struct BusAddress(ServerAddr);

impl BusAddress {
    /// Adds the credentials in the address to the options.
    fn authenticate(&self, options: ConnectOptions) -> ConnectOptions {
        let decode = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        match (self.0.username().map(decode), self.0.password().map(decode)) {
            (Some(user), Some(password)) => options.user_and_password(user, password),
            (Some(token), None) => options.token(token),
            (None, _) => options,
        }
    }
}

impl fmt::Debug for BusAddress {
    /// Leaves out the credentials, which may include a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for BusAddress {
    /// Leaves out the credentials, which may include a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.0.host(), self.0.port())
    }
}

/// The text is not the address of a NATS server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected the address of a NATS server, as in nats://127.0.0.1:4222")]
pub struct ParseBusAddressError;

impl FromStr for BusAddress {
    type Err = ParseBusAddressError;

    fn from_str(text: &str) -> Result<BusAddress, ParseBusAddressError> {
        let is_known = ["nats://", "tls://"].iter().any(|scheme| text.starts_with(scheme));
        let address: ServerAddr = text.parse().map_err(|_| ParseBusAddressError)?;
        if is_known && !address.host().is_empty() {
            Ok(BusAddress(address))
        } else {
            Err(ParseBusAddressError)
        }
    }
}

/// Why a server cannot join a cluster.
#[derive(Debug, thiserror::Error)]
pub enum BusError {
    /// The NATS server cannot be reached, or rejects the connection.
    #[error("cannot connect to the NATS server at {place}: {why}")]
    Unreachable {
        /// Address of the NATS server, without a password.
        place: String,
        /// Error message of the NATS client.
        why: String,
    },
    /// The operating system has no randomness for a node ID.
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
}

impl Bus {
    /// Joins the servers of a database over a NATS server. Must be called within a Tokio runtime.
    ///
    /// # Errors
    /// Fails if the NATS server does not respond. After that, its connection may be lost and
    /// restored.
    pub async fn nats(
        address: &BusAddress,
        database: u64,
        heartbeat: HeartbeatConfig,
        clock: &Clock,
    ) -> Result<Bus, BusError> {
        let (bus, exchange) = bus(heartbeat, clock.clone())?;
        let Exchange { outgoing, inbox_sender, connected_since } = exchange;
        let connected_since = Arc::new(connected_since);
        let unreachable = |why: String| BusError::Unreachable { place: address.to_string(), why };
        let options = address.authenticate(options(&connected_since, clock));
        let connecting = options.connect(address.0.clone());
        let connected = tokio::time::timeout(CONNECT_TIMEOUT, connecting).await;
        let connected = connected.map_err(|_| unreachable("no response".to_owned()))?;
        let client = connected.map_err(|error| unreachable(error.to_string()))?;
        let subject = format!("castellan.{database:016x}");
        let subscribed = client.subscribe(subject.clone()).await;
        let messages = subscribed.map_err(|error| unreachable(error.to_string()))?;
        let flushed = tokio::time::timeout(CONNECT_TIMEOUT, client.flush()).await;
        flushed
            .map_err(|_| unreachable("no response".to_owned()))?
            .map_err(|error| unreachable(error.to_string()))?;
        connected_since.send_replace(Some(clock.now()));
        tokio::spawn(bring(messages, inbox_sender.clone()));
        tokio::spawn(take(client, subject, outgoing, inbox_sender));
        Ok(bus)
    }
}

fn options(connected_since: &Arc<watch::Sender<Option<Moment>>>, clock: &Clock) -> ConnectOptions {
    let (since, clock) = (Arc::clone(connected_since), clock.clone());
    ConnectOptions::new()
        .name("castellan")
        .no_echo()
        .connection_timeout(CONNECT_TIMEOUT)
        .subscription_capacity(CAPACITY)
        .client_capacity(CAPACITY)
        .event_callback(move |event| {
            let (since, now) = (Arc::clone(&since), clock.now());
            async move { note(&event, &since, now) }
        })
}

fn note(event: &Event, connected_since: &watch::Sender<Option<Moment>>, now: Moment) {
    match event {
        Event::Connected => {
            tracing::info!("connected to NATS");
            connected_since.send_replace(Some(now));
        }
        Event::Disconnected => {
            tracing::warn!("lost the connection to NATS; polling the database instead");
            connected_since.send_replace(None);
        }
        // The client reconnects for as long as it takes, so only this server closes it, at its end.
        Event::Closed => {
            connected_since.send_replace(None);
        }
        other => tracing::warn!("NATS: {other}"),
    }
}

/// Delivers incoming messages until the server stops.
async fn bring(mut messages: Subscriber, inbox_sender: InboxSender) {
    while let Some(message) = messages.next().await {
        inbox_sender.arrived(&message.payload);
    }
}

/// Publishes outgoing messages until the server stops. Without a connection, messages are
/// dropped, because they would be out of date by the time it is back.
async fn take(
    client: Client,
    subject: String,
    mut outgoing: mpsc::Receiver<Vec<u8>>,
    inbox_sender: InboxSender,
) {
    while let Some(bytes) = outgoing.recv().await {
        let is_connected = client.connection_state() == State::Connected;
        let is_sent = is_connected && client.publish(subject.clone(), bytes.into()).await.is_ok();
        if is_sent { inbox_sender.sent_one() } else { inbox_sender.drop_one() }
    }
    // The last messages, such as this node's goodbye, should still be delivered.
    let _ = tokio::time::timeout(CONNECT_TIMEOUT, client.drain()).await;
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    use tokio::net::TcpListener;

    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let address: BusAddress = "nats://anna:s3cret@bus.example.org:4333".parse().unwrap();
        assert_eq!(address.to_string(), "bus.example.org:4333");
        assert!(!format!("{address:?}").contains("s3cret"));
        for text in ["", "127.0.0.1:4222", "http://127.0.0.1", "nats://", "ws://127.0.0.1:1"] {
            assert_eq!(text.parse::<BusAddress>(), Err(ParseBusAddressError), "{text}");
        }
    }

    /// Plays the part of a NATS server. Returns what a client with these credentials sends first.
    async fn greeting_of(credentials: &str) -> Value {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let place = listener.local_addr().unwrap();
        let address: BusAddress = format!("nats://{credentials}{place}").parse().unwrap();
        let clock = Clock::system();
        let joining = Bus::nats(&address, 1, HeartbeatConfig::default(), &clock);
        let serving = async {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = BufReader::new(stream);
            let info = r#"INFO {"server_id":"t","server_name":"t","version":"2.10.0","go":"",
                "host":"127.0.0.1","port":4222,"max_payload":65536,"proto":1,"headers":true,
                "auth_required":true,"client_id":1}"#;
            let info = format!("{}\r\n", info.replace('\n', ""));
            stream.write_all(info.as_bytes()).await.unwrap();
            let mut greeting = String::new();
            stream.read_line(&mut greeting).await.unwrap();
            greeting
        };
        let greeting = tokio::select! {
            greeting = serving => greeting,
            joined = joining => panic!("the server has not answered yet: {joined:?}"),
        };
        serde_json::from_str(greeting.strip_prefix("CONNECT ").expect(&greeting)).unwrap()
    }

    #[tokio::test]
    async fn the_credentials_in_the_address_are_sent() {
        let greeting = greeting_of("anna:s%40cret%2F@").await;
        assert_eq!((&greeting["user"], &greeting["pass"]), (&"anna".into(), &"s@cret/".into()));
        let greeting = greeting_of("t0ken@").await;
        assert_eq!(greeting["auth_token"], "t0ken");
        let greeting = greeting_of("").await;
        assert!(greeting["user"].is_null() && greeting["auth_token"].is_null(), "{greeting}");
    }
}
