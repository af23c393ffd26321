//! A progress bar on standard error.

use std::time::{Duration, Instant};

use crate::status_line::StatusLine;

/// How long to wait before the bar appears.
const SHOW_AFTER: Duration = Duration::from_secs(1);
const BAR_COLUMNS: usize = 30;

/// The progress of the work so far.
pub(super) struct PgnProgress {
    start: Instant,
    games: u64,
    bar: StatusLine,
}

impl PgnProgress {
    /// Starts the progress of work that begins now.
    pub(super) fn new() -> PgnProgress {
        PgnProgress { start: Instant::now(), games: 0, bar: StatusLine::new() }
    }

    /// Adds finished games and shows the bar; `share` is the share of all bytes read so far.
    pub(super) fn show(&mut self, games: u64, share: Option<f64>) {
        self.games += games;
        let elapsed = self.start.elapsed();
        if elapsed >= SHOW_AFTER {
            self.bar.show(&line(self.games, elapsed, share));
        }
    }

    /// Clears the bar, so that other output can be written.
    pub(super) fn clear(&self) {
        self.bar.clear();
    }
}

fn line(games: u64, elapsed: Duration, share: Option<f64>) -> String {
    let speed = games as f64 / elapsed.as_secs_f64().max(1e-6);
    let counts = format!("{games} games, {speed:.0} games/s");
    let Some(share) = share else { return counts };
    let full = (share * BAR_COLUMNS as f64) as usize;
    let bar = "#".repeat(full) + &"-".repeat(BAR_COLUMNS.saturating_sub(full));
    format!("[{bar}] {:3.0} %  {counts}", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_and_how_fast() {
        let two_seconds = Duration::from_secs(2);
        assert_eq!(line(3000, two_seconds, None), "3000 games, 1500 games/s");
        let half = "[###############---------------]  50 %  8 games, 4 games/s";
        assert_eq!(line(8, two_seconds, Some(0.5)), half);
        let full = format!("[{}] 100 %  8 games, 4 games/s", "#".repeat(30));
        assert_eq!(line(8, two_seconds, Some(1.0)), full);
    }
}
