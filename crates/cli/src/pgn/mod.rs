//! `castellan pgn`: works on PGN files of any size and in any style.
//!
//! This module finds and decompresses the files, distributes the work among threads, and formats
//! the results. It leaves the parsing of games to `castellan-pgn`.

mod check;
pub(crate) mod feed;
mod finding;
mod format;
pub(crate) mod limits;
mod name_counts;
mod pipeline;
mod progress;
pub(crate) mod source;
mod stats;

use std::num::NonZero;
use std::thread;

use anyhow::bail;
use clap::{Args, Subcommand};

use crate::CommandStatus;
use pipeline::Reading;

/// Check, reformat or count games in PGN files
///
/// Files may be compressed with zstd, gzip or bzip2, regardless of their names.
#[derive(Args)]
#[command(after_help = "Examples:\n  castellan pgn check games.pgn.zst\n  \
        castellan pgn format games.pgn > standard.pgn\n  castellan pgn stats --json games.pgn")]
pub(crate) struct PgnArgs {
    #[command(subcommand)]
    command: PgnCommand,
}

#[derive(Subcommand)]
enum PgnCommand {
    Check(check::CheckArgs),
    Format(format::FormatArgs),
    Stats(stats::StatsArgs),
}

/// Options of all three commands.
#[derive(Args)]
struct InputArgs {
    /// Input files; `-` or none for standard input
    #[arg(value_name = "FILE")]
    files: Vec<String>,
    /// Number of threads; by default all cores
    #[arg(long, value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=limits::THREADS))]
    threads: Option<u16>,
}

/// Runs the command.
pub(crate) fn run(args: &PgnArgs) -> anyhow::Result<CommandStatus> {
    match &args.command {
        PgnCommand::Check(args) => check::run(args),
        PgnCommand::Format(args) => format::run(args),
        PgnCommand::Stats(args) => stats::run(args),
    }
}

impl InputArgs {
    fn files(&self) -> Vec<String> {
        if self.files.is_empty() { vec![source::STDIN.to_owned()] } else { self.files.clone() }
    }

    fn threads(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.map_or_else(cores, usize::from)
    }
}

/// Returns the status of a command that has printed everything it could. Unreadable files have
/// already been reported, and make the command fail because the result is incomplete. `is_found`
/// says whether the command found problems.
fn status(reading: Reading, is_found: bool) -> anyhow::Result<CommandStatus> {
    match reading {
        Reading::Incomplete => bail!("some input could not be read"),
        Reading::Complete => Ok(CommandStatus::found_if(is_found)),
    }
}
