//! The only time limit of the tests.
//!
//! Tests wait for events, never for a fixed time, and the limit only ends a test that hangs. It
//! is far longer than anything takes on a slow and busy machine, so that no test depends on the
//! speed of the machine.

use std::thread;
use std::time::{Duration, Instant};

/// How long a test waits for one event before it fails.
pub const LIMIT: Duration = Duration::from_secs(120);

/// How often [`wait_until`] checks the condition.
const INTERVAL: Duration = Duration::from_millis(5);

/// Waits until a condition holds.
///
/// # Panics
///
/// Panics if the condition does not hold within [`LIMIT`]; `what` describes it.
#[track_caller]
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + LIMIT;
    while !condition() {
        assert!(Instant::now() < deadline, "gave up waiting: {what}");
        thread::sleep(INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_checked_until_it_holds() {
        let mut checks = 0;
        wait_until("three checks", || {
            checks += 1;
            checks == 3
        });
        assert_eq!(checks, 3);
    }
}
