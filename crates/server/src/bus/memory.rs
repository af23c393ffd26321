//! A bus within one process, for tests of several servers: it loses as much as it is told to.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::{Bus, Exchange, Pace, bus};
use crate::clock::Clock;
use crate::random::{NoRandomness, Random};

/// How many messages may be on their way.
const ON_THE_WAY: usize = 4096;

/// What joins servers of one process.
#[derive(Clone, Debug)]
pub struct Wire {
    messages: broadcast::Sender<Arc<[u8]>>,
    chance: Arc<Mutex<Random>>,
    /// Of a thousand messages so many do not arrive.
    lost_per_mille: Arc<AtomicU64>,
    /// A kind of news of which so many messages do not arrive.
    lost_kind: Arc<Mutex<(&'static str, u64)>>,
}

impl Wire {
    /// One that loses so many of a thousand messages, by chance from a seed.
    pub fn new(lost_per_mille: u64, seed: u64) -> Wire {
        Wire {
            messages: broadcast::channel(ON_THE_WAY).0,
            chance: Arc::new(Mutex::new(Random::seeded(seed))),
            lost_per_mille: Arc::new(AtomicU64::new(lost_per_mille)),
            lost_kind: Arc::default(),
        }
    }

    /// The next messages of a kind, as `begun`, are lost: so many, counted where they arrive, at
    /// the node that sent them as at all others.
    pub fn lose_next(&self, kind: &'static str, count: u64) {
        *self.lost_kind.lock().unwrap_or_else(PoisonError::into_inner) = (kind, count);
    }

    /// From now on so many of a thousand messages are lost.
    pub fn lose(&self, per_mille: u64) {
        self.lost_per_mille.store(per_mille, Ordering::Relaxed);
    }

    /// A bus for one more server. Must be called within a Tokio runtime.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn join(&self, pace: Pace, clock: &Clock) -> Result<Bus, NoRandomness> {
        let (bus, exchange) = bus(pace, clock.clone())?;
        exchange.connected_since.send_replace(Some(clock.now()));
        tokio::spawn(self.clone().carry(exchange));
        Ok(bus)
    }

    async fn carry(self, exchange: Exchange) {
        let Exchange { mut outgoing, incoming, connected_since: _since } = exchange;
        let mut arriving = self.messages.subscribe();
        loop {
            tokio::select! {
                bytes = outgoing.recv() => {
                    let Some(bytes) = bytes else { return };
                    incoming.sent_one();
                    // We listen ourselves, so there is somebody.
                    let _ = self.messages.send(bytes.into());
                }
                arrived = arriving.recv() => match arrived {
                    Ok(bytes) if !self.is_lost(&bytes) => incoming.arrived(&bytes),
                    Ok(_) | Err(RecvError::Lagged(_)) => incoming.drop_one(),
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
        let chance = self.chance.lock().unwrap_or_else(PoisonError::into_inner);
        let lost = self.lost_per_mille.load(Ordering::Relaxed);
        chance.number().is_ok_and(|number| number % 1000 < lost)
    }
}
