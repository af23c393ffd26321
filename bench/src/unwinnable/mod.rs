//! The benchmark of deciding which side can still win.
//!
//! This module defines its options and runs the contestants in turn. Each answers for both colors
//! of every position. A line of a file is a FEN, optionally followed by `;` and the known
//! verdict: `both`, `white`, `black` or `dead`. A contestant that contradicts the verdict or
//! another contestant ends the run.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};

mod castellan;
mod chasolver;
mod question;
#[cfg(test)]
mod tests;

use crate::clock::timed;
use question::Question;

/// The options of this benchmark.
#[derive(Args)]
pub(crate) struct Options {
    /// Number of rounds; the best time counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// File of positions from games for the quick test, instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    lichess: Option<PathBuf>,
    /// File of hard positions for the full test, instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    hard: Option<PathBuf>,
    /// The measurements to run
    #[arg(long, value_delimiter = ',', default_value = "quick,full")]
    what: Vec<What>,
    /// Maximum number of positions that Castellan visits in one full test
    #[arg(long, value_name = "N", default_value_t = 300_000)]
    nodes: u64,
}

/// The measurements, named as in the ratio lines.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// The quick test, which games run after every move
    Quick,
    /// The full test, which looks for a mate or a proof
    Full,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            What::Quick => "quick",
            What::Full => "full",
        })
    }
}

/// Whether a color can win, or `None` if unknown. Some quick tests never answer `Some(true)`.
pub(crate) type Verdict = Option<bool>;

/// A solver to measure.
pub(crate) struct Contestant {
    name: &'static str,
    quick: fn(&Question, u64) -> [Verdict; 2],
    full: fn(&Question, u64) -> [Verdict; 2],
}

impl Contestant {
    fn work(&self, what: What) -> fn(&Question, u64) -> [Verdict; 2] {
        match what {
            What::Quick => self.quick,
            What::Full => self.full,
        }
    }
}

const CONTESTANTS: [Contestant; 2] = [castellan::CONTESTANT, chasolver::CONTESTANT];

/// Runs the measurements. Prints a table to standard error and, at the end, the ratio lines to
/// standard output.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut ratios = Vec::new();
    for &what in &options.what {
        let questions = match what {
            What::Quick => question::load(options.lichess.as_deref(), question::GAMES)?,
            What::Full => question::load(options.hard.as_deref(), question::HARD)?,
        };
        let best = alternate(what, &questions, options)?;
        let queries = 2.0 * questions.len() as f64;
        for (contestant, time) in CONTESTANTS.iter().zip(&best) {
            let mean = time.as_secs_f64() * 1e6 / queries;
            eprintln!("{what:<8}{:<12}{mean:>12.3} us per question", contestant.name);
        }
        let ratio = best[1].as_secs_f64() / best[0].as_secs_f64();
        ratios.push(format!("ratio {what} {} {ratio:.2}", CONTESTANTS[1].name));
    }
    for line in ratios {
        println!("{line}");
    }
    Ok(())
}

/// Returns the best time of each contestant for all questions. They take turns at every question,
/// so that a machine that slows down affects both.
fn alternate(what: What, questions: &[Question], options: &Options) -> Result<[Duration; 2]> {
    let mut best = [Duration::MAX; 2];
    for round in 0..options.rounds {
        let mut total = [Duration::ZERO; 2];
        let mut tally = [Tally::default(); 2];
        // A single quick test takes less time than reading the clock.
        let block = if what == What::Quick { 256 } else { 1 };
        for questions in questions.chunks(block) {
            let mut answers: [Vec<[Verdict; 2]>; 2] = [Vec::new(), Vec::new()];
            for (who, contestant) in CONTESTANTS.iter().enumerate() {
                let work = contestant.work(what);
                let ask = |question| work(question, options.nodes);
                let (found, time) = timed(|| questions.iter().map(ask).collect());
                answers[who] = found;
                total[who] += time;
            }
            compare(questions, &answers, &mut tally)?;
        }
        if round == 0 {
            for (contestant, tally) in CONTESTANTS.iter().zip(tally) {
                eprintln!("{what:<8}{:<12}{tally}", contestant.name);
            }
        }
        for (best, total) in best.iter_mut().zip(total) {
            *best = total.min(*best);
        }
    }
    Ok(best)
}

/// The number of questions by answer.
#[derive(Clone, Copy, Default)]
struct Tally {
    yes: usize,
    no: usize,
    open: usize,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "yes {}  no {}  open {}", self.yes, self.no, self.open)
    }
}

fn compare(
    questions: &[Question],
    answers: &[Vec<[Verdict; 2]>; 2],
    tally: &mut [Tally; 2],
) -> Result<()> {
    for (index, question) in questions.iter().enumerate() {
        for color in 0..2 {
            let mut known = question.verdict.map(|verdict| ("the file", verdict[color]));
            for (who, contestant) in CONTESTANTS.iter().enumerate() {
                let answer = answers[who][index][color];
                match answer {
                    Some(true) => tally[who].yes += 1,
                    Some(false) => tally[who].no += 1,
                    None => tally[who].open += 1,
                }
                let Some(answer) = answer else { continue };
                let (other, expected) = *known.get_or_insert((contestant.name, answer));
                ensure!(
                    answer == expected,
                    "{}: {} contradicts {other}",
                    question.fen,
                    contestant.name
                );
            }
        }
    }
    Ok(())
}
