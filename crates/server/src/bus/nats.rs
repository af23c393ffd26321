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
use tokio::sync::{mpsc, watch};

use super::{Bus, Exchange, HeartbeatConfig, InboxSender, bus};
use crate::clock::Clock;
use crate::random::NoRandomness;

/// How long a starting node waits for the NATS server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of messages queued in the NATS client.
const CAPACITY: usize = 4096;

/// Address of a NATS server: `nats://HOST:PORT`, or `tls://HOST:PORT`.
#[derive(Clone, PartialEq, Eq)]
pub struct BusAddress(ServerAddr);

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
        let connecting = options(&connected_since, clock).connect(address.0.clone());
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
        Event::Disconnected | Event::Closed => {
            tracing::warn!("lost the connection to NATS; polling the database instead");
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
    use super::*;

    #[test]
    fn an_address_is_told_without_its_password() {
        let address: BusAddress = "nats://anna:s3cret@bus.example.org:4333".parse().unwrap();
        assert_eq!(address.to_string(), "bus.example.org:4333");
        assert!(!format!("{address:?}").contains("s3cret"));
        for text in ["", "127.0.0.1:4222", "http://127.0.0.1", "nats://", "ws://127.0.0.1:1"] {
            assert_eq!(text.parse::<BusAddress>(), Err(ParseBusAddressError), "{text}");
        }
    }
}
