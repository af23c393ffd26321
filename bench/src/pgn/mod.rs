//! The PGN benchmark.
//!
//! The contestants take turns reading the same bytes from memory on one thread, and all counts must
//! agree before a ratio is printed.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};

mod castellan;
mod pgn_reader;
mod source;
#[cfg(test)]
mod tests;

use crate::clock::timed;
use crate::contest::{ContestOptions, Task, Timing, ratio_lines, take_turns};
use source::Source;

/// Number of bytes in one sample, because the time for one pass over a short source is too short to
/// measure.
const BYTES_PER_SAMPLE: usize = 8_000_000;

/// The options of this benchmark.
#[derive(Args)]
pub(crate) struct PgnOptions {
    #[command(flatten)]
    contest: ContestOptions<PgnTask>,
    /// File of games, .pgn or .pgn.zst, instead of the built-in sample
    #[arg(long = "file", value_name = "FILE")]
    files: Vec<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum PgnTask {
    /// Visiting every move and comment of every variation
    Tokens,
    /// Resolving every move of the main lines to a legal move and playing it
    Moves,
}

impl Task for PgnTask {
    const ROUNDS: u32 = 9;
}

/// What a reader finds in one source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct PgnCounts {
    games: u64,
    moves: u64,
    comments: u64,
}

/// A PGN reader to measure.
struct PgnReader {
    name: &'static str,
    tokens: fn(&[u8]) -> Result<PgnCounts>,
    moves: fn(&[u8]) -> Result<PgnCounts>,
}

impl PgnReader {
    fn read(&self, task: PgnTask, source: &Source) -> Result<PgnCounts> {
        match task {
            PgnTask::Tokens => (self.tokens)(&source.bytes),
            PgnTask::Moves => (self.moves)(&source.bytes),
        }
    }
}

const READERS: [PgnReader; 2] = [castellan::READER, pgn_reader::READER];

/// Runs the measurements.
pub(crate) fn run(options: &PgnOptions) -> Result<()> {
    let sources = source::load(&options.files)?;
    options.contest.run(|task| measure(task, &sources, options.contest.rounds))
}

fn measure(task: PgnTask, sources: &[Source], rounds: u32) -> Result<Vec<String>> {
    sources.iter().try_for_each(|source| ensure_same(&READERS, task, source))?;
    let names = READERS.each_ref().map(|reader| reader.name);
    let standings = take_turns(&names, sources.len(), rounds, |who, index| {
        let source = &sources[index];
        let passes = BYTES_PER_SAMPLE.div_ceil(source.bytes.len());
        let pass = || READERS[who].read(task, source).map(drop);
        let (result, time) = timed(|| (0..passes).try_for_each(|_| pass()));
        result?;
        Ok(Timing { units: source.bytes.len() as u64, time: time / u32::try_from(passes)? })
    })?;
    for (index, source) in sources.iter().enumerate() {
        let mut row = format!("{:<8}{:<24}", task.name(), source.name);
        for standing in &standings {
            let speed = standing.best[index].per_second() / 1e6;
            row += &format!("  {} {speed:.0} MB/s", standing.name);
        }
        eprintln!("{row}");
    }
    Ok(ratio_lines(task, &standings))
}

/// Fails if the counts differ, because then the readers have not done the same work.
fn ensure_same(readers: &[PgnReader; 2], task: PgnTask, source: &Source) -> Result<()> {
    let [first, second] = readers;
    let counts = [first.read(task, source)?, second.read(task, source)?];
    ensure!(
        counts[0] == counts[1],
        "{}: {}: {} counts {:?}, {} counts {:?}",
        source.name,
        task.name(),
        first.name,
        counts[0],
        second.name,
        counts[1]
    );
    Ok(())
}
