//! Games of the engine with itself, and what is learned from them.
//!
//! `selfplay` plays and writes games files; `check` reads them by the rules; `records` turns them
//! into training records for the network, which `train.py` trains. `tune` finds weights of the
//! hand-written evaluation that predict results best, and writes the engine's file of weights;
//! `chances` finds how often a score wins. `pack` makes games files small for keeping them.

mod archive;
mod chances;
mod check;
mod game;
mod games_file;
mod random;
mod range_coder;
mod record;
mod records;
mod rounds;
mod selfplay;
#[cfg(test)]
mod tests;
mod tune;

use clap::{Parser, Subcommand};

/// Plays games of the engine with itself and learns from them.
#[derive(Parser)]
#[command(name = "castellan-trainer")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Selfplay(selfplay::SelfplayArgs),
    Check(check::CheckArgs),
    Records(records::RecordsArgs),
    Tune(tune::TuneArgs),
    Chances(chances::ChancesArgs),
    Pack(archive::PackArgs),
    Unpack(archive::UnpackArgs),
}

fn main() -> anyhow::Result<()> {
    match Args::parse().command {
        Command::Selfplay(args) => selfplay::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Records(args) => records::run(&args),
        Command::Tune(args) => tune::run(&args),
        Command::Chances(args) => chances::run(&args),
        Command::Pack(args) => archive::pack(&args),
        Command::Unpack(args) => archive::unpack(&args),
    }
}
