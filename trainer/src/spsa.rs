//! `spsa`: tunes the parameters of the search by matches of the engine against itself.
//!
//! Simultaneous perturbation stochastic approximation (J. C. Spall, 1992): each pair of games
//! compares two sets of parameters that differ from the current values in opposite random
//! directions, and the result moves all values a little toward the better set. The perturbations
//! and the steps shrink as the run goes on, so its planned length matters. The values are written
//! to a file from which a run continues.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use castellan_engine::{Engine, Limits, Margins, Options, Parameter, Signals, embedded_network};
use castellan_nnue::Network;
use castellan_rules::{Color, Line};
use clap::Args;

use crate::random::{Random, mixed};
use crate::selfplay::{
    Adjudicator, MAX_OPENING_ADVANTAGE, opening, read_network, winner_by_rules, written_score,
};

/// Tune the parameters of the search by playing games
#[derive(Args)]
pub(crate) struct SpsaArgs {
    /// Threads, each with its own games; by default one for each core
    #[arg(long)]
    threads: Option<NonZeroUsize>,
    /// Nodes for each move
    #[arg(long, default_value_t = 8000)]
    nodes: u64,
    /// Planned number of game pairs, over all runs with this file
    #[arg(long, default_value_t = 20_000)]
    pairs: u64,
    /// Stop this run after this many seconds
    #[arg(long)]
    seconds: Option<u64>,
    /// Size of the last steps, as a fraction of the perturbation for each half point
    #[arg(long, default_value_t = 0.004)]
    rate: f64,
    /// Parameters to tune; by default all
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Network file; by default the network in the program
    #[arg(long)]
    network: Option<PathBuf>,
    /// Size of the transposition table of each engine, in megabytes
    #[arg(long, default_value_t = 8)]
    hash_mb: usize,
    /// Random plies before each game
    #[arg(long, default_value_t = 8)]
    random_plies: usize,
    /// Seed of openings and perturbations
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// File with the current values; the run continues from it if it exists
    #[arg(long)]
    out: PathBuf,
}

/// The last perturbation as a fraction of a parameter's range.
const PERTURBATION: f64 = 1.0 / 16.0;
/// Spall's exponents for the sizes of the steps and of the perturbations.
const STEP_EXPONENT: f64 = 0.602;
const PERTURBATION_EXPONENT: f64 = 0.101;
/// Spall's stability constant, as a fraction of the planned pairs. A larger one makes the first
/// steps smaller.
const STABILITY: f64 = 0.1;
/// The advantage in centipawns for which a game is adjudicated as won if it lasts.
const WINNING_SCORE: i32 = 1000;
/// The time between two lines of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(30);

/// Runs the command.
pub(crate) fn run(args: &SpsaArgs) -> anyhow::Result<()> {
    let network = match &args.network {
        Some(path) => Some(read_network(path)?),
        None => embedded_network(),
    };
    let mut tuning = Tuning::new(args)?;
    match fs::read_to_string(&args.out) {
        Ok(text) => {
            tuning.read(&text).with_context(|| format!("cannot use {}", args.out.display()))?;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => Err(error).with_context(|| format!("cannot read {}", args.out.display()))?,
    }
    let threads = args.threads.or(available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    println!("{threads} threads, {} parameters, from pair {}", tuning.values.len(), tuning.done);
    let seed = mixed(args.seed ^ mixed(tuning.done));
    let start = Instant::now();
    let end = args.seconds.map(|seconds| start + Duration::from_secs(seconds));
    let shared =
        Mutex::new(SharedTuning { tuning, started: 0, next_report: start + PROGRESS_INTERVAL });
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads as u64)
            .map(|index| {
                let random = Random::new(seed.wrapping_add(index));
                let thread = TuningThread::new(args, network.as_ref(), random);
                let shared = &shared;
                scope.spawn(move || thread.tune(shared, start, end))
            })
            .collect();
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(result) => result,
            Err(_) => bail!("a thread panicked"),
        })
    })?;
    let tuning = locked(&shared);
    tuning.tuning.save(&args.out)?;
    print!("{}", tuning.tuning.table());
    Ok(())
}

fn locked<'a>(shared: &'a Mutex<SharedTuning>) -> MutexGuard<'a, SharedTuning> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the threads share.
struct SharedTuning {
    tuning: Tuning,
    /// The number of pairs that were started in this run.
    started: u64,
    next_report: Instant,
}

/// The values of the parameters and the progress of the run.
struct Tuning {
    parameters: Vec<Parameter>,
    values: Vec<f64>,
    /// The number of finished pairs, in all runs.
    done: u64,
    planned: u64,
    rate: f64,
}

/// One comparison: the parameters of both sides, and what is needed to learn from the result.
struct Comparison {
    sides: [Margins; 2],
    /// How far each value moves if the first side wins by one point.
    steps: Vec<f64>,
}

impl Tuning {
    fn new(args: &SpsaArgs) -> anyhow::Result<Tuning> {
        let mut parameters = Margins::parameters();
        for name in &args.only {
            let is_known = parameters.iter().any(|parameter| parameter.name == name);
            ensure!(is_known, "there is no parameter {name}");
        }
        if !args.only.is_empty() {
            parameters.retain(|parameter| args.only.iter().any(|name| name == parameter.name));
        }
        let default = |parameter: &Parameter| f64::from((parameter.get)(&Margins::DEFAULT));
        let values = parameters.iter().map(default).collect();
        Ok(Tuning { parameters, values, done: 0, planned: args.pairs.max(1), rate: args.rate })
    }

    /// Reads the text that [`table`](Tuning::table) writes. Parameters that it does not name keep
    /// their defaults.
    fn read(&mut self, text: &str) -> anyhow::Result<()> {
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
    fn table(&self) -> String {
        let mut text = format!("pairs {}\n", self.done);
        for (parameter, value) in self.parameters.iter().zip(&self.values) {
            let default = (parameter.get)(&Margins::DEFAULT);
            let _ = writeln!(text, "{} {value:.3} was {default}", parameter.name);
        }
        text
    }

    fn save(&self, path: &Path) -> anyhow::Result<()> {
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
    fn comparison(&self, pair: u64, random: &mut Random) -> Comparison {
        let (planned, pair) = (self.planned as f64, pair.min(self.planned) as f64);
        let stability = STABILITY * planned;
        let wider = (planned / (pair + 1.0)).max(1.0).powf(PERTURBATION_EXPONENT);
        let larger =
            ((stability + planned) / (stability + pair + 1.0)).max(1.0).powf(STEP_EXPONENT);
        let mut sides = [Margins::DEFAULT; 2];
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
    fn learn(&mut self, comparison: &Comparison, points: f64) {
        for (index, step) in comparison.steps.iter().enumerate() {
            self.values[index] = self.clamped(index, self.values[index] + step * points);
        }
        self.done += 1;
    }
}

/// One thread with two engines.
struct TuningThread<'a> {
    args: &'a SpsaArgs,
    engines: [Engine; 2],
    random: Random,
}

impl<'a> TuningThread<'a> {
    fn new(args: &'a SpsaArgs, network: Option<&Arc<Network>>, random: Random) -> TuningThread<'a> {
        let engine = || {
            let mut engine = Engine::new(Options { hash_mb: args.hash_mb, threads: 1 });
            engine.set_network(network.cloned());
            engine
        };
        TuningThread { args, engines: [engine(), engine()], random }
    }

    /// Plays pairs of games until all planned ones are played or the time is up.
    fn tune(
        mut self,
        shared: &Mutex<SharedTuning>,
        start: Instant,
        end: Option<Instant>,
    ) -> anyhow::Result<()> {
        let is_over = || end.is_some_and(|end| Instant::now() >= end);
        while !is_over() {
            let comparison = {
                let mut shared = locked(shared);
                let pair = shared.tuning.done + shared.started;
                if pair >= shared.tuning.planned {
                    break;
                }
                shared.started += 1;
                shared.tuning.comparison(pair, &mut self.random)
            };
            let points = self.play_pair(&comparison.sides, &is_over);
            let mut shared = locked(shared);
            shared.started -= 1;
            if let Some(points) = points {
                shared.tuning.learn(&comparison, points);
            }
            if Instant::now() >= shared.next_report {
                shared.next_report = Instant::now() + PROGRESS_INTERVAL;
                println!("{} s: {} pairs", start.elapsed().as_secs(), shared.tuning.done);
                shared.tuning.save(&self.args.out)?;
            }
        }
        Ok(())
    }

    /// Plays an opening with both colors. Returns the points of the first set of parameters minus
    /// those of the second, or `None` if the time is up.
    fn play_pair(&mut self, sides: &[Margins; 2], is_over: &impl Fn() -> bool) -> Option<f64> {
        for (engine, margins) in self.engines.iter_mut().zip(sides) {
            engine.set_margins(*margins);
        }
        loop {
            if is_over() {
                return None;
            }
            let Some(line) = opening(&mut self.random, self.args.random_plies, 0) else { continue };
            let Some(first) = self.play(line.clone(), 0, is_over) else { continue };
            let Some(second) = self.play(line, 1, is_over) else { continue };
            return Some(first - second);
        }
    }

    /// Plays a game in which the engine `white` has White. Returns 1 if White wins, -1 if Black
    /// wins, and 0 for a draw; `None` if the opening is not balanced or the time is up.
    fn play(&mut self, mut line: Line, white: usize, is_over: &impl Fn() -> bool) -> Option<f64> {
        for engine in &mut self.engines {
            engine.clear();
        }
        let mut adjudicator = Adjudicator::new(WINNING_SCORE);
        let opening_plies = line.moves().len();
        let limits = Limits { nodes: Some(self.args.nodes), ..Limits::default() };
        loop {
            if let Some(winner) = winner_by_rules(&line) {
                return Some(points(winner));
            }
            if is_over() {
                return None;
            }
            let engine = &mut self.engines[white ^ line.turn().fold(0, 1)];
            let signals = Signals::default();
            let answer = engine.go(&line, &limits, &|| Duration::ZERO, &signals, &mut |_| {});
            let mv = answer.mv?;
            let score = i32::from(written_score(answer.score));
            if line.moves().len() == opening_plies && score.abs() > MAX_OPENING_ADVANTAGE {
                return None;
            }
            let score_for_white = line.turn().fold(1, -1) * score;
            line.play(mv).ok()?;
            if let Some(winner) = adjudicator.winner(score_for_white, line.moves().len()) {
                return Some(points(winner));
            }
        }
    }
}

fn points(winner: Option<Color>) -> f64 {
    winner.map_or(0.0, |winner| winner.fold(1.0, -1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tuning(planned: u64) -> Tuning {
        let parameters = Margins::parameters();
        let default = |it: &Parameter| f64::from((it.get)(&Margins::DEFAULT));
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
