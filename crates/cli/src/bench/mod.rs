//! `castellan bench`: a reproducible search.
//!
//! With one thread, the number of nodes searched is the engine's signature: a change that is not
//! meant to alter play must not alter it.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use castellan_engine::{Engine, Limits, Options, Signals, embedded_network};
use castellan_rules::Line;
use clap::Args;

use crate::fen::read_position;
use crate::{CommandStatus, limits, network};

/// Positions of all kinds: openings, tactics, endgames, Chess960.
const POSITIONS: &str = include_str!("positions.txt");

/// Search fixed positions to a fixed depth
///
/// Prints `nodes N` and `nps N`. With one thread and the default depth, hash size and network, the
/// number of nodes is the engine's signature, which is the same on every machine.
#[derive(Args)]
#[command(after_help = "Examples:\n  castellan bench\n  castellan bench --threads 2 --depth 15")]
pub(crate) struct BenchArgs {
    /// Search depth
    #[arg(long, value_name = "N", default_value_t = 12,
        value_parser = clap::value_parser!(u32).range(1..=limits::BENCH_DEPTH))]
    depth: u32,
    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=Options::THREADS[1] as i64))]
    threads: u16,
    /// Transposition table size, in MB
    #[arg(long, value_name = "MB", default_value_t = 16,
        value_parser = clap::value_parser!(u32).range(1..=Options::HASH_MB[1] as i64))]
    hash: u32,
    /// Network file to use for the evaluation
    #[arg(long, value_name = "FILE")]
    eval_file: Option<PathBuf>,
    /// Use the hand-written evaluation instead of a network
    #[arg(long, conflicts_with = "eval_file")]
    no_network: bool,
}

/// Runs the command.
pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<CommandStatus> {
    let options = Options { hash_mb: args.hash as usize, threads: args.threads.into() };
    let mut engine = Engine::new(options);
    engine.set_network(match &args.eval_file {
        Some(file) => Some(network::load(file)?),
        None if args.no_network => None,
        None => embedded_network(),
    });
    let start = Instant::now();
    let nodes = search_all(&mut engine, args.depth)?;
    let seconds = start.elapsed().as_secs_f64().max(1e-6);
    let mut out = io::stdout().lock();
    writeln!(out, "nodes {nodes}")?;
    writeln!(out, "nps {:.0}", nodes as f64 / seconds)?;
    Ok(CommandStatus::Success)
}

/// Searches every position and returns the total number of nodes.
fn search_all(engine: &mut Engine, depth: u32) -> anyhow::Result<u64> {
    let start = Instant::now();
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let mut nodes = 0;
    for fen in POSITIONS.lines() {
        let line = Line::new(read_position(fen)?);
        let clock = || start.elapsed();
        nodes += engine.go(&line, &limits, &clock, &Signals::default(), &mut |_| {}).nodes;
    }
    Ok(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_count_the_same() {
        let count = || search_all(&mut Engine::new(Options::default()), 6).unwrap();
        let nodes = count();
        assert!(nodes > 10_000);
        assert_eq!(count(), nodes);
    }
}
