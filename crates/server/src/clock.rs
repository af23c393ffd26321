//! What time it is.
//!
//! The clock is a value that is passed around, so that tests decide how time goes. It never goes
//! back: the date is asked once, at the start, and from then on only elapsed time counts. So an
//! operator who sets the date of the machine does not decide games.

use core::time::Duration;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use castellan_game::Moment;
use tokio::sync::Notify;

/// A source of time. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Clock(Arc<Source>);

#[derive(Debug)]
enum Source {
    System { began: Instant, began_ms: u64 },
    Manual { now: AtomicU64, pushed: Notify },
}

impl Clock {
    /// The clock of this machine.
    pub fn system() -> Clock {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Clock(Arc::new(Source::System { began: Instant::now(), began_ms: to_ms(since_1970) }))
    }

    /// A clock that stands still until it is told to [`advance`](Clock::advance).
    pub fn manual(now: Moment) -> Clock {
        let now = AtomicU64::new(now.as_millis());
        Clock(Arc::new(Source::Manual { now, pushed: Notify::new() }))
    }

    /// The time on the server's wall clock.
    pub fn now(&self) -> Moment {
        Moment::from_millis(match &*self.0 {
            Source::System { began, began_ms } => began_ms.saturating_add(to_ms(began.elapsed())),
            Source::Manual { now, .. } => now.load(Ordering::SeqCst),
        })
    }

    /// Lets time pass on a manual clock; the clock of the machine cannot be pushed.
    pub fn advance(&self, by: Duration) {
        if let Source::Manual { now, pushed } = &*self.0 {
            now.fetch_add(to_ms(by), Ordering::SeqCst);
            pushed.notify_waiters();
        }
    }

    /// Waits until this clock shows a moment.
    pub async fn sleep_until(&self, moment: Moment) {
        match &*self.0 {
            Source::System { .. } => {
                let left_ms = moment.since_ms(self.now());
                tokio::time::sleep(Duration::from_millis(left_ms)).await;
            }
            Source::Manual { pushed, .. } => loop {
                // Whoever is asked before the clock is read misses no push.
                let pushed = pushed.notified();
                if self.now() >= moment {
                    return;
                }
                pushed.await;
            },
        }
    }
}

/// Rate limits count by the same clock.
impl governor::clock::Clock for Clock {
    type Instant = Duration;

    fn now(&self) -> Duration {
        match &*self.0 {
            Source::System { began, .. } => began.elapsed(),
            Source::Manual { now, .. } => Duration::from_millis(now.load(Ordering::SeqCst)),
        }
    }
}

fn to_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_goes_only_when_told() {
        let clock = Clock::manual(Moment::from_millis(1000));
        let same = clock.clone();
        assert_eq!(clock.now(), Moment::from_millis(1000));
        same.advance(Duration::from_secs(2));
        assert_eq!(clock.now(), Moment::from_millis(3000));
    }

    #[tokio::test]
    async fn a_sleeper_wakes_when_a_manual_clock_is_pushed_far_enough() {
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

    #[test]
    fn the_system_clock_does_not_go_back_and_cannot_be_pushed() {
        let clock = Clock::system();
        let before = clock.now();
        clock.advance(Duration::from_secs(1_000_000));
        assert!(clock.now() >= before);
        assert!(clock.now().as_millis() < before.as_millis() + 900_000_000);
    }
}
