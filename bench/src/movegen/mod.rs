//! The move generation benchmark.
//!
//! Owns: its options, and which work each of them stands for. Every contestant
//! does the same work in the same process, and every answer is compared with the
//! known one before a ratio is printed.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};

mod contestant;
mod fens;
mod measure;
mod report;
mod suite;
#[cfg(test)]
mod tests;

use contestant::{Contestant, Peer};
use measure::{Walk, Workload};

/// What the user asked to have measured.
#[derive(Args)]
pub(crate) struct Options {
    /// How often everything is measured; the best time counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// How many half-moves deeper (or, if negative, shallower) than usual the trees are
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(i32).range(suite::OFFSETS))]
    depth_offset: i32,
    /// Walk the trees of `make` as deep as the others; it takes minutes
    #[arg(long)]
    full: bool,
    /// A file with one FEN per line, instead of the thousand that are built in
    #[arg(long, value_name = "FILE")]
    fens: Option<PathBuf>,
    /// Whom to compare with
    #[arg(long, value_delimiter = ',', default_value = "shakmaty,cozy-chess,chess")]
    peers: Vec<Peer>,
    /// What to measure
    #[arg(long, value_delimiter = ',', default_value = "count,list,make,fen")]
    what: Vec<What>,
    /// Print a table row per position
    #[arg(long)]
    verbose: bool,
}

/// The things measured, named as the ratio lines name them.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// Leaves counted, the fastest way there is
    Count,
    /// A move list built at each leaf's parent
    List,
    /// Every leaf move made
    Make,
    /// FEN read to a checked position
    Fen,
}

impl std::fmt::Display for What {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            What::Count => "count",
            What::List => "list",
            What::Make => "make",
            What::Fen => "fen",
        })
    }
}

/// Measures what was asked for: a table for each on standard error, and the ratio
/// lines on standard output when all is done.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut contestants = vec![contestant::ours()];
    contestants.extend(options.peers.iter().map(|peer| peer.contestant()));
    let mut ratios = Vec::new();
    for &what in &options.what {
        let workloads = workloads(what, options, &contestants)?;
        let results = measure::alternate(&contestants, &workloads, options.rounds)?;
        report::print_table(what, &workloads, &results, options.verbose);
        ratios.extend(report::ratio_lines(what, &results));
    }
    for line in ratios {
        println!("{line}");
    }
    Ok(())
}

fn workloads(
    what: What,
    options: &Options,
    contestants: &[Box<dyn Contestant>],
) -> Result<Vec<Workload>> {
    let walk: Walk = match what {
        What::Count => |contestant, fen, depth| contestant.count(fen, depth),
        What::List => |contestant, fen, depth| contestant.list(fen, depth),
        What::Make => |contestant, fen, depth| contestant.make(fen, depth),
        What::Fen => {
            let fens = fens::agreed(fens::load(options.fens.as_deref())?, contestants)?;
            return Ok(vec![Workload::read(fens)]);
        }
    };
    // Making every move takes eight times as long as counting them.
    let saving = i32::from(what == What::Make && !options.full);
    let trees = suite::trees(options.depth_offset - saving);
    Ok(trees.into_iter().map(|tree| Workload::walk(tree, walk)).collect())
}
