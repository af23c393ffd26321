//! Self-play and training of the engine's evaluations.
//!
//! `selfplay` plays games and writes games files, `check` replays them by the rules, and
//! `records` turns them into training records for the network, which `train.py` trains. `tune`
//! finds the weights of the hand-written evaluation that predict results best, and writes the
//! engine's file of weights. `spsa` tunes the parameters of the search by matches. `chances` fits
//! the probabilities of a win, a draw and a loss to scores. `pack` compresses games files, and
//! `unpack` restores them.

mod archive;
mod chances;
mod check;
mod game;
mod game_end;
mod game_model;
mod games_file;
mod opening;
mod random;
mod range_coder;
mod record;
mod records;
mod rounds;
mod selfplay;
mod spsa;
#[cfg(test)]
mod tests;
mod tune;

use clap::{Parser, Subcommand};

/// Plays self-play games and trains evaluations on them.
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
    Spsa(spsa::SpsaArgs),
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
        Command::Spsa(args) => spsa::run(&args),
        Command::Chances(args) => chances::run(&args),
        Command::Pack(args) => archive::pack(&args),
        Command::Unpack(args) => archive::unpack(&args),
    }
}
