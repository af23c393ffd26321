//! What the benchmarks against peers share: options, positions, turns and ratio lines.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};

/// Positions from seeded random games: one third each from openings, middlegames and endgames.
pub(crate) const RANDOM_FENS: &str = include_str!("../data/fens.txt");

/// The tasks of a benchmark.
pub(crate) trait Task: ValueEnum + Copy + Send + Sync + 'static {
    /// The default number of rounds.
    const ROUNDS: u32;

    /// Returns the name on the command line and in the ratio lines.
    fn name(self) -> String {
        let value = self.to_possible_value().expect("no task is hidden");
        value.get_name().to_owned()
    }
}

/// The options of every benchmark against peers.
#[derive(Args)]
pub(crate) struct ContestOptions<T: Task> {
    /// Number of rounds; the best result counts
    #[arg(long, default_value_t = T::ROUNDS,
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
    /// The measurements to run [default: all]
    #[arg(long = "what", value_name = "WHAT", value_delimiter = ',')]
    tasks: Vec<T>,
}

impl<T: Task> ContestOptions<T> {
    /// Runs the tasks, which print tables to standard error, and prints the ratio lines that they
    /// return to standard output at the end.
    pub(crate) fn run(&self, run: impl FnMut(T) -> Result<Vec<String>>) -> Result<()> {
        let tasks = if self.tasks.is_empty() { T::value_variants() } else { &self.tasks };
        let lines = tasks.iter().copied().map(run).collect::<Result<Vec<_>>>()?;
        lines.iter().flatten().for_each(|line| println!("{line}"));
        Ok(())
    }
}

/// Returns the lines of a file, or of the built-in text, without empty lines and comments.
pub(crate) fn lines(file: Option<&Path>, built_in: &str) -> Result<Vec<String>> {
    let text = match file {
        Some(file) => fs::read_to_string(file).with_context(|| file.display().to_string())?,
        None => built_in.to_owned(),
    };
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<String> = lines.map(str::to_owned).collect();
    ensure!(!lines.is_empty(), "the file contains no position");
    Ok(lines)
}

/// An amount of work, and the time it took. The default, no work, counts as the slowest.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(crate) struct Timing {
    pub(crate) units: u64,
    pub(crate) time: Duration,
}

impl Timing {
    pub(crate) fn per_second(self) -> f64 {
        if self.units == 0 { 0.0 } else { self.units as f64 / self.time.as_secs_f64().max(1e-9) }
    }

    /// Returns the mean time for a unit, in nanoseconds.
    pub(crate) fn ns_each(self) -> f64 {
        1e9 / self.per_second()
    }
}

/// The samples of one contestant.
pub(crate) struct Standing {
    pub(crate) name: String,
    /// The fastest sample of each workload.
    pub(crate) best: Vec<Timing>,
}

impl Standing {
    /// Returns all work and the time it took.
    pub(crate) fn total(&self) -> Timing {
        let units = self.best.iter().map(|sample| sample.units).sum();
        Timing { units, time: self.best.iter().map(|sample| sample.time).sum() }
    }
}

/// Calls `sample` with the index of every contestant and of every workload, `rounds` times. The
/// contestants take turns at every workload, so that a machine that slows down affects all of them.
/// A different contestant begins each round, so that none always inherits the caches and the
/// processor's clock speed from the same predecessor.
pub(crate) fn take_turns(
    names: &[&str],
    workloads: usize,
    rounds: u32,
    mut sample: impl FnMut(usize, usize) -> Result<Timing>,
) -> Result<Vec<Standing>> {
    let standing = |name: &&str| Standing {
        name: (*name).to_owned(),
        best: vec![Timing::default(); workloads],
    };
    let mut standings: Vec<Standing> = names.iter().map(standing).collect();
    for round in 0..rounds as usize {
        for workload in 0..workloads {
            for turn in 0..names.len() {
                let who = (turn + round) % names.len();
                let sample = sample(who, workload)?;
                let best = &mut standings[who].best[workload];
                if sample.per_second() > best.per_second() {
                    *best = sample;
                }
            }
        }
    }
    Ok(standings)
}

/// Returns, for each of the other contestants, a line that says how many times as fast the first
/// one is.
pub(crate) fn ratio_lines(task: impl Task, standings: &[Standing]) -> Vec<String> {
    let ours = standings[0].total().per_second();
    let line = |peer: &Standing| ratio_line(task, &peer.name, ours / peer.total().per_second());
    standings[1..].iter().map(line).collect()
}

/// Returns a line that says how many times as fast as the peer we are.
pub(crate) fn ratio_line(task: impl Task, peer: &str, ratio: f64) -> String {
    format!("ratio {} {peer} {ratio:.2}", task.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pgn::PgnTask;

    fn sample(units: u64, ms: u64) -> Timing {
        Timing { units, time: Duration::from_millis(ms) }
    }

    #[test]
    fn the_fastest_sample_of_each_workload_counts() {
        let mut times = [[30, 10, 20].into_iter(), [60, 70, 50].into_iter()];
        let names = ["castellan", "slow"];
        let standings = take_turns(&names, 1, 3, |who, _| {
            Ok(sample(100, times[who].next().expect("there are three rounds")))
        });
        let standings = standings.expect("nothing fails");
        assert_eq!(standings[0].best, [sample(100, 10)]);
        assert_eq!(standings[1].best, [sample(100, 50)]);
        assert_eq!(ratio_lines(PgnTask::Moves, &standings), ["ratio moves slow 5.00"]);
    }

    #[test]
    fn ratios_compare_all_work_in_all_the_time() {
        let standing = |name: &str, ms: [u64; 2]| Standing {
            name: name.to_owned(),
            best: ms.map(|ms| sample(100, ms)).to_vec(),
        };
        let standings = [
            standing("castellan", [100, 100]),
            standing("slower", [300, 182]),
            standing("faster", [50, 70]),
        ];
        let lines = ratio_lines(PgnTask::Tokens, &standings);
        assert_eq!(lines, ["ratio tokens slower 2.41", "ratio tokens faster 0.60"]);
    }
}
