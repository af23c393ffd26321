//! The engine benchmark: nodes per second.
//!
//! This module defines its options and what is compared. `nps` compares one thread with Stockfish,
//! both with the same number of nodes for every position. `smp` compares two of our threads with
//! one, with the same time. The peers are separate programs, so only wall-clock time can be
//! measured. Therefore each position is measured separately, the contestants take turns, and the
//! best of several rounds counts for each position.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use castellan_rules::Position;
use clap::{Args, ValueEnum};

mod castellan;
mod stockfish;

use crate::contest::{ContestOptions, Task, Timing, lines, ratio_line, take_turns};
use castellan::OurEngine;
use stockfish::Evaluation;

/// The positions of `castellan bench`.
const BUILT_IN: &str = include_str!("../../../crates/cli/src/bench/positions.txt");
/// The size of every contestant's transposition table.
const HASH_MB: usize = 16;
/// The minimum number of nodes; a shorter search says nothing about speed.
const LEAST_NODES: u64 = 1000;

/// The options of this benchmark.
#[derive(Args)]
pub(crate) struct EngineOptions {
    #[command(flatten)]
    contest: ContestOptions<EngineTask>,
    /// File with one FEN per line, instead of the positions of `castellan bench`
    #[arg(long, value_name = "FILE")]
    fens: Option<PathBuf>,
    /// Nodes to search for each position in `nps`
    #[arg(long, value_name = "N", default_value_t = 200_000,
        value_parser = clap::value_parser!(u64).range(LEAST_NODES..=1_000_000_000))]
    nodes: u64,
    /// Time to search each position in `smp`, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 150,
        value_parser = clap::value_parser!(u64).range(10..=60_000))]
    time: u64,
    /// Number of threads that `smp` compares with one
    #[arg(long, value_name = "N", default_value_t = 2,
        value_parser = clap::value_parser!(u16).range(2..=256))]
    threads: u16,
    /// The Stockfish to run; by default the one that is installed
    #[arg(long, value_name = "PROGRAM")]
    stockfish: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum EngineTask {
    /// One thread against Stockfish
    Nps,
    /// Several threads against one
    Smp,
}

impl Task for EngineTask {
    const ROUNDS: u32 = 3;
}

/// Runs the measurements.
pub(crate) fn run(options: &EngineOptions) -> Result<()> {
    let positions = positions(options)?;
    options.contest.run(|task| {
        let line = match task {
            EngineTask::Nps => nps(&positions, options)?,
            EngineTask::Smp => smp(&positions, options)?,
        };
        Ok(vec![line])
    })
}

fn positions(options: &EngineOptions) -> Result<Vec<Position>> {
    let read = |fen: &String| {
        let position = Position::from_fen(fen).with_context(|| fen.clone())?;
        if !position.has_legal_move() {
            bail!("{fen}: the game is over, so there is nothing to search");
        }
        Ok(position)
    };
    lines(options.fens.as_deref(), BUILT_IN)?.iter().map(read).collect()
}

/// An engine that searches a position, with a name for the table.
type Searcher<'a> = (&'a str, Box<dyn FnMut(&Position) -> Result<Timing> + 'a>);

fn nps(positions: &[Position], options: &EngineOptions) -> Result<String> {
    let stockfish = stockfish::find(options.stockfish.as_deref())?;
    let mut ours = OurEngine::new(HASH_MB, 1);
    let nodes = options.nodes;
    let peer = |evaluation: Evaluation| {
        let stockfish = &stockfish;
        move |position: &Position| stockfish::bench(stockfish, position, HASH_MB, nodes, evaluation)
    };
    let searchers: [Searcher<'_>; 3] = [
        ("castellan", Box::new(|position| ours.for_nodes(position, nodes))),
        ("stockfish, classical", Box::new(peer(Evaluation::Classical))),
        ("stockfish, NNUE", Box::new(peer(Evaluation::Network))),
    ];
    let [castellan, classical, network] =
        alternate(EngineTask::Nps, searchers, positions, options.contest.rounds)?;
    // Stockfish's own bench searches half of its positions with each evaluation.
    let mixed = 2.0 / (1.0 / classical + 1.0 / network);
    eprintln!("{:<8}{:<24}{mixed:>12.0} nodes/s", "nps", "stockfish, mixed");
    Ok(ratio_line(EngineTask::Nps, "stockfish", castellan / mixed))
}

fn smp(positions: &[Position], options: &EngineOptions) -> Result<String> {
    let time_ms = options.time;
    let mut several = OurEngine::new(HASH_MB, options.threads.into());
    let mut one = OurEngine::new(HASH_MB, 1);
    let name = format!("{} threads", options.threads);
    let searchers: [Searcher<'_>; 2] = [
        (&name, Box::new(|position| several.for_time(position, time_ms))),
        ("1 thread", Box::new(|position| one.for_time(position, time_ms))),
    ];
    let [several, one] = alternate(EngineTask::Smp, searchers, positions, options.contest.rounds)?;
    Ok(ratio_line(EngineTask::Smp, "castellan", several / one))
}

/// Returns the nodes per second of all engines over all positions.
fn alternate<const N: usize>(
    task: EngineTask,
    mut searchers: [Searcher<'_>; N],
    positions: &[Position],
    rounds: u32,
) -> Result<[f64; N]> {
    let names = searchers.each_ref().map(|(name, _)| *name);
    let standings = take_turns(&names, positions.len(), rounds, |who, index| {
        (searchers[who].1)(&positions[index])
    })?;
    let mut means = [0.0; N];
    for (mean, standing) in means.iter_mut().zip(&standings) {
        *mean = standing.total().per_second();
        eprintln!("{:<8}{:<24}{mean:>12.0} nodes/s", task.name(), standing.name);
    }
    Ok(means)
}
