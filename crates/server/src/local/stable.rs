//! The processes of other engines: few, never without work for long, and gone with the program.

use core::time::Duration;
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use castellan_uci::{Driver, DriverError, OptionKind, Patience, Program};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::shelf::EloRange;

/// How many engines run at one time.
const MAX_PROCESSES: usize = 2;
/// How long an engine may be idle before it is ended.
const IDLE: Duration = Duration::from_secs(60);
/// Megabytes of the table of an engine; they are for a person who does other things, too.
const HASH_MB: i64 = 64;
/// Threads of an engine at most.
const MAX_THREADS: usize = 4;

/// The options by which engines are made weaker.
const LIMIT_STRENGTH: &str = "UCI_LimitStrength";
const ELO: &str = "UCI_Elo";

const PATIENCE: Patience = Patience {
    handshake: Duration::from_secs(5),
    ready: Duration::from_secs(5),
    stop: Duration::from_secs(1),
    quit: Duration::from_millis(500),
};

/// An engine that runs, and the place that it takes up.
#[derive(Debug)]
pub(super) struct Runner {
    pub(super) driver: Driver,
    _place: OwnedSemaphorePermit,
}

/// A place for an engine that is about to run.
pub(super) type Place = OwnedSemaphorePermit;

#[derive(Debug)]
pub(super) struct Stable {
    places: Arc<Semaphore>,
    /// Engines that wait for the next question, by their numbers, and since when.
    idle: Mutex<HashMap<u32, (Runner, Instant)>>,
    is_closing: AtomicBool,
}

impl Default for Stable {
    fn default() -> Stable {
        let places = Arc::new(Semaphore::new(MAX_PROCESSES));
        Stable { places, idle: Mutex::default(), is_closing: AtomicBool::new(false) }
    }
}

impl Stable {
    /// The engine of a number, if it waits.
    pub(super) fn take(&self, id: u32) -> Option<Runner> {
        let (mut runner, _) = self.lock().remove(&id)?;
        runner.driver.is_alive().then_some(runner)
    }

    /// A place for one more engine; if need be, one that is idle makes room.
    pub(super) fn place(&self) -> Option<Place> {
        if self.is_closing() {
            return None;
        }
        let enter = || Arc::clone(&self.places).try_acquire_owned().ok();
        enter().or_else(|| {
            let oldest = self.remove_oldest();
            drop(oldest?);
            enter()
        })
    }

    fn remove_oldest(&self) -> Option<Runner> {
        let mut idle = self.lock();
        let oldest = idle.iter().min_by_key(|(_, (_, since))| *since).map(|(&id, _)| id)?;
        idle.remove(&oldest).map(|(runner, _)| runner)
    }

    /// Lets an engine wait for the next question.
    pub(super) fn put(&self, id: u32, runner: Runner) {
        if !self.is_closing() {
            let before = self.lock().insert(id, (runner, Instant::now()));
            drop(before);
        }
    }

    /// Ends the engine of a number, if it waits.
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
        // To end a process takes a moment, in which nobody should have to wait for the list.
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

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, (Runner, Instant)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts an engine in its own folder, where many look for their files. Blocks for as long as its
/// handshake takes.
pub(super) fn start(path: &Path, place: Place) -> Result<Runner, DriverError> {
    let folder = path.parent().map(Path::to_owned);
    let program = Program { folder, ..Program::new(path) };
    let mut driver = Driver::start(&program, PATIENCE)?;
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = (threads / 2).clamp(1, MAX_THREADS);
    set_near(&mut driver, "Hash", HASH_MB)?;
    set_near(&mut driver, "Threads", i64::try_from(threads).unwrap_or(1))?;
    Ok(Runner { driver, _place: place })
}

/// How weak and how strong an engine can be told to play, if it can be told.
pub(super) fn elo_range(driver: &Driver) -> Option<EloRange> {
    driver.option(LIMIT_STRENGTH)?;
    match driver.option(ELO)?.kind {
        OptionKind::Spin { min, max, .. } if min < max => Some(EloRange { min, max }),
        _ => None,
    }
}

/// Lets an engine play with so many Elo points, or as well as it can.
pub(super) fn set_strength(driver: &mut Driver, elo: Option<i64>) -> Result<(), DriverError> {
    if elo_range(driver).is_none() {
        return Ok(());
    }
    driver.set_option(LIMIT_STRENGTH, if elo.is_some() { "true" } else { "false" })?;
    elo.map_or(Ok(()), |points| set_near(driver, ELO, points))
}

/// Sets a number as near to the wished one as the engine allows, if it has such an option.
pub(super) fn set_near(driver: &mut Driver, name: &str, wished: i64) -> Result<(), DriverError> {
    let near = driver.option(name).and_then(|option| match option.kind {
        OptionKind::Spin { min, max, .. } => Some(wished.min(max).max(min)),
        _ => None,
    });
    near.map_or(Ok(()), |value| driver.set_option(name, &value.to_string()))
}
