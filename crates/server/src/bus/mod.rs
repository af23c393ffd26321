//! The message bus between nodes of a cluster.
//!
//! This module is responsible for bounded queues to and from the other nodes, and for whether
//! they can be reached. It leaves reacting to messages to [`live`](crate::live). Invariants:
//! sending never waits, and messages that cannot be sent or read in time are dropped and counted.
//! That is safe because the store is the source of truth, and important messages are repeated.

mod memory;
mod nats;
mod news;

use core::time::Duration;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use castellan_game::Moment;
use tokio::sync::{mpsc, watch};

pub use memory::Wire;
pub use nats::{BusAddress, BusError, ParseBusAddressError};
pub(crate) use news::{Attendance, Begun, Letter, News, NodeId, PER_MESSAGE, Seek, SeekId};

use crate::clock::Clock;
use crate::random::{NoRandomness, Random};

/// Maximum number of messages waiting to be sent.
const OUTBOX: usize = 4096;
/// Maximum number of messages waiting to be read.
const INBOX: usize = 4096;

/// How often nodes send heartbeats, and the timeouts that depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// Time between two heartbeats.
    pub beat: Duration,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { beat: Duration::from_secs(5) }
    }
}

impl Pace {
    pub(crate) fn beat_ms(self) -> u64 {
        u64::try_from(self.beat.as_millis()).unwrap_or(u64::MAX)
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
pub struct Bus(Option<Arc<Line>>);

#[derive(Debug)]
struct Line {
    node: NodeId,
    pace: Pace,
    outbox: mpsc::Sender<Vec<u8>>,
    inbox: Mutex<Option<mpsc::Receiver<Letter>>>,
    figures: Arc<Figures>,
    clock: Clock,
    connected_since: watch::Receiver<Option<Moment>>,
}

#[derive(Debug, Default)]
struct Figures {
    sent: AtomicU64,
    received: AtomicU64,
    dropped: AtomicU64,
}

/// Message counts for metrics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct BusTallies {
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
        self.0.as_ref().map_or(NodeId(0), |line| line.node)
    }

    pub(crate) fn pace(&self) -> Pace {
        self.0.as_ref().map_or_else(Pace::default, |line| line.pace)
    }

    /// Sends a message to all other nodes, if they can be reached.
    pub(crate) fn tell(&self, news: News) {
        let Some(line) = &self.0 else { return };
        let bytes = Letter { from: line.node, news }.encode();
        // A message that is too long is a bug; one that does not fit into the queue is repeated
        // later.
        let is_queued = bytes.is_some_and(|bytes| line.outbox.try_send(bytes).is_ok());
        if !is_queued {
            line.figures.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Takes the receiver of incoming messages. `None` if it was already taken.
    pub(crate) fn take_inbox(&self) -> Option<mpsc::Receiver<Letter>> {
        let line = self.0.as_ref()?;
        line.inbox.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns how long the other nodes have been reachable, or `None` if they are not.
    pub(crate) fn connected_for(&self) -> Option<Duration> {
        let line = self.0.as_ref()?;
        let since = *line.connected_since.borrow();
        since.map(|since| Duration::from_millis(line.clock.now().since_ms(since)))
    }

    /// Returns `true` if this node has been connected long enough to have heard all heartbeats.
    /// Always `true` for a standalone server.
    pub(crate) fn is_informed(&self) -> bool {
        let Some(line) = &self.0 else { return true };
        let gone = Duration::from_millis(line.pace.gone_ms());
        self.connected_for().is_some_and(|time| time >= gone)
    }

    pub(crate) fn tallies(&self) -> BusTallies {
        let Some(line) = &self.0 else { return BusTallies::default() };
        let read = |figure: &AtomicU64| figure.load(Ordering::Relaxed);
        let Figures { sent, received, dropped } = &*line.figures;
        BusTallies { sent: read(sent), received: read(received), dropped: read(dropped) }
    }
}

/// The transport's end of a bus.
#[derive(Debug)]
struct Exchange {
    /// Messages to send. The channel closes when the server stops.
    outgoing: mpsc::Receiver<Vec<u8>>,
    incoming: Incoming,
    /// When the current connection was made; `None` without a connection.
    connected_since: watch::Sender<Option<Moment>>,
}

/// Channel that delivers messages to the subscriber.
#[derive(Clone, Debug)]
struct Incoming {
    node: NodeId,
    inbox: mpsc::Sender<Letter>,
    figures: Arc<Figures>,
}

impl Incoming {
    /// Delivers a message, unless it is this node's own, cannot be decoded, or the queue is full.
    fn arrived(&self, bytes: &[u8]) {
        let Some(letter) = Letter::decode(bytes) else {
            return self.drop_one();
        };
        if letter.from == self.node {
            return;
        }
        match self.inbox.try_send(letter) {
            Ok(()) => drop(self.figures.received.fetch_add(1, Ordering::Relaxed)),
            Err(_) => self.drop_one(),
        }
    }

    fn drop_one(&self) {
        self.figures.dropped.fetch_add(1, Ordering::Relaxed);
    }

    fn sent_one(&self) {
        self.figures.sent.fetch_add(1, Ordering::Relaxed);
    }
}

/// Creates both ends of a bus.
fn bus(pace: Pace, clock: Clock) -> Result<(Bus, Exchange), NoRandomness> {
    let node = NodeId(u64::from_le_bytes(Random::secret()?));
    let (outbox, outgoing) = mpsc::channel(OUTBOX);
    let (inbox, letters) = mpsc::channel(INBOX);
    let (connected_since, since) = watch::channel(None);
    let figures = Arc::new(Figures::default());
    let incoming = Incoming { node, inbox, figures: Arc::clone(&figures) };
    let line = Line {
        node,
        pace,
        outbox,
        inbox: Mutex::new(Some(letters)),
        figures,
        clock,
        connected_since: since,
    };
    Ok((Bus(Some(Arc::new(line))), Exchange { outgoing, incoming, connected_since }))
}
