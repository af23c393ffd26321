//! The project's own commands, run as `cargo xtask COMMAND`.
//!
//! Owns: how the project is played, tested, checked and measured, so that no
//! shell script has to. Does not own: any chess; it starts other programs and
//! reads files, and it could be deleted without changing what ships.

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
    match run(Args::parse()) {
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
