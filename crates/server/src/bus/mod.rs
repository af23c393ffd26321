//! The message bus between nodes of a cluster.
//!
//! This module is responsible for bounded queues to and from the other nodes, and for whether
//! they can be reached. It leaves reacting to messages to [`live`](crate::live). Invariants:
//! sending never waits, and messages that cannot be sent or read in time are dropped and counted.
//! That is safe because the store is the source of truth, and important messages are repeated.

mod memory;
mod message;
mod nats;

use core::time::Duration;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use castellan_game::Moment;
use tokio::sync::{mpsc, watch};

pub use memory::MemoryBus;
pub(crate) use message::{
    BusMessage, Envelope, GamePresence, GameStarted, LastConnection, NodeId, PER_MESSAGE, Seek,
    SeekId,
};
pub use nats::{BusAddress, BusError, ParseBusAddressError};

use crate::clock::Clock;
use crate::random::{NoRandomness, Random};

/// Maximum number of messages waiting to be sent.
const OUTBOX: usize = 4096;
/// Maximum number of messages waiting to be read.
const INBOX: usize = 4096;

/// Number of signs of life in the time between two heartbeats.
pub(crate) const PULSES: u64 = 5;

/// How often nodes send heartbeats, and the timeouts that depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeartbeatConfig {
    /// Time between two heartbeats.
    pub beat: Duration,
}

impl Default for HeartbeatConfig {
    fn default() -> HeartbeatConfig {
        HeartbeatConfig { beat: Duration::from_secs(5) }
    }
}

impl HeartbeatConfig {
    pub(crate) fn beat_ms(self) -> u64 {
        u64::try_from(self.beat.as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns the time between two signs of life of a node, of which every fifth is a heartbeat.
    pub(crate) fn pulse_ms(self) -> u64 {
        self.beat_ms() / PULSES
    }

    /// Returns how long a node may be silent before it counts as gone, which is also the interval
    /// at which the server looks for games that no node serves.
    pub(crate) fn gone_ms(self) -> u64 {
        self.beat_ms().saturating_mul(4)
    }

    /// Returns how long a starting node waits for its peers to respond.
    pub(crate) fn greeting(self) -> Duration {
        self.beat / 5
    }
}

/// Connection to the other nodes. A standalone server has none. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Bus(Option<Arc<BusInner>>);

#[derive(Debug)]
struct BusInner {
    node: NodeId,
    heartbeat: HeartbeatConfig,
    outbox: mpsc::Sender<Vec<u8>>,
    inbox: Mutex<Option<mpsc::Receiver<Envelope>>>,
    counters: Arc<BusCounters>,
    clock: Clock,
    connected_since: watch::Receiver<Option<Moment>>,
}

#[derive(Debug, Default)]
struct BusCounters {
    sent: AtomicU64,
    received: AtomicU64,
    dropped: AtomicU64,
}

/// Message counts for metrics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct BusMetrics {
    pub(crate) sent: u64,
    pub(crate) received: u64,
    pub(crate) dropped: u64,
}

impl Bus {
    /// Creates the bus of a standalone server.
    pub fn alone() -> Bus {
        Bus(None)
    }

    /// Returns `true` if this server is part of a cluster.
    pub(crate) fn is_joined(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the ID of this node, or 0 for a standalone server.
    pub(crate) fn node(&self) -> NodeId {
        self.0.as_ref().map_or(NodeId(0), |inner| inner.node)
    }

    pub(crate) fn heartbeat(&self) -> HeartbeatConfig {
        self.0.as_ref().map_or_else(HeartbeatConfig::default, |inner| inner.heartbeat)
    }

    /// Sends a message to all other nodes, if they can be reached.
    pub(crate) fn publish(&self, message: BusMessage) {
        let Some(inner) = &self.0 else { return };
        let at = Some(inner.clock.now());
        let bytes = Envelope { from: inner.node, at, message }.encode();
        // A message that is too long is a bug; one that does not fit into the queue is repeated
        // later.
        let is_queued = bytes.is_some_and(|bytes| inner.outbox.try_send(bytes).is_ok());
        if !is_queued {
            inner.counters.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Takes the receiver of incoming messages. `None` if it was already taken.
    pub(crate) fn take_inbox(&self) -> Option<mpsc::Receiver<Envelope>> {
        let inner = self.0.as_ref()?;
        inner.inbox.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns how long the other nodes have been reachable, or `None` if they are not.
    pub(crate) fn connected_for(&self) -> Option<Duration> {
        let inner = self.0.as_ref()?;
        let since = *inner.connected_since.borrow();
        since.map(|since| Duration::from_millis(inner.clock.now().since_ms(since)))
    }

    /// Returns `true` if this node has been connected long enough to have heard all heartbeats.
    /// Always `true` for a standalone server.
    pub(crate) fn is_informed(&self) -> bool {
        let Some(inner) = &self.0 else { return true };
        let gone = Duration::from_millis(inner.heartbeat.gone_ms());
        self.connected_for().is_some_and(|time| time >= gone)
    }

    pub(crate) fn metrics(&self) -> BusMetrics {
        let Some(inner) = &self.0 else { return BusMetrics::default() };
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let BusCounters { sent, received, dropped } = &*inner.counters;
        BusMetrics { sent: read(sent), received: read(received), dropped: read(dropped) }
    }
}

/// The transport's end of a bus.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// Messages to send. The channel closes when the server stops.
    pub(crate) outgoing: mpsc::Receiver<Vec<u8>>,
    pub(crate) inbox_sender: InboxSender,
    /// When the current connection was made; `None` without a connection.
    pub(crate) connected_since: watch::Sender<Option<Moment>>,
}

/// Channel that delivers messages to the subscriber.
#[derive(Clone, Debug)]
pub(crate) struct InboxSender {
    node: NodeId,
    inbox: mpsc::Sender<Envelope>,
    counters: Arc<BusCounters>,
}

impl InboxSender {
    /// Delivers a message, unless it is this node's own, cannot be decoded, or the queue is full.
    pub(crate) fn arrived(&self, bytes: &[u8]) {
        let Some(envelope) = Envelope::decode(bytes) else {
            return self.drop_one();
        };
        if envelope.from == self.node {
            return;
        }
        match self.inbox.try_send(envelope) {
            Ok(()) => drop(self.counters.received.fetch_add(1, Ordering::Relaxed)),
            Err(_) => self.drop_one(),
        }
    }

    fn drop_one(&self) {
        self.counters.dropped.fetch_add(1, Ordering::Relaxed);
    }

    fn sent_one(&self) {
        self.counters.sent.fetch_add(1, Ordering::Relaxed);
    }
}

/// Creates both ends of a bus.
pub(crate) fn bus(
    heartbeat: HeartbeatConfig,
    clock: Clock,
) -> Result<(Bus, Exchange), NoRandomness> {
    let node = NodeId(u64::from_le_bytes(Random::secret()?));
    let (outbox, outgoing) = mpsc::channel(OUTBOX);
    let (inbox, envelopes) = mpsc::channel(INBOX);
    let (connected_since, since) = watch::channel(None);
    let counters = Arc::new(BusCounters::default());
    let inbox_sender = InboxSender { node, inbox, counters: Arc::clone(&counters) };
    let inner = BusInner {
        node,
        heartbeat,
        outbox,
        inbox: Mutex::new(Some(envelopes)),
        counters,
        clock,
        connected_since: since,
    };
    Ok((Bus(Some(Arc::new(inner))), Exchange { outgoing, inbox_sender, connected_since }))
}
