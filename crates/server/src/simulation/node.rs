//! One run of a node, from its start until it is killed: the production server with a clock, a bus,
//! a store and sockets of the simulation.
//!
//! A node has an executor of its own. It runs until all its tasks wait, and its time stands still
//! meanwhile. Dropping it has the effect of `kill -9` on a process.

use core::task::{Poll, Waker};
use core::time::Duration;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use castellan_game::Moment;
use castellan_store::StoreError;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use super::pipe::Pipe;
use super::store::{Requests, SimulatedStore};
use crate::address::ClientAddress;
use crate::bus::{Exchange, HeartbeatConfig, bus};
use crate::clock::Clock;
use crate::config::Config;
use crate::live::Hub;
use crate::random::Random;
use crate::state::{AppState, Services};

/// The time of day at which every simulation begins.
pub(super) const EPOCH_MS: u64 = 1_800_000_000_000;
/// A process that did not run for this long has noticed it.
const STALL_MS: u64 = 1_000;

/// Settings of a node that differ between simulations.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeSetup {
    /// Interval of the heartbeats; `None` for a server without other nodes.
    pub(super) beat: Option<Duration>,
    /// How far the clock is ahead.
    pub(super) ahead_ms: i64,
    pub(super) seed: u64,
}

/// The state of a server that has been started.
#[derive(Debug)]
enum Startup {
    Starting,
    Ready(AppState),
    Failed(StoreError),
}

/// Wakes the simulation when all tasks of a node wait.
#[derive(Debug, Default)]
struct Idle {
    is_idle: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

/// One run of a node.
#[derive(Debug)]
pub(super) struct Node {
    clock: Clock,
    /// Time of the simulation up to which the clock has been advanced.
    synced_ms: u64,
    pub(super) exchange: Option<Exchange>,
    startup: Arc<Mutex<Startup>>,
    /// When the process continues, if it is paused.
    pub(super) paused_until_ms: Option<u64>,
    has_stopped: Arc<AtomicBool>,
    pub(super) is_stopping: bool,
    idle: Arc<Idle>,
    runtime: Runtime,
}

impl Node {
    /// Starts a node. `run` tells the runs of nodes apart.
    pub(super) fn start(setup: NodeSetup, requests: &Requests, run: usize, now_ms: u64) -> Node {
        let idle = Arc::<Idle>::default();
        let for_park = Arc::clone(&idle);
        let mut builder = Builder::new_current_thread();
        builder.enable_time().on_thread_park(move || {
            for_park.is_idle.store(true, Ordering::Relaxed);
            let waker = for_park.waker.lock().unwrap_or_else(PoisonError::into_inner).take();
            waker.into_iter().for_each(Waker::wake);
        });
        let runtime = builder.build().expect("a runtime without threads");
        let start_ms = (EPOCH_MS + now_ms).saturating_add_signed(setup.ahead_ms);
        let clock = Clock::manual(Moment::from_millis(start_ms));
        let store = Arc::new(SimulatedStore::new(requests, run));
        let random = Random::seeded(setup.seed);
        let mut services = Services::new(config(), store, clock.clone(), random);
        let mut exchange = None;
        if let Some(beat) = setup.beat {
            let (bus, other_end) =
                bus(HeartbeatConfig { beat }, clock.clone()).expect("seeded secrets");
            exchange = Some(other_end);
            services = services.joined(bus);
        }
        let startup = Arc::new(Mutex::new(Startup::Starting));
        let connected = exchange.as_ref().map(|exchange| exchange.connected_since.clone());
        runtime.spawn({
            let (services, startup) = (Arc::new(services), Arc::clone(&startup));
            async move {
                let started = match begin(&services, connected).await {
                    Ok(hub) => Startup::Ready(AppState { services, hub }),
                    Err(error) => Startup::Failed(error),
                };
                *startup.lock().unwrap_or_else(PoisonError::into_inner) = started;
            }
        });
        Node {
            clock,
            synced_ms: now_ms,
            exchange,
            startup,
            paused_until_ms: None,
            has_stopped: Arc::default(),
            is_stopping: false,
            idle,
            runtime,
        }
    }

    /// Advances the node's clock to a time of the simulation.
    pub(super) fn sync(&mut self, now_ms: u64) {
        let passed_ms = now_ms - self.synced_ms;
        self.synced_ms = now_ms;
        if passed_ms > 0 {
            self.clock.advance(Duration::from_millis(passed_ms));
        }
    }

    /// Lets a paused process continue.
    pub(super) fn resume(&mut self, now_ms: u64) {
        self.paused_until_ms = None;
        let passed_ms = now_ms - self.synced_ms;
        if passed_ms >= STALL_MS {
            self.synced_ms = now_ms;
            self.clock.stall(Duration::from_millis(passed_ms));
        } else {
            self.sync(now_ms);
        }
    }

    /// Returns the time on the node's clock.
    pub(super) fn clock_now(&self) -> Moment {
        self.clock.now()
    }

    /// Returns when the node has to run next without a message, as a time of the simulation.
    pub(super) fn next_wake_ms(&self) -> Option<u64> {
        Some(self.synced_ms + self.clock.next_wake()?.since_ms(self.clock.now()))
    }

    /// Runs the node until all its tasks wait.
    pub(super) fn run(&self) {
        let Node { idle, runtime, .. } = self;
        idle.is_idle.store(false, Ordering::Relaxed);
        runtime.block_on(core::future::poll_fn(|context| {
            if idle.is_idle.load(Ordering::Relaxed) {
                return Poll::Ready(());
            }
            let mut waker = idle.waker.lock().unwrap_or_else(PoisonError::into_inner);
            *waker = Some(context.waker().clone());
            Poll::Pending
        }));
    }

    /// Returns `true` if the node accepts connections.
    pub(super) fn is_ready(&self) -> bool {
        !self.is_stopping && self.state().is_some()
    }

    /// Returns why the node did not start, if it failed.
    pub(super) fn failure(&self) -> Option<StoreError> {
        match &*self.startup.lock().unwrap_or_else(PoisonError::into_inner) {
            Startup::Failed(error) => Some(error.clone()),
            Startup::Starting | Startup::Ready(_) => None,
        }
    }

    fn state(&self) -> Option<AppState> {
        match &*self.startup.lock().unwrap_or_else(PoisonError::into_inner) {
            Startup::Ready(state) => Some(state.clone()),
            Startup::Starting | Startup::Failed(_) => None,
        }
    }

    /// Opens a socket, unless the node does not accept connections.
    pub(super) fn connect(&self, pipe: &Pipe) -> bool {
        let Some(state) = self.state().filter(|_| !self.is_stopping) else { return false };
        let address = ClientAddress(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let accepted = crate::live::accept_client(&state, address);
        let Ok(accepted) = accepted else { return false };
        self.runtime.spawn(accepted.serve(pipe.server_end()));
        true
    }

    /// Begins an orderly shutdown.
    pub(super) fn stop(&mut self) {
        let Some(state) = self.state() else { return };
        self.is_stopping = true;
        let has_stopped = Arc::clone(&self.has_stopped);
        self.runtime.spawn(async move {
            state.hub.shutdown(state.services.config.shutdown_timeout).await;
            has_stopped.store(true, Ordering::Relaxed);
        });
    }

    /// Returns `true` if an orderly shutdown is complete.
    pub(super) fn has_stopped(&self) -> bool {
        self.has_stopped.load(Ordering::Relaxed)
    }
}

/// Starts a server in the order in which `castellan serve` does.
async fn begin(
    services: &Arc<Services>,
    connected: Option<watch::Sender<Option<Moment>>>,
) -> Result<Hub, StoreError> {
    services.clock.agree_with(&*services.store).await?;
    if let Some(connected) = connected {
        connected.send_replace(Some(services.clock.now()));
    }
    Hub::start(Arc::clone(services)).await
}

fn config() -> Config {
    let mut config =
        Config { unlimited: vec![IpAddr::V4(Ipv4Addr::LOCALHOST)], ..Config::default() };
    config.live.engine_threads = 0;
    config
}
