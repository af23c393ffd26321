//! The FEN doctor benchmark.
//!
//! The doctor finds much more than its peer, which only turns a FEN into a checked position. The
//! benchmark shows what that costs.

use std::hint::black_box;
use std::path::PathBuf;

use anyhow::Result;
use castellan_legality::{Doctor, Effort};
use clap::{Args, ValueEnum};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};

use crate::clock::timed;
use crate::contest::{
    ContestOptions, RANDOM_FENS, Standing, Task, Timing, lines, ratio_lines, take_turns,
};

/// Number of FENs in one sample, because the time for a single FEN is too short to measure.
const FENS_PER_SAMPLE: usize = 20_000;

/// The options of this benchmark.
#[derive(Args)]
pub(crate) struct FenOptions {
    #[command(flatten)]
    contest: ContestOptions<FenTask>,
    /// File of FENs for `quick`, one per line, up to the first semicolon, instead of the built-in
    /// ones
    #[arg(long, value_name = "FILE")]
    quick: Option<PathBuf>,
    /// File of FENs for `normal`
    #[arg(long, value_name = "FILE")]
    normal: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum FenTask {
    /// The checks that take microseconds
    Quick,
    /// All checks, with a search
    Normal,
}

impl Task for FenTask {
    const ROUNDS: u32 = 7;
}

/// Measures both levels of effort.
pub(crate) fn run(options: &FenOptions) -> Result<()> {
    options.contest.run(|task| measure(task, options))
}

fn measure(task: FenTask, options: &FenOptions) -> Result<Vec<String>> {
    let rounds = options.contest.rounds;
    // A search is long enough to be measured once, and seven rounds of a long file would take too
    // long.
    let (file, effort, rounds, fens_per_sample) = match task {
        FenTask::Quick => (&options.quick, Effort::Quick, rounds, FENS_PER_SAMPLE),
        FenTask::Normal => (&options.normal, Effort::Normal, rounds.min(2), 1),
    };
    let mut fens = lines(file.as_deref(), RANDOM_FENS)?;
    fens.iter_mut().for_each(|fen| fen.truncate(fen.find(';').unwrap_or(fen.len())));
    let doctor = Doctor::new(effort);
    let readers: [&dyn Fn(&str); 2] =
        [&|fen| drop(black_box(doctor.examine(fen, &|| false))), &|fen| {
            _ = black_box(checked_position(fen));
        }];
    let passes = fens_per_sample.div_ceil(fens.len());
    let standings = take_turns(&["castellan", "shakmaty"], 1, rounds, |reader, _| {
        let pass = || fens.iter().for_each(|fen| readers[reader](fen));
        let ((), time) = timed(|| (0..passes).for_each(|_| pass()));
        Ok(Timing { units: (fens.len() * passes) as u64, time })
    })?;
    let figure = |of: &Standing| format!("  {} {:.3} us", of.name, of.total().ns_each() / 1e3);
    let row: String = standings.iter().map(figure).collect();
    eprintln!("{:<8}{} positions{row}", task.name(), fens.len());
    Ok(ratio_lines(task, &standings))
}

fn checked_position(fen: &str) -> Option<Chess> {
    Fen::from_ascii(fen.as_bytes()).ok()?.into_position(CastlingMode::Chess960).ok()
}
