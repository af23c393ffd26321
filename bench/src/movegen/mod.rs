//! The move generation benchmark.
//!
//! This module defines its options and the work for each measurement. Every library does the same
//! work in the same process, and every result is checked before a ratio is printed.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};

mod fens;
mod library;
mod suite;
#[cfg(test)]
mod tests;
mod workload;

use crate::contest::{
    ContestOptions, RANDOM_FENS, Standing, Task, Timing, lines, ratio_lines, take_turns,
};
use library::{ChessLibrary, Peer};
use workload::{Walk, Workload};

/// The options of this benchmark.
#[derive(Args)]
pub(crate) struct MovegenOptions {
    #[command(flatten)]
    contest: ContestOptions<MovegenTask>,
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
    /// Print a table row for each position
    #[arg(long)]
    verbose: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MovegenTask {
    /// Counting leaves, in the fastest way
    Count,
    /// Building a move list at each parent of leaves
    List,
    /// Making every move, including the last
    Make,
    /// Parsing a FEN to a checked position
    Fen,
}

impl Task for MovegenTask {
    const ROUNDS: u32 = 5;
}

/// Runs the measurements.
pub(crate) fn run(options: &MovegenOptions) -> Result<()> {
    let mut libraries = vec![library::ours()];
    libraries.extend(options.peers.iter().map(|peer| peer.library()));
    options.contest.run(|task| {
        let workloads = workloads(task, options, &libraries)?;
        let standings = alternate(&libraries, &workloads, options.contest.rounds)?;
        print_table(task, &workloads, &standings, options.verbose);
        Ok(ratio_lines(task, &standings))
    })
}

fn workloads(
    task: MovegenTask,
    options: &MovegenOptions,
    libraries: &[Box<dyn ChessLibrary>],
) -> Result<Vec<Workload>> {
    let walk: Walk = match task {
        MovegenTask::Count => |library, fen, depth| library.count(fen, depth),
        MovegenTask::List => |library, fen, depth| library.list(fen, depth),
        MovegenTask::Make => |library, fen, depth| library.make(fen, depth),
        MovegenTask::Fen => {
            let fens = lines(options.fens.as_deref(), RANDOM_FENS)?;
            return Ok(vec![Workload::read(fens::agreed(fens, libraries)?)]);
        }
    };
    // Making every move takes eight times as long as counting them.
    let saving = i32::from(task == MovegenTask::Make && !options.full);
    let trees = suite::trees(options.depth_offset - saving);
    Ok(trees.into_iter().map(|tree| Workload::walk(tree, walk)).collect())
}

fn alternate(
    libraries: &[Box<dyn ChessLibrary>],
    workloads: &[Workload],
    rounds: u32,
) -> Result<Vec<Standing>> {
    let names: Vec<&str> = libraries.iter().map(|library| library.name()).collect();
    take_turns(&names, workloads.len(), rounds, |who, index| {
        workloads[index].sample(libraries[who].as_ref())
    })
}

/// Prints a table to standard error, with a column for each library, a row for all workloads
/// together and, if `verbose`, a row for each workload before it.
fn print_table(task: MovegenTask, workloads: &[Workload], standings: &[Standing], verbose: bool) {
    let (unit, speed): (_, fn(Timing) -> f64) = match task {
        MovegenTask::Fen => ("ns each", Timing::ns_each),
        _ => ("Mnps", |sample| sample.per_second() / 1e6),
    };
    let row = |name: &str, sample: &dyn Fn(&Standing) -> Timing| {
        let figures = standings.iter().map(|of| format!("{:>12.1}", speed(sample(of))));
        eprintln!("{name:<16}{}", figures.collect::<String>());
    };
    let names: String = standings.iter().map(|of| format!("{:>12}", of.name)).collect();
    eprintln!("{:<16}{names}", format!("{} ({unit})", task.name()));
    for (index, workload) in workloads.iter().enumerate().filter(|_| verbose) {
        row(&workload.name, &|standing| standing.best[index]);
    }
    row("all", &Standing::total);
    eprintln!();
}
