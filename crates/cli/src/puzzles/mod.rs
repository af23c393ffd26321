//! `castellan puzzles`: makes puzzles from games.
//!
//! This module distributes the games among threads, writes the puzzles in the order of the games,
//! and continues an interrupted run. It leaves finding puzzles to `castellan-puzzles`.

mod games;
mod output;
mod progress;
mod record;
mod work;

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use anyhow::bail;
use castellan_engine::Signals;
use castellan_puzzles::Effort;
use clap::Args;

use crate::CommandStatus;
use crate::limits;
use crate::pgn::limits::THREADS;
use crate::pgn::source::STDIN;
use crate::terminal::on_interrupt;
use games::GameSource;
use output::{PuzzleOutput, RunSettings};
use record::PuzzleFormat;

/// Make puzzles from the games of PGN files
///
/// A puzzle is a position after a mistake in which one move is clearly the best, according to two
/// searches. The solution goes on while the solver has only one good move. The last line is
/// `games N puzzles N duplicates N`. The same games and the same --nodes give the same puzzles,
/// whatever the number of threads.
#[derive(Args)]
#[command(after_help = "Examples:\n  castellan puzzles games.pgn > puzzles.pgn\n  \
        castellan puzzles --json --output puzzles.jsonl games.pgn.zst\n\n\
        With --output, a run that was interrupted continues where it stopped: run the same \
        command again. FILE.state records the progress and is removed at the end.")]
pub(crate) struct PuzzlesArgs {
    /// Input files, possibly compressed; `-` or none for standard input
    #[arg(value_name = "GAMES")]
    files: Vec<String>,
    /// Write to this file, and continue an interrupted run
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object per line instead of PGN
    #[arg(long)]
    json: bool,
    /// Positions to search for the first check of a move; the second searches four times as many
    #[arg(long, value_name = "N", default_value_t = Effort::CHECK_NODES,
        value_parser = clap::value_parser!(u64)
            .range(limits::PUZZLE_NODES[0] as u64..=limits::PUZZLE_NODES[1] as u64))]
    nodes: u64,
    /// Stop when there are this many puzzles
    #[arg(long, value_name = "N", default_value_t = limits::PUZZLES,
        value_parser = clap::value_parser!(u64).range(1..=limits::PUZZLES))]
    max: u64,
    /// Stop after this many games; a later run continues after them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Number of threads; by default all cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=THREADS))]
    threads: Option<u16>,
}

/// Why no more games are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// All games are done.
    Complete,
    /// The limit on puzzles or games is reached.
    Limit,
    /// The user has interrupted the run.
    Interrupted,
}

/// Runs the command.
pub(crate) fn run(args: &PuzzlesArgs) -> anyhow::Result<CommandStatus> {
    let files = if args.files.is_empty() { vec![STDIN.to_owned()] } else { args.files.clone() };
    let format = if args.json { PuzzleFormat::Json } else { PuzzleFormat::Pgn };
    let settings = RunSettings::new(&files, format, args.nodes);
    let mut output = match &args.output {
        Some(path) => PuzzleOutput::file(path, settings)?,
        None => PuzzleOutput::stdout(settings),
    };
    let signals = Arc::new(Signals::default());
    let interrupted = Arc::clone(&signals);
    on_interrupt(move || interrupted.stop.swap(true, Ordering::Relaxed))?;
    let source = GameSource::new(files, output.counts().games);
    let threads = || thread::available_parallelism().map_or(1, NonZero::get);
    let task = work::Task {
        effort: Effort::new(args.nodes),
        threads: args.threads.map_or_else(threads, usize::from),
        most_puzzles: args.max,
        most_games: args.games,
    };
    let (end, failures) = work::run(source, &task, &signals, &mut output)?;
    output.finish(end)?;
    if end == End::Interrupted {
        let games = output.counts().games;
        let advice =
            if args.output.is_some() { "; run the same command again to continue" } else { "" };
        bail!("interrupted after {games} games{advice}");
    }
    if failures > 0 {
        bail!("some input could not be read");
    }
    Ok(CommandStatus::Success)
}
