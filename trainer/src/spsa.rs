//! `spsa`: tunes the parameters of the search by matches of the engine against itself.
//!
//! Simultaneous perturbation stochastic approximation (J. C. Spall, 1992): each pair of games
//! compares two sets of parameters that differ from the current values in opposite random
//! directions, and the result moves all values a little toward the better set. The perturbations
//! and the steps shrink as the run goes on, so its planned length matters. The values are written
//! to a file from which a run continues.

mod tuning;

use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use castellan_engine::{Engine, Limits, Margins, Options, Signals, embedded_network};
use castellan_nnue::Network;
use castellan_rules::{Color, Line};
use clap::Args;

use crate::game_end::{Adjudicator, winner_by_rules, written_score};
use crate::opening::{MAX_OPENING_ADVANTAGE, opening};
use crate::random::{Random, mixed};
use crate::selfplay::read_network;
use tuning::Tuning;

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
