//! Games of the engine with itself, and weights tuned on them.
//!
//! `games` plays and writes positions with the search's score and the game's result; `tune` finds
//! weights whose evaluation predicts the results best and writes the engine's file of weights;
//! `chances` finds how often a score wins.

mod chances;
mod games;
mod tune;

use clap::{Parser, Subcommand};

/// Plays games of the engine with itself and tunes the evaluation on them.
#[derive(Parser)]
#[command(name = "castellan-trainer")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Games(games::GamesArgs),
    Tune(tune::TuneArgs),
    Chances(chances::ChancesArgs),
}

fn main() -> anyhow::Result<()> {
    match Args::parse().command {
        Command::Games(args) => games::run(&args),
        Command::Tune(args) => tune::run(&args),
        Command::Chances(args) => chances::run(&args),
    }
}
