//! How long somebody waits for an answer, and what they see meanwhile.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use castellan_legality::Value;
use castellan_legality::message::{Language, Phrase, phrase};

/// A deadline, and a line on standard error while it is not there yet.
pub(super) struct Patience {
    start: Instant,
    limit: Option<Duration>,
    language: Option<Language>,
    shown_s: Cell<u64>,
}

impl Patience {
    /// Patience that begins now. With a language, seconds are counted on standard error if that
    /// is a terminal.
    pub(super) fn new(limit: Option<Duration>, language: Option<Language>) -> Patience {
        let language = language.filter(|_| io::stderr().is_terminal());
        Patience { start: Instant::now(), limit, language, shown_s: Cell::new(0) }
    }

    /// Whether it has run out.
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

impl Drop for Patience {
    fn drop(&mut self) {
        if self.shown_s.get() > 0 {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// How many FENs of a list are answered, on standard error if that is a terminal and the answers
/// go elsewhere.
pub(super) struct Tally {
    start: Instant,
    shown_s: u64,
    answered: u64,
    is_wanted: bool,
}

impl Tally {
    /// A list that begins now.
    pub(super) fn new() -> Tally {
        let is_wanted = io::stderr().is_terminal() && !io::stdout().is_terminal();
        Tally { start: Instant::now(), shown_s: 0, answered: 0, is_wanted }
    }

    /// One more is answered.
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

impl Drop for Tally {
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
        assert!(Patience::new(Some(Duration::ZERO), None).is_over());
        assert!(!Patience::new(Some(Duration::from_secs(3600)), None).is_over());
        assert!(!Patience::new(None, None).is_over());
    }
}
