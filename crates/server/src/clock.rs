//! The server's clock.
//!
//! The clock is a value that is passed around, so that tests control the time. It never goes back:
//! the date is read once, at startup, and from then on only elapsed time counts. So no game is
//! decided because an operator changes the date of the machine.

use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use castellan_game::Moment;
use castellan_store::{Store, StoreError};

/// A source of time. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Clock(Arc<Source>);

#[derive(Debug)]
enum Source {
    System { began: Instant, began_ms: AtomicU64, stalls: Stalls, wall: WallClock },
    Manual(Mutex<ManualTime>),
}

/// The time of a manual clock, and the tasks that wait for it.
#[derive(Debug, Default)]
struct ManualTime {
    now: Moment,
    stalled_ms: u64,
    /// The waiting tasks by the moment that they wait for. The number tells tasks with the same
    /// moment apart, so that they wake in the order in which they went to sleep.
    sleepers: BTreeMap<(Moment, u64), Waker>,
    last_sleeper: u64,
}

impl ManualTime {
    fn advance(&mut self, by: Duration) {
        self.now = self.now.plus_ms(to_ms(by));
        while let Some(first) = self.sleepers.first_entry() {
            if first.key().0 > self.now {
                return;
            }
            first.remove().wake();
        }
    }
}

/// Waits until a manual clock shows a moment.
struct ManualSleep<'a> {
    time: &'a Mutex<ManualTime>,
    until: Moment,
    /// The number of the entry in the list of sleepers, if there is one.
    number: Option<u64>,
}

impl Future for ManualSleep<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut time = lock(self.time);
        if time.now >= self.until {
            return Poll::Ready(());
        }
        let number = self.number.unwrap_or_else(|| {
            time.last_sleeper += 1;
            time.last_sleeper
        });
        time.sleepers.insert((self.until, number), context.waker().clone());
        drop(time);
        self.number = Some(number);
        Poll::Pending
    }
}

impl Drop for ManualSleep<'_> {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            lock(self.time).sleepers.remove(&(self.until, number));
        }
    }
}

fn lock(time: &Mutex<ManualTime>) -> MutexGuard<'_, ManualTime> {
    time.lock().unwrap_or_else(PoisonError::into_inner)
}

/// If the system clock has not been read for this long, the process was stalled.
const STALL_MS: u64 = 1_000;
/// The system clock is read at least this often.
const WATCH: Duration = Duration::from_millis(250);

/// Time in which this process did not run because it was stopped, starved, or its machine was
/// suspended.
#[derive(Debug, Default)]
struct Stalls {
    /// The latest reading, in milliseconds since startup.
    seen_ms: AtomicU64,
    /// The sum of all gaps between readings that were too long.
    stalled_ms: AtomicU64,
}

impl Stalls {
    /// Records that the clock was read.
    fn note(&self, elapsed_ms: u64) {
        let seen_ms = self.seen_ms.fetch_max(elapsed_ms, Ordering::SeqCst);
        let gap_ms = elapsed_ms.saturating_sub(seen_ms);
        if gap_ms >= STALL_MS {
            self.stalled_ms.fetch_add(gap_ms, Ordering::SeqCst);
        }
    }
}

/// Maximum number of times that this clock is compared with the one of a database.
const COMPARISONS: u32 = 20;
/// A comparison that took at most this long is accurate enough.
const SHORT_TRIP_MS: u64 = 100;

/// Smallest step of the wall clock that is reported. Time servers correct less without a step.
const STEP_MS: i64 = 1_000;

/// How far the system's wall clock is ahead of this clock, as last reported.
#[derive(Debug, Default)]
struct WallClock {
    ahead_ms: AtomicI64,
}

impl WallClock {
    /// Records how far the wall clock is ahead now. Returns the step if it is large enough.
    fn note(&self, ahead_ms: i64) -> Option<i64> {
        let step_ms = ahead_ms.saturating_sub(self.ahead_ms.load(Ordering::SeqCst));
        let is_step = step_ms.saturating_abs() >= STEP_MS;
        is_step.then(|| {
            self.ahead_ms.store(ahead_ms, Ordering::SeqCst);
            step_ms
        })
    }
}

/// When a message arrived, and the total time that the process had been stalled by then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// Time on the server's wall clock.
    pub at: Moment,
    /// Total time since startup in which the process did not run.
    pub stalled_ms: u64,
}

impl Clock {
    /// Returns the clock of this machine.
    pub fn system() -> Clock {
        let (began, began_ms) = (Instant::now(), AtomicU64::new(wall_ms()));
        let (stalls, wall) = (Stalls::default(), WallClock::default());
        Clock(Arc::new(Source::System { began, began_ms, stalls, wall }))
    }

    /// Returns a clock that stands still until it is told to [`advance`](Clock::advance).
    pub fn manual(now: Moment) -> Clock {
        let time = ManualTime { now, ..ManualTime::default() };
        Clock(Arc::new(Source::Manual(Mutex::new(time))))
    }

    /// Returns the time on the server's wall clock.
    pub fn now(&self) -> Moment {
        self.arrival().at
    }

    /// Returns the time, together with the total time that the process has been stalled so far.
    pub fn arrival(&self) -> Arrival {
        match &*self.0 {
            Source::System { began, began_ms, stalls, .. } => {
                let elapsed_ms = to_ms(began.elapsed());
                stalls.note(elapsed_ms);
                let began_ms = began_ms.load(Ordering::SeqCst);
                let at = Moment::from_millis(began_ms.saturating_add(elapsed_ms));
                Arrival { at, stalled_ms: stalls.stalled_ms.load(Ordering::SeqCst) }
            }
            Source::Manual(time) => {
                let time = lock(time);
                Arrival { at: time.now, stalled_ms: time.stalled_ms }
            }
        }
    }

    /// Returns the interval at which the clock has to be read to detect stalls. `None` for a
    /// manual clock, which needs no reading.
    pub(crate) fn watch_pause(&self) -> Option<Duration> {
        matches!(*self.0, Source::System { .. }).then_some(WATCH)
    }

    /// Returns by how many milliseconds the system's wall clock was set since the last call, if it
    /// was. This clock does not follow.
    pub(crate) fn wall_step_ms(&self) -> Option<i64> {
        let Source::System { wall, .. } = &*self.0 else { return None };
        let own_ms = self.now().as_millis();
        wall.note(to_signed(wall_ms()).saturating_sub(to_signed(own_ms)))
    }

    /// Sets this clock to the one that all servers of a database share, if there is one, and
    /// returns by how many milliseconds that changed it. Must be called before anything reads the
    /// clock.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub async fn agree_with(&self, store: &dyn Store) -> Result<i64, StoreError> {
        let mut best: Option<(u64, i64)> = None;
        for _ in 0..COMPARISONS {
            let before = self.now();
            let Some(shared) = store.now().await? else { return Ok(0) };
            let trip_ms = self.now().since_ms(before);
            let own = before.plus_ms(trip_ms / 2);
            let ahead_ms = to_signed(shared.since_ms(own)) - to_signed(own.since_ms(shared));
            best = best.into_iter().chain([(trip_ms, ahead_ms)]).min();
            if trip_ms <= SHORT_TRIP_MS {
                break;
            }
        }
        let change_ms = best.map_or(0, |(_, ahead_ms)| ahead_ms);
        self.shift(change_ms);
        Ok(change_ms)
    }

    fn shift(&self, by_ms: i64) {
        match &*self.0 {
            Source::System { began_ms, wall, .. } => {
                let now_ms = began_ms.load(Ordering::SeqCst);
                began_ms.store(now_ms.saturating_add_signed(by_ms), Ordering::SeqCst);
                wall.ahead_ms.fetch_sub(by_ms, Ordering::SeqCst);
            }
            Source::Manual(time) => {
                let mut time = lock(time);
                time.now = Moment::from_millis(time.now.as_millis().saturating_add_signed(by_ms));
            }
        }
    }

    /// Advances a manual clock as if the process had been stalled.
    pub fn stall(&self, by: Duration) {
        if let Source::Manual(time) = &*self.0 {
            let mut time = lock(time);
            time.stalled_ms = time.stalled_ms.saturating_add(to_ms(by));
            time.advance(by);
        }
    }

    /// Advances a manual clock. Has no effect on the system clock.
    pub fn advance(&self, by: Duration) {
        if let Source::Manual(time) = &*self.0 {
            lock(time).advance(by);
        }
    }

    /// Waits until this clock shows a moment.
    pub async fn sleep_until(&self, moment: Moment) {
        match &*self.0 {
            Source::System { .. } => {
                let left_ms = moment.since_ms(self.now());
                tokio::time::sleep(Duration::from_millis(left_ms)).await;
            }
            Source::Manual(time) => ManualSleep { time, until: moment, number: None }.await,
        }
    }

    /// Waits for a future, but no longer than a limit. Returns `None` if it took longer.
    pub(crate) async fn timeout<T>(
        &self,
        limit: Duration,
        future: impl Future<Output = T>,
    ) -> Option<T> {
        tokio::select! {
            biased;
            output = future => Some(output),
            () = self.sleep_until(self.now().plus_ms(to_ms(limit))) => None,
        }
    }

    /// Returns the first moment that a task is waiting for. `None` for the system clock.
    #[cfg(test)]
    pub(crate) fn next_wake(&self) -> Option<Moment> {
        let Source::Manual(time) = &*self.0 else { return None };
        lock(time).sleepers.first_key_value().map(|((at, _), _)| *at)
    }
}

/// Rate limits use the same clock.
impl governor::clock::Clock for Clock {
    type Instant = Duration;

    fn now(&self) -> Duration {
        match &*self.0 {
            Source::System { began, .. } => began.elapsed(),
            Source::Manual(time) => Duration::from_millis(lock(time).now.as_millis()),
        }
    }
}

/// Reads the system's wall clock, in milliseconds since 1970.
fn wall_ms() -> u64 {
    to_ms(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

fn to_signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

fn to_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_moves_only_when_it_is_advanced() {
        let clock = Clock::manual(Moment::from_millis(1000));
        let same = clock.clone();
        assert_eq!(clock.now(), Moment::from_millis(1000));
        same.advance(Duration::from_secs(2));
        assert_eq!(clock.now(), Moment::from_millis(3000));
    }

    #[test]
    fn a_long_gap_between_readings_counts_as_a_stall() {
        let stalls = Stalls::default();
        for elapsed_ms in [0, 250, 1_200, 900, 2_100, 7_100, 7_200] {
            stalls.note(elapsed_ms);
        }
        assert_eq!(stalls.stalled_ms.load(Ordering::SeqCst), 5_000);
        let clock = Clock::manual(Moment::from_millis(10));
        clock.advance(Duration::from_secs(9));
        clock.stall(Duration::from_secs(2));
        let (at, stalled_ms) = (Moment::from_millis(11_010), 2_000);
        assert_eq!(clock.arrival(), Arrival { at, stalled_ms });
    }

    #[test]
    fn a_step_of_the_wall_clock_is_reported_once() {
        let wall = WallClock::default();
        let steps: Vec<_> = [0, 3, -40, 999, 5_000, 5_001, 4_500, -100, 3_600_000]
            .into_iter()
            .filter_map(|ahead_ms| wall.note(ahead_ms))
            .collect();
        assert_eq!(steps, [5_000, -5_100, 3_600_100]);
        assert_eq!(Clock::manual(Moment::from_millis(0)).wall_step_ms(), None);
        assert_eq!(Clock::system().wall_step_ms(), None);
    }

    #[tokio::test]
    async fn a_sleeper_wakes_when_a_manual_clock_is_advanced_far_enough() {
        let clock = Clock::manual(Moment::from_millis(0));
        clock.sleep_until(Moment::from_millis(0)).await;
        let sleeper = tokio::spawn({
            let clock = clock.clone();
            async move { clock.sleep_until(Moment::from_millis(2000)).await }
        });
        tokio::task::yield_now().await;
        clock.advance(Duration::from_secs(1));
        tokio::task::yield_now().await;
        assert!(!sleeper.is_finished());
        clock.advance(Duration::from_secs(1));
        sleeper.await.unwrap();
    }

    #[tokio::test]
    async fn a_wait_that_is_given_up_leaves_nothing_behind() {
        let clock = Clock::manual(Moment::from_millis(0));
        let at_once = clock.timeout(Duration::from_secs(5), async { 7 }).await;
        assert_eq!((at_once, clock.next_wake()), (Some(7), None));
        let waiting = tokio::spawn({
            let clock = clock.clone();
            async move { clock.timeout(Duration::from_secs(5), std::future::pending::<()>()).await }
        });
        tokio::task::yield_now().await;
        assert_eq!(clock.next_wake(), Some(Moment::from_millis(5_000)));
        clock.advance(Duration::from_secs(5));
        assert_eq!((waiting.await.unwrap(), clock.next_wake()), (None, None));
    }

    #[test]
    fn the_system_clock_does_not_go_back_and_cannot_be_advanced() {
        let clock = Clock::system();
        let before = clock.now();
        clock.advance(Duration::from_secs(1_000_000));
        assert!(clock.now() >= before);
        assert!(clock.now().as_millis() < before.as_millis() + 900_000_000);
    }
}
