//! The `castellan` binary: a command line interface to every part of the system.
//!
//! This crate handles arguments, exit codes and terminal output. It contains no chess logic; the
//! library crates provide that.
//!
//! Results go to standard output and everything else to standard error. The exit code is 0 on
//! success, 1 if the command ran and the answer is "no" or it found something, and 2 if the
//! command could not run as requested. A reader that closes the pipe early has seen enough, so
//! that is a success.

mod admin;
mod backup;
mod bench;
mod board;
mod counted;
mod dead;
mod fen;
mod input_lines;
mod limits;
#[path = "match/mod.rs"]
mod match_command;
mod migrate;
mod network;
mod perft;
mod pgn;
mod play;
mod puzzles;
mod serve;
mod status_line;
mod terminal;
mod uci;
mod wrap;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

// Linked for its processor check, which runs before `main`.
use castellan_arch as _;
use clap::{Parser, Subcommand};

/// The allocator of musl has a single lock for all threads, on which the server would wait.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A complete chess system. Without a command, runs `castellan play`.
#[derive(Parser)]
#[command(
    name = "castellan",
    version,
    after_help = "Examples:\n  castellan\n  castellan perft 5 --divide\n  \
        castellan fen \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"\n\n\
        Exit codes: 0 success, 1 the answer is no or problems were found, 2 the command could \
        not run."
)]
struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Play(play::PlayArgs),
    Serve(Box<serve::ServeArgs>),
    Admin(Box<admin::AdminArgs>),
    Backup(backup::BackupArgs),
    Restore(backup::RestoreArgs),
    Migrate(migrate::MigrateArgs),
    Fen(fen::FenArgs),
    Dead(dead::DeadArgs),
    Perft(perft::PerftArgs),
    Pgn(pgn::PgnArgs),
    Puzzles(puzzles::PuzzlesArgs),
    Uci(uci::UciArgs),
    Bench(bench::BenchArgs),
    Match(Box<match_command::MatchArgs>),
}

/// The result of a command that ran; it determines the exit code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum CommandStatus {
    /// Exit code 0.
    Success,
    /// The answer is "no", or problems were found: exit code 1.
    Found,
}

impl CommandStatus {
    fn found_if(is_found: bool) -> CommandStatus {
        if is_found { CommandStatus::Found } else { CommandStatus::Success }
    }
}

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // If the message cannot be printed, there is no way left to report it.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match run(&args) {
        Ok(CommandStatus::Success) => ExitCode::SUCCESS,
        Ok(CommandStatus::Found) => ExitCode::from(1),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> anyhow::Result<CommandStatus> {
    match &args.command {
        None => play::run(&play::PlayArgs::default()),
        Some(Command::Play(args)) => play::run(args),
        Some(Command::Serve(args)) => serve::run(args),
        Some(Command::Admin(args)) => admin::run(args),
        Some(Command::Backup(args)) => backup::run(args),
        Some(Command::Restore(args)) => backup::run_restore(args),
        Some(Command::Migrate(args)) => migrate::run(args),
        Some(Command::Fen(args)) => fen::run(args),
        Some(Command::Dead(args)) => dead::run(args),
        Some(Command::Perft(args)) => perft::run(args),
        Some(Command::Pgn(args)) => pgn::run(args),
        Some(Command::Puzzles(args)) => puzzles::run(args),
        Some(Command::Uci(args)) => uci::run(args),
        Some(Command::Bench(args)) => bench::run(args),
        Some(Command::Match(args)) => match_command::run(args),
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_make_sense_to_clap() {
        Args::command().debug_assert();
    }

    #[test]
    fn only_a_closed_pipe_is_a_closed_pipe() {
        let error = |kind| anyhow::Error::new(io::Error::from(kind)).context("cannot write");
        assert!(is_closed_pipe(&error(ErrorKind::BrokenPipe)));
        assert!(!is_closed_pipe(&error(ErrorKind::StorageFull)));
    }
}
