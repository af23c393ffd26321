//! Shows the user which step of a long command is running.

use std::time::Instant;

/// The steps of a command that takes minutes.
pub(crate) struct Progress {
    total: usize,
    started: usize,
    since: Instant,
}

impl Progress {
    /// Starts the timer of a command with `total` steps.
    pub(crate) fn new(total: usize) -> Progress {
        Progress { total, started: 0, since: Instant::now() }
    }

    /// Prints the next step and how long it takes the first time.
    pub(crate) fn step(&mut self, what: &str, first_time: &str) {
        self.started += 1;
        eprintln!("\n[{}/{}] {what} (about {first_time} the first time)", self.started, self.total);
    }

    /// Prints how long all steps took.
    pub(crate) fn finish(&self) {
        eprintln!("\nEverything is built ({} s).", self.since.elapsed().as_secs());
    }
}
