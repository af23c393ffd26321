//! The processes of external engines. There are few, their memory and processor time are limited,
//! idle ones are ended, and none outlive the program.

use core::num::{NonZeroU8, NonZeroU32};
use core::time::Duration;
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use castellan_uci::{Driver, DriverError, OptionKind, ProcessLimits, Program, Timeouts};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::engine_list::{EloRange, EngineSetup};

/// Maximum number of running engines.
const MAX_PROCESSES: usize = 2;
/// How long an engine may be idle before it is ended.
const IDLE: Duration = Duration::from_secs(60);
/// Size of an engine's transposition table in megabytes, if the user does not set it. It is small
/// because the user's machine has other work, too.
const HASH_MB: i64 = 64;
/// Maximum number of threads of an engine, if the user does not set it.
const MAX_THREADS: i64 = 4;
/// Processor time of one engine. A search ends after an hour, so this is for engines that do not stop,
/// or that have been used for hours: the next search starts a new one.
const PROCESSOR_TIME: Duration = Duration::from_secs(12 * 3600);

/// The UCI options that limit an engine's strength.
const LIMIT_STRENGTH: &str = "UCI_LimitStrength";
const ELO: &str = "UCI_Elo";

const TIMEOUTS: Timeouts = Timeouts {
    handshake: Duration::from_secs(5),
    ready: Duration::from_secs(5),
    stop: Duration::from_secs(1),
    quit: Duration::from_millis(500),
};

/// A running engine and its permit.
#[derive(Debug)]
pub(super) struct RunningEngine {
    pub(super) driver: Driver,
    /// The number of threads that the engine was last told to use.
    threads: i64,
    _place: OwnedSemaphorePermit,
}

/// A permit for an engine that is about to start.
#[derive(Debug)]
pub(super) struct EnginePermit {
    place: OwnedSemaphorePermit,
    memory_mb: Option<NonZeroU32>,
}

#[derive(Debug)]
pub(super) struct EnginePool {
    permits: Arc<Semaphore>,
    /// Memory of an engine in addition to its transposition table; `None` for no limit.
    memory_mb: Option<NonZeroU32>,
    /// Idle engines by ID, and since when they have been idle.
    idle: Mutex<HashMap<u32, (RunningEngine, Instant)>>,
    is_closing: AtomicBool,
}

impl EnginePool {
    /// Creates a pool without engines.
    pub(super) fn new(memory_mb: Option<NonZeroU32>) -> EnginePool {
        let permits = Arc::new(Semaphore::new(MAX_PROCESSES));
        let is_closing = AtomicBool::new(false);
        EnginePool { permits, memory_mb, idle: Mutex::default(), is_closing }
    }

    /// Takes an engine, if it is idle and still running.
    pub(super) fn take(&self, id: u32) -> Option<RunningEngine> {
        let (mut running, _) = self.lock().remove(&id)?;
        running.driver.is_alive().then_some(running)
    }

    /// Returns a permit for one more engine, ending the longest idle one if necessary.
    pub(super) fn permit(&self) -> Option<EnginePermit> {
        if self.is_closing() {
            return None;
        }
        let enter = || {
            let place = Arc::clone(&self.permits).try_acquire_owned().ok()?;
            Some(EnginePermit { place, memory_mb: self.memory_mb })
        };
        enter().or_else(|| {
            let oldest = self.remove_oldest();
            drop(oldest?);
            enter()
        })
    }

    fn remove_oldest(&self) -> Option<RunningEngine> {
        let mut idle = self.lock();
        let oldest = idle.iter().min_by_key(|(_, (_, since))| *since).map(|(&id, _)| id)?;
        idle.remove(&oldest).map(|(running, _)| running)
    }

    /// Keeps an engine for the next request.
    pub(super) fn put(&self, id: u32, running: RunningEngine) {
        if !self.is_closing() {
            let before = self.lock().insert(id, (running, Instant::now()));
            drop(before);
        }
    }

    /// Ends an engine, if it is idle.
    pub(super) fn remove(&self, id: u32) {
        let removed = self.lock().remove(&id);
        drop(removed);
    }

    pub(super) fn tidy(&self) {
        let mut idle = self.lock();
        let old: Vec<u32> = idle
            .iter()
            .filter(|(_, (_, since))| since.elapsed() > IDLE)
            .map(|(&id, _)| id)
            .collect();
        let ended: Vec<_> = old.iter().filter_map(|id| idle.remove(id)).collect();
        drop(idle);
        // Ending a process takes a moment, so the lock is released first.
        drop(ended);
    }

    pub(super) fn close(&self) {
        self.is_closing.store(true, Ordering::Release);
        let ended = std::mem::take(&mut *self.lock());
        drop(ended);
    }

    pub(super) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, (RunningEngine, Instant)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts an engine in its own folder, where many engines look for their files. Blocks until the
/// handshake is done.
pub(super) fn start(
    setup: &EngineSetup,
    permit: EnginePermit,
) -> Result<RunningEngine, DriverError> {
    let folder = setup.path.parent().map(Path::to_owned);
    let hash_mb = setup.hash_mb.map_or(HASH_MB, |megabytes| megabytes.get().into());
    let EnginePermit { place, memory_mb } = permit;
    let limits = ProcessLimits {
        memory_bytes: memory_mb.map(|more| (u64::from(more.get()) + hash_mb.unsigned_abs()) << 20),
        processor_time: Some(PROCESSOR_TIME),
        is_background: true,
    };
    let program = Program { args: setup.args.clone(), folder, limits, ..Program::new(&setup.path) };
    let mut driver = Driver::start(&program, TIMEOUTS)?;
    let threads = threads_of(setup, None);
    set_near(&mut driver, "Hash", hash_mb)?;
    set_near(&mut driver, "Threads", threads)?;
    Ok(RunningEngine { driver, threads, _place: place })
}

impl RunningEngine {
    /// Sets the number of threads for the next search. Many engines clear their memory when they
    /// receive the option, so it is sent only if it changes.
    pub(super) fn set_threads(
        &mut self,
        setup: &EngineSetup,
        wanted: Option<NonZeroU8>,
    ) -> Result<(), DriverError> {
        let threads = threads_of(setup, wanted);
        if threads != self.threads {
            set_near(&mut self.driver, "Threads", threads)?;
            self.threads = threads;
        }
        Ok(())
    }
}

/// Returns the number of threads: as set for the search, or else for the engine, or else half of
/// the processor's threads, up to [`MAX_THREADS`].
fn threads_of(setup: &EngineSetup, wanted: Option<NonZeroU8>) -> i64 {
    let usual = || i64::from(processors().get() / 2).clamp(1, MAX_THREADS);
    wanted.or(setup.threads).map_or_else(usual, |threads| threads.get().into())
}

/// Returns the number of threads that the processor runs at once.
pub(super) fn processors() -> NonZeroU8 {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    NonZeroU8::new(u8::try_from(threads).unwrap_or(u8::MAX)).unwrap_or(NonZeroU8::MIN)
}

/// Returns the range of strengths to which an engine can be limited, if it supports that.
pub(super) fn elo_range(driver: &Driver) -> Option<EloRange> {
    driver.option(LIMIT_STRENGTH)?;
    match driver.option(ELO)?.kind {
        OptionKind::Spin { min, max, .. } if min < max => Some(EloRange { min, max }),
        _ => None,
    }
}

/// Limits an engine to an Elo rating, or removes the limit.
pub(super) fn set_strength(driver: &mut Driver, elo: Option<i64>) -> Result<(), DriverError> {
    if elo_range(driver).is_none() {
        return Ok(());
    }
    driver.set_option(LIMIT_STRENGTH, if elo.is_some() { "true" } else { "false" })?;
    elo.map_or(Ok(()), |points| set_near(driver, ELO, points))
}

/// Sets a numeric option to the closest allowed value, if the engine has such an option.
pub(super) fn set_near(driver: &mut Driver, name: &str, wished: i64) -> Result<(), DriverError> {
    let near = driver.option(name).and_then(|option| match option.kind {
        OptionKind::Spin { min, max, .. } => Some(wished.min(max).max(min)),
        _ => None,
    });
    near.map_or(Ok(()), |value| driver.set_option(name, &value.to_string()))
}
