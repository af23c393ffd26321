//! Runs the same work on every contestant in turn.

use std::time::Duration;

use anyhow::{Result, ensure};

use super::contestant::Contestant;
use super::suite::Tree;
use crate::clock::timed;

/// Number of FENs in one sample, because the time for a single FEN is too short to measure.
const FENS_PER_SAMPLE: usize = 50_000;

/// A function that walks a tree.
pub(crate) type Walk = for<'a> fn(&'a (dyn Contestant + 'a), &str, u32) -> Result<u64>;

type Work = Box<dyn Fn(&dyn Contestant) -> Result<u64>>;

/// A piece of work with a known result.
pub(crate) struct Workload {
    /// The name in tables and errors.
    pub(crate) name: String,
    /// The expected result, which is also the amount of work: the number of leaves or FENs.
    pub(crate) units: u64,
    work: Work,
}

/// The times of one contestant.
pub(crate) struct Achievement {
    /// The name of the contestant.
    pub(crate) contestant: &'static str,
    /// The best time for each workload, in their order.
    pub(crate) best: Vec<Duration>,
}

impl Workload {
    /// Returns the work of walking `tree` with `walk`.
    pub(crate) fn walk(tree: Tree, walk: Walk) -> Workload {
        Workload {
            name: format!("{} {}", tree.entry.name, tree.depth),
            units: tree.leaves,
            work: Box::new(move |contestant| walk(contestant, tree.entry.fen, tree.depth)),
        }
    }

    /// Returns the work of parsing all FENs, several times if the list is short.
    pub(crate) fn read(fens: Vec<String>) -> Workload {
        let passes = FENS_PER_SAMPLE.div_ceil(fens.len());
        Workload {
            name: format!("{} positions", fens.len()),
            units: (fens.len() * passes) as u64,
            work: Box::new(move |contestant| {
                let accepted: usize = (0..passes).map(|_| contestant.read(&fens)).sum();
                Ok(accepted as u64)
            }),
        }
    }

    fn sample(&self, contestant: &dyn Contestant) -> Result<Duration> {
        let (answer, time) = timed(|| (self.work)(contestant));
        let (name, answer) = (contestant.name(), answer?);
        ensure!(
            answer == self.units,
            "{}: {name} returned {answer}, expected {}",
            self.name,
            self.units
        );
        Ok(time)
    }
}

impl Achievement {
    /// Returns the total time for all workloads.
    pub(crate) fn total(&self) -> Duration {
        self.best.iter().sum()
    }
}

/// Runs each workload on the contestants one after another, `rounds` times. A different contestant
/// begins each round, so that none always inherits the caches and the processor's clock speed from
/// the same predecessor.
pub(crate) fn alternate(
    contestants: &[Box<dyn Contestant>],
    workloads: &[Workload],
    rounds: u32,
) -> Result<Vec<Achievement>> {
    let mut results: Vec<Achievement> = contestants
        .iter()
        .map(|contestant| Achievement {
            contestant: contestant.name(),
            best: vec![Duration::MAX; workloads.len()],
        })
        .collect();
    for round in 0..rounds as usize {
        for (index, workload) in workloads.iter().enumerate() {
            for turn in 0..contestants.len() {
                let turn = (turn + round) % contestants.len();
                let time = workload.sample(contestants[turn].as_ref())?;
                let best = &mut results[turn].best[index];
                *best = time.min(*best);
            }
        }
    }
    Ok(results)
}
