//! Time limits for the examination of FENs, and progress messages.

use std::cell::Cell;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use castellan_legality::Value;
use castellan_legality::message::{Language, Phrase, phrase};

use crate::status_line::StatusLine;

/// A deadline, with the elapsed time shown on standard error until it passes.
pub(super) struct Deadline {
    start: Instant,
    limit: Option<Duration>,
    display: Option<(Language, StatusLine)>,
    shown_s: Cell<u64>,
}

impl Deadline {
    /// Starts a time limit now. With a language, the elapsed seconds are shown on standard error
    /// if that is a terminal.
    pub(super) fn new(limit: Option<Duration>, language: Option<Language>) -> Deadline {
        let display = language.map(|language| (language, StatusLine::new()));
        Deadline { start: Instant::now(), limit, display, shown_s: Cell::new(0) }
    }

    /// Returns whether the time limit has passed, and updates the display.
    pub(super) fn is_over(&self) -> bool {
        let elapsed = self.start.elapsed();
        if let Some((language, line)) = &self.display
            && self.shown_s.replace(elapsed.as_secs()) != elapsed.as_secs()
        {
            let seconds = Value::Number(elapsed.as_secs());
            line.show(&phrase(Phrase::Searching, &[seconds], *language));
        }
        self.limit.is_some_and(|limit| elapsed >= limit)
    }
}

/// Shows how many FENs of a list are done, on standard error if that is a terminal and the
/// answers go elsewhere.
pub(super) struct ListProgress {
    start: Instant,
    shown_s: u64,
    answered: u64,
    line: Option<StatusLine>,
}

impl ListProgress {
    /// Starts the count of a list.
    pub(super) fn new() -> ListProgress {
        let line = (!io::stdout().is_terminal()).then(StatusLine::new);
        ListProgress { start: Instant::now(), shown_s: 0, answered: 0, line }
    }

    /// Counts one more FEN.
    pub(super) fn count(&mut self) {
        self.answered += 1;
        let Some(line) = &self.line else { return };
        let seconds = self.start.elapsed().as_secs();
        if seconds != self.shown_s {
            self.shown_s = seconds;
            line.show(&format!("{} FEN, {seconds} s", self.answered));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_passes_at_its_limit_and_never_without_one() {
        assert!(Deadline::new(Some(Duration::ZERO), None).is_over());
        assert!(!Deadline::new(Some(Duration::from_secs(3600)), None).is_over());
        assert!(!Deadline::new(None, None).is_over());
    }
}
