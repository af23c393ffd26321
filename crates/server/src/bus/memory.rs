//! A bus within one process, for tests with several servers. It loses messages on request.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

use super::{Bus, Exchange, HeartbeatConfig, bus};
use crate::clock::Clock;
use crate::random::{NoRandomness, Random};

/// Maximum number of messages in transit.
const IN_TRANSIT: usize = 4096;

/// A bus that connects the servers of one process.
#[derive(Clone, Debug)]
pub struct MemoryBus {
    messages: broadcast::Sender<Arc<[u8]>>,
    random: Arc<Mutex<Random>>,
    /// Share of messages that are lost, in thousandths.
    lost_per_mille: Arc<AtomicU64>,
    /// A message type and how many more messages of it are lost.
    lost_kind: Arc<Mutex<(&'static str, u64)>>,
    /// `true` while no server is connected.
    is_down: Arc<watch::Sender<bool>>,
}

impl MemoryBus {
    /// Creates a bus that loses `lost_per_mille` of 1,000 messages, chosen at random from a seed.
    pub fn new(lost_per_mille: u64, seed: u64) -> MemoryBus {
        MemoryBus {
            messages: broadcast::channel(IN_TRANSIT).0,
            random: Arc::new(Mutex::new(Random::seeded(seed))),
            lost_per_mille: Arc::new(AtomicU64::new(lost_per_mille)),
            lost_kind: Arc::default(),
            is_down: Arc::default(),
        }
    }

    /// Loses the next `count` messages of a type, such as `begun`. Each delivery counts,
    /// including the one back to the sender.
    pub fn lose_next(&self, kind: &'static str, count: u64) {
        *self.lost_kind.lock().unwrap_or_else(PoisonError::into_inner) = (kind, count);
    }

    /// Sets how many of 1,000 messages are lost from now on.
    pub fn lose(&self, per_mille: u64) {
        self.lost_per_mille.store(per_mille, Ordering::Relaxed);
    }

    /// Disconnects all servers, as if the bus had stopped, or connects them again.
    pub fn set_down(&self, is_down: bool) {
        self.is_down.send_replace(is_down);
    }

    /// Creates a bus for one more server. Must be called within a Tokio runtime.
    ///
    /// # Errors
    /// Fails if the operating system has no randomness.
    pub fn join(&self, heartbeat: HeartbeatConfig, clock: &Clock) -> Result<Bus, NoRandomness> {
        let (bus, exchange) = bus(heartbeat, clock.clone())?;
        exchange.connected_since.send_replace(Some(clock.now()));
        tokio::spawn(self.clone().carry(exchange, clock.clone()));
        Ok(bus)
    }

    /// Passes messages between one server and the others until the server is gone.
    async fn carry(self, exchange: Exchange, clock: Clock) {
        let Exchange { mut outgoing, inbox_sender, connected_since } = exchange;
        let mut arriving = self.messages.subscribe();
        let mut is_down = self.is_down.subscribe();
        loop {
            tokio::select! {
                Ok(()) = is_down.changed() => {
                    let is_connected = !*is_down.borrow_and_update();
                    connected_since.send_replace(is_connected.then(|| clock.now()));
                }
                bytes = outgoing.recv() => {
                    let Some(bytes) = bytes else { return };
                    if *is_down.borrow() {
                        inbox_sender.drop_one();
                        continue;
                    }
                    inbox_sender.sent_one();
                    // Sending cannot fail, because this task is itself a subscriber.
                    let _ = self.messages.send(bytes.into());
                }
                arrived = arriving.recv() => match arrived {
                    Ok(bytes) if !self.is_lost(&bytes) => inbox_sender.arrived(&bytes),
                    Ok(_) | Err(RecvError::Lagged(_)) => inbox_sender.drop_one(),
                    Err(RecvError::Closed) => return,
                },
            }
        }
    }

    fn is_lost(&self, bytes: &[u8]) -> bool {
        let mut lost = self.lost_kind.lock().unwrap_or_else(PoisonError::into_inner);
        let (kind, count) = *lost;
        let tag = format!(r#""type":"{kind}""#);
        if count > 0 && bytes.windows(tag.len()).any(|part| part == tag.as_bytes()) {
            *lost = (kind, count - 1);
            return true;
        }
        drop(lost);
        let random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        let per_mille = self.lost_per_mille.load(Ordering::Relaxed);
        random.number().is_ok_and(|number| number % 1000 < per_mille)
    }
}
