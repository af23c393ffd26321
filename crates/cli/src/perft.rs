//! `castellan perft`: counts move sequences of a given length.
//!
//! The work is split into the positions after two plies, which are enough to keep every thread
//! busy until the end; each thread takes the next position that is left. The sums do not depend
//! on which thread counts what, so any number of threads gives the same result.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use castellan_rules::{CastlingSpelling, Move, Position, UciMove, perft};
use clap::Args;

use crate::fen::read_position;
use crate::status_line::StatusLine;
use crate::{CommandStatus, limits};

/// How often the progress is updated.
const SHOW_PERIOD: Duration = Duration::from_millis(200);
/// Shorter work is not worth a message.
const SHOW_AFTER: Duration = Duration::from_secs(1);

/// Count move sequences of a given length
///
/// Counts every sequence of exactly DEPTH legal moves. The counts for well-known positions are
/// published, so this tests the move generator. The last line is `nodes N`; the time goes to
/// standard error.
#[derive(Args)]
#[command(after_help = "Examples:\n  castellan perft 6 --threads 2\n  \
        castellan perft 4 --divide --fen \"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\"")]
pub(crate) struct PerftArgs {
    /// Depth in plies
    #[arg(value_parser = clap::value_parser!(u32).range(0..=limits::PERFT_DEPTH))]
    depth: u32,
    /// Position to start from, in quotes; by default the starting position
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// Also print the count for each first move
    #[arg(long)]
    divide: bool,
    /// Write castling as in Chess960: king takes rook
    #[arg(long)]
    chess960: bool,
    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=limits::PERFT_THREADS))]
    threads: u16,
}

/// Runs the command.
pub(crate) fn run(args: &PerftArgs) -> anyhow::Result<CommandStatus> {
    let position = args.fen.as_deref().map_or_else(|| Ok(Position::start()), read_position)?;
    let start = Instant::now();
    let line = StatusLine::new();
    let show = |taken: usize, total: usize| {
        if start.elapsed() >= SHOW_AFTER {
            let percent = taken.min(total) * 100 / total.max(1);
            line.show(&format!("counting, {percent} %"));
        }
    };
    let counts = count(&position, args.depth, args.threads.into(), &show);
    drop(line);
    let elapsed = start.elapsed();
    let nodes = if args.depth == 0 { 1 } else { counts.iter().map(|(_, count)| count).sum() };
    let mut out = io::stdout().lock();
    if args.divide {
        let spelling = CastlingSpelling::for_game(args.chess960 || position.is_chess960());
        for line in divided(&counts, spelling) {
            writeln!(out, "{line}")?;
        }
        writeln!(out)?;
    }
    // A closed standard error is no reason to withhold the result.
    let _ = writeln!(io::stderr(), "{}", speed(nodes, elapsed));
    writeln!(out, "nodes {nodes}")?;
    Ok(CommandStatus::Success)
}

/// Formats one line per move, sorted, so that the lists of two programs can be compared.
fn divided(counts: &[(Move, u64)], spelling: CastlingSpelling) -> Vec<String> {
    let text =
        |(mv, count): &(Move, u64)| format!("{}: {count}", UciMove::from_move(*mv, spelling));
    let mut lines: Vec<String> = counts.iter().map(text).collect();
    lines.sort_unstable();
    lines
}

fn speed(nodes: u64, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    // Below a microsecond the clock says nothing about speed.
    let per_second = nodes as f64 / seconds.max(1e-6);
    format!("{seconds:.3} s, {:.1} million nodes/s", per_second / 1e6)
}

/// A position to count from, and the index of the first move that led to it.
struct Job {
    first_move: usize,
    position: Position,
}

/// Counts the sequences that start with each legal move. The result is empty for a depth of 0.
/// Meanwhile `show` is called with the number of jobs that are taken, and of all jobs.
fn count(
    position: &Position,
    depth: u32,
    threads: usize,
    show: &dyn Fn(usize, usize),
) -> Vec<(Move, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    let moves = position.legal_moves();
    let plies = if depth > 2 { 2 } else { 1 };
    let jobs = jobs(position, plies);
    let counts: Vec<AtomicU64> = moves.iter().map(|_| AtomicU64::new(0)).collect();
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (done, all_done) = mpsc::channel::<()>();
        for _ in 0..threads.min(jobs.len()) {
            let done = done.clone();
            let (jobs, counts, next) = (&jobs, &counts, &next);
            scope.spawn(move || {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let nodes = perft(&job.position, depth - plies);
                    counts[job.first_move].fetch_add(nodes, Ordering::Relaxed);
                }
                drop(done);
            });
        }
        drop(done);
        // Nothing is ever sent: the channel closes when the last thread is done.
        while all_done.recv_timeout(SHOW_PERIOD) == Err(RecvTimeoutError::Timeout) {
            show(next.load(Ordering::Relaxed), jobs.len());
        }
    });
    moves.iter().copied().zip(counts.into_iter().map(AtomicU64::into_inner)).collect()
}

/// Returns every position after one or two plies.
fn jobs(position: &Position, plies: u32) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (first_move, &mv) in position.legal_moves().iter().enumerate() {
        let after_one = position.play_unchecked(mv);
        if plies == 1 {
            jobs.push(Job { first_move, position: after_one });
            continue;
        }
        let replies = after_one.legal_moves();
        let after_two = replies.iter().map(|&reply| after_one.play_unchecked(reply));
        jobs.extend(after_two.map(|position| Job { first_move, position }));
    }
    jobs
}

#[cfg(test)]
mod tests {
    use castellan_testkit::perft::{Suite, suite};

    use super::*;

    #[test]
    fn any_number_of_threads_gives_the_published_counts() {
        let cases = [Suite::Classic, Suite::Castling, Suite::Promotion].into_iter().flat_map(suite);
        for case in cases {
            let position = Position::from_fen(case.fen).unwrap();
            for (depth, nodes) in case.counts.into_iter().filter(|(_, nodes)| *nodes < 1_000_000) {
                for threads in [1, 3] {
                    let counts = count(&position, depth, threads, &|_, _| {});
                    let sum: u64 = counts.iter().map(|(_, count)| count).sum();
                    assert_eq!(sum, nodes, "{} depth {depth} threads {threads}", case.fen);
                }
            }
        }
    }

    #[test]
    fn each_move_has_its_own_count() {
        let position = Position::start();
        for depth in 1..=4 {
            for (mv, nodes) in count(&position, depth, 2, &|_, _| {}) {
                assert_eq!(nodes, perft(&position.play(mv).unwrap(), depth - 1), "{mv:?}");
            }
        }
    }

    #[test]
    fn a_position_without_moves_has_no_lines() {
        let stalemate = Position::from_fen("7k/5Q2/6K1/8/8/8/8/8 b - -").unwrap();
        assert_eq!(count(&stalemate, 3, 4, &|_, _| {}), []);
    }

    #[test]
    fn the_speed_of_nothing_is_no_division_by_zero() {
        assert_eq!(speed(1, Duration::ZERO), "0.000 s, 1.0 million nodes/s");
        assert_eq!(speed(5_000_000, Duration::from_millis(2500)), "2.500 s, 2.0 million nodes/s");
    }
}
