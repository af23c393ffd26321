//! The benchmark of deciding which side can still win.
//!
//! Each solver answers for both colors of every position. A line of a file is a FEN, optionally
//! followed by `;` and the known verdict: `both`, `white`, `black` or `dead`. A solver that
//! contradicts the verdict or the other solver ends the run.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};

mod castellan;
mod chasolver;
mod positions;
#[cfg(test)]
mod tests;

use crate::clock::timed;
use crate::contest::{ContestOptions, RANDOM_FENS, Task, Timing, ratio_lines, take_turns};
use positions::LabeledPosition;

/// The options of this benchmark.
#[derive(Args)]
pub(crate) struct UnwinnableOptions {
    #[command(flatten)]
    contest: ContestOptions<SolverTask>,
    /// File of positions from games for the quick test, instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    lichess: Option<PathBuf>,
    /// File of hard positions for the full test, instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    hard: Option<PathBuf>,
    /// Maximum number of positions that Castellan visits in one full test
    #[arg(long, value_name = "N", default_value_t = 300_000)]
    nodes: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum SolverTask {
    /// The quick test, which games run after every move
    Quick,
    /// The full test, which looks for a mate or a proof
    Full,
}

impl Task for SolverTask {
    const ROUNDS: u32 = 3;
}

/// Whether White and Black can win, or `None` if unknown. Some quick tests never answer
/// `Some(true)`.
type Verdicts = [Option<bool>; 2];

/// A solver to measure. Its functions take the maximum number of positions to visit.
struct Solver {
    name: &'static str,
    quick: fn(&LabeledPosition, u64) -> Verdicts,
    full: fn(&LabeledPosition, u64) -> Verdicts,
}

const SOLVERS: [Solver; 2] = [castellan::SOLVER, chasolver::SOLVER];

/// Runs the measurements.
pub(crate) fn run(options: &UnwinnableOptions) -> Result<()> {
    options.contest.run(|task| measure(task, options))
}

fn measure(task: SolverTask, options: &UnwinnableOptions) -> Result<Vec<String>> {
    // A single quick test takes less time than reading the clock.
    let (positions, block) = match task {
        SolverTask::Quick => (positions::load(options.lichess.as_deref(), RANDOM_FENS)?, 256),
        SolverTask::Full => (positions::load(options.hard.as_deref(), positions::HARD)?, 1),
    };
    let blocks: Vec<&[LabeledPosition]> = positions.chunks(block).collect();
    let mut answers = [vec![Vec::new(); blocks.len()], vec![Vec::new(); blocks.len()]];
    let names = SOLVERS.each_ref().map(|solver| solver.name);
    let standings = take_turns(&names, blocks.len(), options.contest.rounds, |who, index| {
        let solve = match task {
            SolverTask::Quick => SOLVERS[who].quick,
            SolverTask::Full => SOLVERS[who].full,
        };
        let solve = |position| solve(position, options.nodes);
        let (found, time) = timed(|| blocks[index].iter().map(solve).collect());
        answers[who][index] = found;
        Ok(Timing { units: 2 * blocks[index].len() as u64, time })
    })?;
    let counts = compare(&positions, &answers.map(|blocks| blocks.concat()))?;
    for (name, counts) in names.iter().zip(counts) {
        eprintln!("{:<8}{name:<12}{counts}", task.name());
    }
    for standing in &standings {
        let mean = standing.total().ns_each() / 1e3;
        eprintln!("{:<8}{:<12}{mean:>12.3} us per question", task.name(), standing.name);
    }
    Ok(ratio_lines(task, &standings))
}

/// The number of questions by answer.
#[derive(Clone, Copy, Default)]
struct AnswerCounts {
    yes: usize,
    no: usize,
    open: usize,
}

impl fmt::Display for AnswerCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "yes {}  no {}  open {}", self.yes, self.no, self.open)
    }
}

/// Counts the answers of each solver. A contradiction is an error.
fn compare(
    positions: &[LabeledPosition],
    answers: &[Vec<Verdicts>; 2],
) -> Result<[AnswerCounts; 2]> {
    let mut counts = [AnswerCounts::default(); 2];
    for (index, position) in positions.iter().enumerate() {
        for color in 0..2 {
            let mut known = position.verdict.map(|verdict| ("the file", verdict[color]));
            for (who, solver) in SOLVERS.iter().enumerate() {
                let answer = answers[who][index][color];
                match answer {
                    Some(true) => counts[who].yes += 1,
                    Some(false) => counts[who].no += 1,
                    None => counts[who].open += 1,
                }
                let Some(answer) = answer else { continue };
                let (other, expected) = *known.get_or_insert((solver.name, answer));
                let (fen, name) = (&position.fen, solver.name);
                ensure!(answer == expected, "{fen}: {name} contradicts {other}");
            }
        }
    }
    Ok(counts)
}
