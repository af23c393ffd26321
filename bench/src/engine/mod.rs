//! The engine benchmark: nodes per second.
//!
//! This module defines its options and what is compared. `nps` compares one thread with Stockfish,
//! both with the same number of nodes for every position. `smp` compares two of our threads with
//! one, with the same time. The peers are separate programs, so only wall-clock time can be
//! measured. Therefore each position is measured separately, the contestants take turns, and the
//! best of several rounds counts for each position.

use std::fmt;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use castellan_rules::Position;
use clap::{Args, ValueEnum};

mod castellan;
mod speed;
mod stockfish;

use castellan::Castellan;
use speed::{Speed, mean_speed};
use stockfish::Evaluation;

/// The positions of `castellan bench`.
const BUILT_IN: &str = include_str!("../../../crates/cli/src/bench/positions.txt");
/// The size of every contestant's transposition table.
const HASH_MB: usize = 16;
/// The minimum number of nodes; a shorter search says nothing about speed.
const LEAST_NODES: u64 = 1000;

/// The options of this benchmark.
#[derive(Args)]
pub(crate) struct Options {
    /// Number of rounds; the best speed of each position counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// File with one FEN per line, instead of the positions of `castellan bench`
    #[arg(long, value_name = "FILE")]
    fens: Option<PathBuf>,
    /// The measurements to run
    #[arg(long, value_delimiter = ',', default_value = "nps,smp")]
    what: Vec<What>,
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

/// The measurements, named as in the ratio lines.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// One thread against Stockfish
    Nps,
    /// Several threads against one
    Smp,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            What::Nps => "nps",
            What::Smp => "smp",
        })
    }
}

/// Runs the measurements. Prints a table to standard error and, at the end, the ratio lines to
/// standard output.
pub(crate) fn run(options: &Options) -> Result<()> {
    let positions = positions(options)?;
    let mut ratios = Vec::new();
    for &what in &options.what {
        ratios.push(match what {
            What::Nps => nps(&positions, options)?,
            What::Smp => smp(&positions, options)?,
        });
    }
    for line in ratios {
        println!("{line}");
    }
    Ok(())
}

fn positions(options: &Options) -> Result<Vec<Position>> {
    let text = match &options.fens {
        Some(file) => fs::read_to_string(file).with_context(|| file.display().to_string())?,
        None => BUILT_IN.to_owned(),
    };
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let read = |(line, number): (&str, usize)| {
        Position::from_fen(line.trim()).with_context(|| format!("line {number}"))
    };
    let positions: Vec<Position> = lines.map(read).collect::<Result<_>>()?;
    ensure!(!positions.is_empty(), "there are no positions to search");
    if let Some(position) = positions.iter().find(|position| !position.has_legal_move()) {
        bail!("{}: the game is over, so there is nothing to search", position.to_fen());
    }
    Ok(positions)
}

/// An engine that searches a position, with a name for the table.
type Contestant<'a> = (String, Box<dyn FnMut(&Position) -> Result<Speed> + 'a>);

fn nps(positions: &[Position], options: &Options) -> Result<String> {
    let stockfish = stockfish::find(options.stockfish.as_deref())?;
    let mut ours = Castellan::new(HASH_MB, 1);
    let nodes = options.nodes;
    let peer = |evaluation: Evaluation| -> Contestant<'_> {
        let bench = {
            let stockfish = &stockfish;
            move |position: &Position| {
                stockfish::bench(stockfish, position, HASH_MB, nodes, evaluation)
            }
        };
        (format!("stockfish, {evaluation}"), Box::new(bench))
    };
    let mut contestants: [Contestant<'_>; 3] = [
        ("castellan".to_owned(), Box::new(|position| ours.for_nodes(position, nodes))),
        peer(Evaluation::Classical),
        peer(Evaluation::Network),
    ];
    let [castellan, classical, network] =
        alternate(What::Nps, &mut contestants, positions, options.rounds)?;
    // Stockfish's own bench searches half of its positions with each evaluation.
    let mixed = 2.0 / (1.0 / classical + 1.0 / network);
    eprintln!("{:<8}{:<24}{mixed:>12.0} nodes/s", What::Nps, "stockfish, mixed");
    Ok(format!("ratio nps stockfish {:.2}", castellan / mixed))
}

fn smp(positions: &[Position], options: &Options) -> Result<String> {
    let time_ms = options.time;
    let mut several = Castellan::new(HASH_MB, options.threads.into());
    let mut one = Castellan::new(HASH_MB, 1);
    let mut contestants: [Contestant<'_>; 2] = [
        (
            format!("{} threads", options.threads),
            Box::new(|position| several.for_time(position, time_ms)),
        ),
        ("1 thread".to_owned(), Box::new(|position| one.for_time(position, time_ms))),
    ];
    let [several, one] = alternate(What::Smp, &mut contestants, positions, options.rounds)?;
    Ok(format!("ratio smp castellan {:.2}", several / one))
}

/// Returns the nodes per second of all contestants over all positions. They take turns at every
/// position, so that a machine that slows down affects all of them.
fn alternate<const N: usize>(
    what: What,
    contestants: &mut [Contestant<'_>; N],
    positions: &[Position],
    rounds: u32,
) -> Result<[f64; N]> {
    let mut best = [const { Vec::new() }; N];
    for best in &mut best {
        best.resize(positions.len(), Speed::default());
    }
    for _ in 0..rounds {
        for (index, position) in positions.iter().enumerate() {
            for ((_, search), best) in contestants.iter_mut().zip(&mut best) {
                best[index] = best[index].faster(search(position)?);
            }
        }
    }
    let mean = best.map(|speeds| mean_speed(&speeds));
    for ((name, _), mean) in contestants.iter().zip(mean) {
        eprintln!("{what:<8}{name:<24}{mean:>12.0} nodes/s");
    }
    Ok(mean)
}
