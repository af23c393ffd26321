//! How nodes that serve together hear of each other.
//!
//! Owns: bounded queues to and from the other nodes, and whether they can be reached. Leaves to
//! [`live`](crate::live): what news leads to. Invariant: whoever tells news never waits, and what
//! cannot be sent or read in time is dropped and counted: the store is the truth, and everything
//! that matters is told again at the next beat.

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

/// How many messages may wait to be sent.
const OUTBOX: usize = 4096;
/// How many may wait to be read.
const INBOX: usize = 4096;

/// How often nodes say that they are there, and all that follows from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// The time between two beats.
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

    /// After how much silence a node is taken for gone, and how often games are looked for that
    /// nobody serves.
    pub(crate) fn gone_ms(self) -> u64 {
        self.beat_ms().saturating_mul(4)
    }

    /// How long a node that starts waits for answers.
    pub(crate) fn greeting(self) -> Duration {
        self.beat / 5
    }
}

/// The way to the other nodes; none for a server that is alone. Cheap to clone.
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

/// What has been told and heard, for metrics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct BusTallies {
    pub(crate) sent: u64,
    pub(crate) received: u64,
    pub(crate) dropped: u64,
}

impl Bus {
    /// For a server that is alone.
    pub fn alone() -> Bus {
        Bus(None)
    }

    /// Whether there may be other nodes.
    pub(crate) fn is_joined(&self) -> bool {
        self.0.is_some()
    }

    /// This node; a server that is alone needs no number.
    pub(crate) fn node(&self) -> NodeId {
        self.0.as_ref().map_or(NodeId(0), |line| line.node)
    }

    pub(crate) fn pace(&self) -> Pace {
        self.0.as_ref().map_or_else(Pace::default, |line| line.pace)
    }

    /// Tells all other nodes something, if they can be reached.
    pub(crate) fn tell(&self, news: News) {
        let Some(line) = &self.0 else { return };
        let bytes = Letter { from: line.node, news }.encode();
        // What is too long is our own mistake; what finds no place is told again later.
        let is_queued = bytes.is_some_and(|bytes| line.outbox.try_send(bytes).is_ok());
        if !is_queued {
            line.figures.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What comes in; for one listener.
    pub(crate) fn take_inbox(&self) -> Option<mpsc::Receiver<Letter>> {
        let line = self.0.as_ref()?;
        line.inbox.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// For how long the other nodes have been within reach; none if they are not.
    pub(crate) fn connected_for(&self) -> Option<Duration> {
        let line = self.0.as_ref()?;
        let since = *line.connected_since.borrow();
        since.map(|since| Duration::from_millis(line.clock.now().since_ms(since)))
    }

    /// Whether all that other nodes have to tell at every beat has been heard by now. A server
    /// that is alone knows everything.
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

/// The other end of a bus: where a network takes and brings messages.
#[derive(Debug)]
struct Exchange {
    /// What is to be sent; ends when the server does.
    outgoing: mpsc::Receiver<Vec<u8>>,
    incoming: Incoming,
    /// Since when there has been a connection.
    connected_since: watch::Sender<Option<Moment>>,
}

/// Where messages are brought.
#[derive(Clone, Debug)]
struct Incoming {
    node: NodeId,
    inbox: mpsc::Sender<Letter>,
    figures: Arc<Figures>,
}

impl Incoming {
    /// Takes a message in, unless it is our own, not understood, or one too many.
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

/// Both ends of a new bus.
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
