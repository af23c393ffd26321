//! A line on standard error that says how far the work is.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often progress is logged when it cannot be redrawn in place.
const LOG_INTERVAL: Duration = Duration::from_secs(30);

/// A line that is redrawn in place if standard error is a terminal. It disappears when it is
/// dropped.
pub(crate) struct StatusLine {
    is_terminal: bool,
    is_shown: Cell<bool>,
    logged: Cell<Instant>,
}

impl StatusLine {
    /// Creates a line without text.
    pub(crate) fn new() -> StatusLine {
        StatusLine {
            is_terminal: io::stderr().is_terminal(),
            is_shown: Cell::new(false),
            logged: Cell::new(Instant::now()),
        }
    }

    /// Shows a text in the place of the last one, if standard error is a terminal.
    pub(crate) fn show(&self, text: &str) {
        if self.is_terminal {
            self.is_shown.set(true);
            // If the text cannot be shown, there is no way left to report that.
            let _ = write!(io::stderr(), "\r\x1b[K{text}");
        }
    }

    /// Shows a text like [`show`](StatusLine::show); if standard error is not a terminal, writes
    /// the text on a line of its own from time to time.
    pub(crate) fn show_or_log(&self, text: impl FnOnce() -> String) {
        if self.is_terminal {
            self.show(&text());
        } else if self.logged.get().elapsed() >= LOG_INTERVAL {
            self.logged.set(Instant::now());
            let _ = writeln!(io::stderr(), "{}", text());
        }
    }

    /// Removes the text, so that other output can be written.
    pub(crate) fn clear(&self) {
        if self.is_shown.replace(false) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.clear();
    }
}
