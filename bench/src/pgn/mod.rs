//! The PGN benchmark.
//!
//! This module defines its options and what is done with each source. The contestants take turns
//! reading the same bytes from memory on one thread, and all counts must agree before a ratio is
//! printed.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};

mod castellan;
mod pgn_reader;
mod source;
#[cfg(test)]
mod tests;

use crate::clock::timed;
use source::Source;

/// Number of bytes in one sample, because the time for one pass over a short source is too short to
/// measure.
const BYTES_PER_SAMPLE: usize = 8_000_000;

/// The options of this benchmark.
#[derive(Args)]
pub(crate) struct Options {
    /// Number of rounds; the best time counts
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// File of games, .pgn or .pgn.zst, instead of the built-in sample
    #[arg(long = "file", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The measurements to run
    #[arg(long, value_delimiter = ',', default_value = "tokens,moves")]
    what: Vec<What>,
}

/// The measurements, named as in the ratio lines.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// Visiting every move and comment of every variation
    Tokens,
    /// Resolving every move of the main lines to a legal move and playing it
    Moves,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            What::Tokens => "tokens",
            What::Moves => "moves",
        })
    }
}

/// The counts of a contestant for one source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tally {
    games: u64,
    moves: u64,
    comments: u64,
}

/// A PGN reader to measure.
pub(crate) struct Contestant {
    name: &'static str,
    tokens: fn(&[u8]) -> Result<Tally>,
    moves: fn(&[u8]) -> Result<Tally>,
}

impl Contestant {
    fn work(&self, what: What) -> fn(&[u8]) -> Result<Tally> {
        match what {
            What::Tokens => self.tokens,
            What::Moves => self.moves,
        }
    }
}

const CONTESTANTS: &[Contestant] = &[castellan::CONTESTANT, pgn_reader::CONTESTANT];

/// Runs the measurements. Prints a table to standard error and, at the end, the ratio lines to
/// standard output.
pub(crate) fn run(options: &Options) -> Result<()> {
    let sources = source::load(&options.files)?;
    let mut ratios = Vec::new();
    for &what in &options.what {
        let mut totals = vec![Duration::ZERO; CONTESTANTS.len()];
        for source in &sources {
            ensure_same(CONTESTANTS, what, source)?;
            let best = alternate(CONTESTANTS, what, source, options.rounds)?;
            print_row(what, source, &best);
            for (total, time) in totals.iter_mut().zip(best) {
                *total += time;
            }
        }
        ratios.extend(ratio_lines(what, CONTESTANTS, &totals));
    }
    for line in ratios {
        println!("{line}");
    }
    Ok(())
}

/// Fails if the counts differ, because then the contestants have not done the same work.
fn ensure_same(contestants: &[Contestant], what: What, source: &Source) -> Result<()> {
    let mut first = None;
    for contestant in contestants {
        let tally = contestant.work(what)(&source.bytes)?;
        let (name, expected) = *first.get_or_insert((contestant.name, tally));
        ensure!(
            tally == expected,
            "{}: {what}: {name} counts {expected:?}, {} counts {tally:?}",
            source.name,
            contestant.name
        );
    }
    Ok(())
}

/// Returns the best time of each contestant for one pass. A different contestant begins each round,
/// so that none always inherits the caches from the same predecessor.
fn alternate(
    contestants: &[Contestant],
    what: What,
    source: &Source,
    rounds: u32,
) -> Result<Vec<Duration>> {
    let passes = BYTES_PER_SAMPLE.div_ceil(source.bytes.len().max(1));
    let divisor = u32::try_from(passes)?;
    let mut best = vec![Duration::MAX; contestants.len()];
    for round in 0..rounds as usize {
        for turn in 0..contestants.len() {
            let turn = (turn + round) % contestants.len();
            let work = contestants[turn].work(what);
            let (result, time) =
                timed(|| (0..passes).try_for_each(|_| work(&source.bytes).map(drop)));
            result?;
            best[turn] = best[turn].min(time / divisor);
        }
    }
    Ok(best)
}

fn print_row(what: What, source: &Source, best: &[Duration]) {
    let speeds: String = CONTESTANTS
        .iter()
        .zip(best)
        .map(|(contestant, time)| {
            let speed = source.bytes.len() as f64 / time.as_secs_f64() / 1e6;
            format!("  {} {speed:.0} MB/s", contestant.name)
        })
        .collect();
    eprintln!("{what:<8}{:<24}{speeds}", source.name);
}

/// Returns, for each of the other contestants, a line that says how many times as fast the first
/// one is.
fn ratio_lines(what: What, contestants: &[Contestant], totals: &[Duration]) -> Vec<String> {
    let ours = totals[0].as_secs_f64();
    let peers = contestants.iter().zip(totals).skip(1);
    peers
        .map(|(peer, total)| {
            format!("ratio {what} {} {:.2}", peer.name, total.as_secs_f64() / ours)
        })
        .collect()
}
