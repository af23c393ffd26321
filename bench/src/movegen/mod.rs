//! The move generation benchmark.
//!
//! This module defines its options and the work for each measurement. Every contestant does the
//! same work in the same process, and every result is checked before a ratio is printed.

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

/// The options of this benchmark.
#[derive(Args)]
pub(crate) struct Options {
    /// Number of rounds; the best time counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Half-moves to add to the usual depth of the trees; may be negative
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(i32).range(suite::OFFSETS))]
    depth_offset: i32,
    /// Walk the trees of `make` as deep as the others, which takes minutes
    #[arg(long)]
    full: bool,
    /// File with one FEN per line, instead of the thousand built-in ones
    #[arg(long, value_name = "FILE")]
    fens: Option<PathBuf>,
    /// The libraries to compare with
    #[arg(long, value_delimiter = ',', default_value = "shakmaty,cozy-chess,chess")]
    peers: Vec<Peer>,
    /// The measurements to run
    #[arg(long, value_delimiter = ',', default_value = "count,list,make,fen")]
    what: Vec<What>,
    /// Print a table row for each position
    #[arg(long)]
    verbose: bool,
}

/// The measurements, named as in the ratio lines.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// Counting leaves, in the fastest way
    Count,
    /// Building a move list at each parent of leaves
    List,
    /// Making every move, including the last
    Make,
    /// Parsing a FEN to a checked position
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

/// Runs the measurements. Prints a table for each to standard error and, at the end, the ratio
/// lines to standard output.
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
