//! The progress of a run, on standard error.

use std::time::{Duration, Instant};

use super::output::RunCounts;
use crate::status_line::StatusLine;

/// Shows how many games are done.
pub(super) struct PuzzleProgress {
    begin: Instant,
    /// The counts at the beginning, from earlier runs.
    earlier: RunCounts,
    status: StatusLine,
}

impl PuzzleProgress {
    /// Starts the progress of work that begins now.
    pub(super) fn new(earlier: RunCounts) -> PuzzleProgress {
        PuzzleProgress { begin: Instant::now(), earlier, status: StatusLine::new() }
    }

    /// Shows the counts; `share` is the share of all bytes read so far.
    pub(super) fn show(&self, counts: RunCounts, share: Option<f64>) {
        self.status.show_or_log(|| line(counts, self.earlier, self.begin.elapsed(), share));
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
