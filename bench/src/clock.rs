//! Measures how long a piece of work keeps the processor busy.
//!
//! This module chooses the clock. On Unix it is the processor time of this thread, so that
//! another program on the same core does not count against the contestant that runs at that
//! moment. On other systems it is the monotonic clock, and taking the best of several rounds has
//! to suffice.

use std::time::Duration;

/// Runs `work` once and returns its result and the time it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = now();
    let result = work();
    (result, now().saturating_sub(start))
}

#[cfg(unix)]
fn now() -> Duration {
    use rustix::time::{ClockId, clock_gettime};

    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).expect("a thread has never run for a negative time");
    let nanoseconds = u32::try_from(time.tv_nsec).expect("a second has fewer than 2^32 of them");
    Duration::new(seconds, nanoseconds)
}

#[cfg(not(unix))]
fn now() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;

    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
