//! Running the same work on every contestant in turn.

use std::time::Duration;

use anyhow::{Result, ensure};

use super::contestant::Contestant;
use super::suite::Tree;
use crate::clock::timed;

/// One call takes too short a time to be measured; this many FENs do not.
const FENS_PER_SAMPLE: usize = 50_000;

/// How a tree is walked.
pub(crate) type Walk = for<'a> fn(&'a (dyn Contestant + 'a), &str, u32) -> Result<u64>;

type Work = Box<dyn Fn(&dyn Contestant) -> Result<u64>>;

/// A piece of work with a known answer.
pub(crate) struct Workload {
    /// What it is called in tables and errors.
    pub(crate) name: String,
    /// The right answer, which is also how much there is to do: leaves or FENs.
    pub(crate) units: u64,
    work: Work,
}

/// What one contestant achieved.
pub(crate) struct Achievement {
    /// Who it was.
    pub(crate) contestant: &'static str,
    /// The best time for each workload, in their order.
    pub(crate) best: Vec<Duration>,
}

impl Workload {
    /// Walks `tree` in the given way.
    pub(crate) fn walk(tree: Tree, walk: Walk) -> Workload {
        Workload {
            name: format!("{} {}", tree.entry.name, tree.depth),
            units: tree.leaves,
            work: Box::new(move |contestant| walk(contestant, tree.entry.fen, tree.depth)),
        }
    }

    /// Reads all the texts, a short list several times.
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
            "{}: {name} answers {answer} where {} is right",
            self.name,
            self.units
        );
        Ok(time)
    }
}

impl Achievement {
    /// The time for all workloads together.
    pub(crate) fn total(&self) -> Duration {
        self.best.iter().sum()
    }
}

/// Has the contestants do each workload one after another, `rounds` times over. In
/// each round another one begins, so that nobody always inherits the caches and the
/// processor's clock speed from the same predecessor.
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
