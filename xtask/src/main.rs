//! The project's own commands, run as `cargo xtask COMMAND`.
//!
//! This program replaces shell scripts: it builds and starts the game, runs the tests, checks the
//! conventions and runs the benchmarks. It contains no chess. It only starts other programs and
//! reads files, and could be deleted without changing what ships.

mod args;
mod bench;
mod ci;
mod dist;
mod fingerprint;
mod play;
mod process;
mod progress;
mod setup;
mod tidy;
mod web;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::workspace::Workspace;

fn main() -> ExitCode {
    match ci::compiler::run().unwrap_or_else(|| run(Args::parse())) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: Args) -> anyhow::Result<ExitCode> {
    let workspace = Workspace::locate()?;
    match args.command {
        Command::Play { args } => play::run(&workspace, &args),
        Command::Test { list: true, .. } => {
            ci::list();
            Ok(ExitCode::SUCCESS)
        }
        Command::Test { only, .. } => ci::run(&workspace, &only),
        Command::Tidy { verbose } => {
            tidy::run(&workspace, verbose)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Web => {
            web::run(&workspace)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Bench { what, args } => bench::run(&workspace, &what, &args),
        Command::Dist { level } => dist::run(&workspace, &level),
    }
}
