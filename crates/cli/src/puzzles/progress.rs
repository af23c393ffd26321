//! The progress of a run, on standard error.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use super::output::RunCounts;

/// How often progress is logged when it cannot be redrawn in place.
const LOG_INTERVAL: Duration = Duration::from_secs(30);

/// Shows how many games are done.
pub(super) struct PuzzleProgress {
    begin: Instant,
    /// The counts at the beginning, from earlier runs.
    earlier: RunCounts,
    shown: Instant,
    is_terminal: bool,
}

impl PuzzleProgress {
    /// Starts the progress of work that begins now.
    pub(super) fn new(earlier: RunCounts) -> PuzzleProgress {
        let now = Instant::now();
        PuzzleProgress { begin: now, earlier, shown: now, is_terminal: io::stderr().is_terminal() }
    }

    /// Shows the counts; `share` is the share of all bytes read so far.
    pub(super) fn show(&mut self, counts: RunCounts, share: Option<f64>) {
        if !self.is_terminal && self.shown.elapsed() < LOG_INTERVAL {
            return;
        }
        self.shown = Instant::now();
        let line = line(counts, self.earlier, self.begin.elapsed(), share);
        // If the progress cannot be shown, there is no way left to report that.
        let _ = if self.is_terminal {
            write!(io::stderr(), "\r\x1b[K{line}")
        } else {
            writeln!(io::stderr(), "{line}")
        };
    }

    /// Clears the line, so that other output can be written.
    pub(super) fn clear(&self) {
        if self.is_terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn line(counts: RunCounts, earlier: RunCounts, elapsed: Duration, share: Option<f64>) -> String {
    let RunCounts { games, puzzles, .. } = counts;
    let minutes = elapsed.as_secs_f64().max(1e-3) / 60.0;
    let speed = (puzzles - earlier.puzzles.min(puzzles)) as f64 / minutes;
    let read = share.map_or_else(String::new, |share| format!("{:3.0} % read, ", share * 100.0));
    format!("{read}{games} games, {puzzles} puzzles, {speed:.1} puzzles/min")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_counts_all_runs_and_measures_this_one() {
        let earlier = RunCounts { games: 10, puzzles: 4, duplicates: 0 };
        let counts = RunCounts { games: 30, puzzles: 10, duplicates: 1 };
        let minute = Duration::from_secs(60);
        let shown = line(counts, earlier, minute, Some(0.5));
        assert_eq!(shown, " 50 % read, 30 games, 10 puzzles, 6.0 puzzles/min");
        assert_eq!(line(counts, earlier, minute, None), shown[12..]);
    }
}
