//! The values that are tuned, and how a result moves them. The method itself is described in `spsa`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use castellan_engine::{Margins, Parameter};

use super::SpsaArgs;
use crate::random::Random;

/// The last perturbation as a fraction of a parameter's range.
const PERTURBATION: f64 = 1.0 / 16.0;
/// Spall's exponents for the sizes of the steps and of the perturbations.
const STEP_EXPONENT: f64 = 0.602;
const PERTURBATION_EXPONENT: f64 = 0.101;
/// Spall's stability constant, as a fraction of the planned pairs. A larger one makes the first
/// steps smaller.
const STABILITY: f64 = 0.1;

/// The values of the parameters and the progress of the run.
pub(super) struct Tuning {
    parameters: Vec<Parameter>,
    pub(super) values: Vec<f64>,
    /// The number of finished pairs, in all runs.
    pub(super) done: u64,
    pub(super) planned: u64,
    rate: f64,
}

/// One comparison: the parameters of both sides, and what is needed to learn from the result.
pub(super) struct Comparison {
    pub(super) sides: [Margins; 2],
    /// How far each value moves if the first side wins by one point.
    steps: Vec<f64>,
}

impl Tuning {
    pub(super) fn new(args: &SpsaArgs) -> anyhow::Result<Tuning> {
        let mut parameters = Margins::parameters();
        for name in &args.only {
            let is_known = parameters.iter().any(|parameter| parameter.name == name);
            ensure!(is_known, "there is no parameter {name}");
        }
        if !args.only.is_empty() {
            parameters.retain(|parameter| args.only.iter().any(|name| name == parameter.name));
        }
        let default = |parameter: &Parameter| f64::from((parameter.get)(&Margins::NETWORK));
        let values = parameters.iter().map(default).collect();
        Ok(Tuning { parameters, values, done: 0, planned: args.pairs.max(1), rate: args.rate })
    }

    /// Reads the text that [`table`](Tuning::table) writes. Parameters that it does not name keep
    /// their defaults.
    pub(super) fn read(&mut self, text: &str) -> anyhow::Result<()> {
        for (number, line) in text.lines().enumerate() {
            let place = || format!("line {}: {line}", number + 1);
            let mut words = line.split_whitespace();
            let (Some(name), Some(value)) = (words.next(), words.next()) else {
                bail!("expected a name and a value in {}", place());
            };
            if name == "pairs" {
                self.done = value.parse().with_context(place)?;
            } else if let Some(index) = self.parameters.iter().position(|it| it.name == name) {
                let value: f64 = value.parse().with_context(place)?;
                ensure!(value.is_finite(), "not a number in {}", place());
                self.values[index] = self.clamped(index, value);
            }
        }
        Ok(())
    }

    /// Returns the number of pairs and all values, one on each line, with the defaults beside them.
    pub(super) fn table(&self) -> String {
        let mut text = format!("pairs {}\n", self.done);
        for (parameter, value) in self.parameters.iter().zip(&self.values) {
            let default = (parameter.get)(&Margins::NETWORK);
            let _ = writeln!(text, "{} {value:.3} was {default}", parameter.name);
        }
        text
    }

    pub(super) fn save(&self, path: &Path) -> anyhow::Result<()> {
        // The old file stays until the new one is complete.
        let new = path.with_extension("new");
        fs::write(&new, self.table()).with_context(|| format!("cannot write {}", new.display()))?;
        fs::rename(&new, path).with_context(|| format!("cannot replace {}", path.display()))
    }

    fn clamped(&self, index: usize, value: f64) -> f64 {
        let range = &self.parameters[index].range;
        value.clamp(f64::from(*range.start()), f64::from(*range.end()))
    }

    /// Returns two sets of parameters to compare as pair number `pair`.
    pub(super) fn comparison(&self, pair: u64, random: &mut Random) -> Comparison {
        let (planned, pair) = (self.planned as f64, pair.min(self.planned) as f64);
        let stability = STABILITY * planned;
        let wider = (planned / (pair + 1.0)).max(1.0).powf(PERTURBATION_EXPONENT);
        let larger =
            ((stability + planned) / (stability + pair + 1.0)).max(1.0).powf(STEP_EXPONENT);
        let mut sides = [Margins::NETWORK; 2];
        let mut steps = Vec::with_capacity(self.values.len());
        for (index, parameter) in self.parameters.iter().enumerate() {
            let width = f64::from(parameter.range.end() - parameter.range.start());
            let last = width * PERTURBATION;
            let sign = if random.next() & 1 == 0 { 1.0 } else { -1.0 };
            let perturbation = sign * last * wider;
            for (side, direction) in sides.iter_mut().zip([1.0, -1.0]) {
                let value = self.clamped(index, self.values[index] + direction * perturbation);
                // Rounds up or down at random, so that small values are not stuck.
                let value = (value + random.unit()).floor() as i32;
                (parameter.set)(
                    side,
                    value.clamp(*parameter.range.start(), *parameter.range.end()),
                );
            }
            // Step size a_k and perturbation c_k of Spall's method: the step is a_k / c_k.
            steps.push(self.rate * last * last * larger / perturbation);
        }
        Comparison { sides, steps }
    }

    /// Moves all values after the first side scored `points` more than the second.
    pub(super) fn learn(&mut self, comparison: &Comparison, points: f64) {
        for (index, step) in comparison.steps.iter().enumerate() {
            self.values[index] = self.clamped(index, self.values[index] + step * points);
        }
        self.done += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tuning(planned: u64) -> Tuning {
        let parameters = Margins::parameters();
        let default = |it: &Parameter| f64::from((it.get)(&Margins::NETWORK));
        let values = parameters.iter().map(default).collect();
        Tuning { parameters, values, done: 0, planned, rate: 0.01 }
    }

    #[test]
    fn values_approach_the_optimum_of_a_known_function() {
        let mut tuning = tuning(4000);
        let mut random = Random::new(5);
        let ranges: Vec<[f64; 2]> = tuning
            .parameters
            .iter()
            .map(|it| [f64::from(*it.range.start()), f64::from(*it.range.end())])
            .collect();
        // The best value of each parameter is at three quarters of its range.
        let loss = |values: &[f64]| -> f64 {
            let parts = values.iter().zip(&ranges);
            parts.map(|(value, [low, high])| ((value - low) / (high - low) - 0.75).powi(2)).sum()
        };
        let read = |margins: &Margins| -> Vec<f64> {
            Margins::parameters().iter().map(|it| f64::from((it.get)(margins))).collect()
        };
        let before = loss(&tuning.values);
        for pair in 0..tuning.planned {
            let comparison = tuning.comparison(pair, &mut random);
            let [first, second] = comparison.sides.each_ref().map(|side| loss(&read(side)));
            let points = (second - first).clamp(-2.0, 2.0);
            tuning.learn(&comparison, points);
        }
        let after = loss(&tuning.values);
        assert!(after < before / 2.0, "{before} {after}");
    }

    #[test]
    fn both_sides_stay_within_the_ranges() {
        let tuning = tuning(10);
        let mut random = Random::new(3);
        for pair in 0..200 {
            for side in tuning.comparison(pair, &mut random).sides {
                for Parameter { name, range, get, .. } in Margins::parameters() {
                    assert!(range.contains(&get(&side)), "{name}");
                }
            }
        }
    }

    #[test]
    fn a_run_continues_where_it_was_saved() {
        let mut saved = tuning(10);
        let comparison = saved.comparison(0, &mut Random::new(1));
        saved.learn(&comparison, 2.0);
        let mut read = tuning(10);
        read.read(&saved.table()).unwrap();
        assert_eq!(read.done, 1);
        assert_eq!(read.table(), saved.table());
        assert!(read.read("pairs many").is_err());
        assert!(read.read("aspiration").is_err());
    }
}
