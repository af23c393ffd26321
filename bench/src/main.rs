//! Castellan against its peers, in one process.
//!
//! Owns: the command line and the exit codes: 0 when everything was measured, 1
//! when a contestant was wrong or a file could not be read, 2 when the command
//! line makes no sense.
//! Does not own: the benchmarks, which are one module each.

use std::process::ExitCode;

use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};

mod clock;
mod engine;
mod fen;
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
    Movegen(movegen::Options),
    /// Reading games
    Pgn(pgn::Options),
    /// Examining FENs
    Fen(fen::Options),
    /// Who can still win
    Unwinnable(unwinnable::Options),
    /// Moves that a server keeps and announces
    #[cfg(unix)]
    Server(server::Options),
    /// Positions searched in a second
    Engine(engine::Options),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let result = match cli.benchmark {
        Benchmark::Movegen(options) => movegen::run(&options),
        Benchmark::Pgn(options) => pgn::run(&options),
        Benchmark::Fen(options) => fen::run(&options),
        Benchmark::Unwinnable(options) => unwinnable::run(&options),
        #[cfg(unix)]
        Benchmark::Server(options) => server::run(&options),
        Benchmark::Engine(options) => engine::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(1)
        }
    }
}

/// Clap explains every mistake well but one: it does not say which benchmarks
/// there are when it is asked for another.
fn refuse(error: &clap::Error) -> ExitCode {
    match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::InvalidSubcommand, Some(name)) => {
            eprintln!("error: no benchmark is called '{name}'; there is: {}", benchmark_names());
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
