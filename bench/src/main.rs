//! Benchmarks of Castellan against its peers, in one process.
//!
//! This file defines the command line and the exit codes: 0 if everything was measured, 1 if a
//! contestant was wrong or a file could not be read, 2 if the command line is invalid. Each
//! benchmark is a module of its own.

use std::process::ExitCode;

use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};

mod clock;
mod contest;
mod engine;
mod fen;
mod levels;
mod movegen;
mod pgn;
#[cfg(unix)]
mod server;
mod unwinnable;

/// Compares Castellan with its peers and prints `ratio WHAT PEER X.XX` lines;
/// over 1 means that Castellan is faster.
#[derive(Parser)]
#[command(name = "castellan-bench")]
struct Cli {
    #[command(subcommand)]
    benchmark: Benchmark,
}

#[derive(Subcommand)]
enum Benchmark {
    /// Move generation, making moves and reading FEN
    Movegen(movegen::MovegenOptions),
    /// Reading games
    Pgn(pgn::PgnOptions),
    /// Examining FENs
    Fen(fen::FenOptions),
    /// Deciding which side can still win
    Unwinnable(unwinnable::UnwinnableOptions),
    /// Playing games on the server
    #[cfg(unix)]
    Server(server::ServerOptions),
    /// Search speed of the engine
    Engine(engine::EngineOptions),
    /// Moves of the levels compared with those of people
    Levels(levels::LevelsOptions),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return print_usage_error(&error),
    };
    let result = match cli.benchmark {
        Benchmark::Movegen(options) => movegen::run(&options),
        Benchmark::Pgn(options) => pgn::run(&options),
        Benchmark::Fen(options) => fen::run(&options),
        Benchmark::Unwinnable(options) => unwinnable::run(&options),
        #[cfg(unix)]
        Benchmark::Server(options) => server::run(&options),
        Benchmark::Engine(options) => engine::run(&options),
        Benchmark::Levels(options) => levels::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(1)
        }
    }
}

/// Prints an error of clap. For an unknown benchmark it adds the list of benchmarks, which clap
/// does not print.
fn print_usage_error(error: &clap::Error) -> ExitCode {
    match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::InvalidSubcommand, Some(name)) => {
            eprintln!("error: unknown benchmark '{name}'; available: {}", benchmark_names());
            ExitCode::from(2)
        }
        _ => error.exit(),
    }
}

fn benchmark_names() -> String {
    let command = Cli::command();
    let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    names.join(", ")
}
