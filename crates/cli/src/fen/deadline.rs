//! Time limits for the examination of FENs, and progress messages.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use castellan_legality::Value;
use castellan_legality::message::{Language, Phrase, phrase};

/// A deadline, with the elapsed time shown on standard error until it passes.
pub(super) struct Deadline {
    start: Instant,
    limit: Option<Duration>,
    language: Option<Language>,
    shown_s: Cell<u64>,
}

impl Deadline {
    /// Starts a time limit now. With a language, the elapsed seconds are shown on standard error
    /// if that is a terminal.
    pub(super) fn new(limit: Option<Duration>, language: Option<Language>) -> Deadline {
        let language = language.filter(|_| io::stderr().is_terminal());
        Deadline { start: Instant::now(), limit, language, shown_s: Cell::new(0) }
    }

    /// Returns whether the time limit has passed, and updates the display.
    pub(super) fn is_over(&self) -> bool {
        let elapsed = self.start.elapsed();
        if let Some(language) = self.language {
            self.show(elapsed, language);
        }
        self.limit.is_some_and(|limit| elapsed >= limit)
    }

    fn show(&self, elapsed: Duration, language: Language) {
        let seconds = elapsed.as_secs();
        if self.shown_s.replace(seconds) != seconds {
            let text = phrase(Phrase::Searching, &[Value::Number(seconds)], language);
            let _ = write!(io::stderr(), "\r\x1b[K{text}");
        }
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        if self.shown_s.get() > 0 {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// Shows how many FENs of a list are done, on standard error if that is a terminal and the
/// answers go elsewhere.
pub(super) struct ListProgress {
    start: Instant,
    shown_s: u64,
    answered: u64,
    is_wanted: bool,
}

impl ListProgress {
    /// Starts the count of a list.
    pub(super) fn new() -> ListProgress {
        let is_wanted = io::stderr().is_terminal() && !io::stdout().is_terminal();
        ListProgress { start: Instant::now(), shown_s: 0, answered: 0, is_wanted }
    }

    /// Counts one more FEN.
    pub(super) fn count(&mut self) {
        self.answered += 1;
        if !self.is_wanted {
            return;
        }
        let seconds = self.start.elapsed().as_secs();
        if seconds != self.shown_s {
            self.shown_s = seconds;
            let _ = write!(io::stderr(), "\r\x1b[K{} FEN, {seconds} s", self.answered);
        }
    }
}

impl Drop for ListProgress {
    fn drop(&mut self) {
        if self.shown_s > 0 {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends_at_its_limit_and_not_without_one() {
        assert!(Deadline::new(Some(Duration::ZERO), None).is_over());
        assert!(!Deadline::new(Some(Duration::from_secs(3600)), None).is_over());
        assert!(!Deadline::new(None, None).is_over());
    }
}
