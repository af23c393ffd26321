//! Runs the properties on the corpus, then on inputs randomly derived from it, with stable Rust.
//!
//! Everything follows from the seed. The first violated property ends the run: its input is
//! printed and saved under `fuzz/artifacts`, and the exit status is 1.

mod driver;

use std::iter;
use std::num::NonZero;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use castellan_fuzz::{TARGETS, Target};
use clap::Parser;
use clap::builder::PossibleValuesParser;

use driver::{Driver, Limits};

/// Feed random input to the laws of Castellan
#[derive(Debug, Parser)]
#[command(name = "castellan-fuzz")]
struct Args {
    /// Total time in seconds, shared equally among the targets [default: 60, or unlimited with
    /// --executions or --short]
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
    /// Seed of the random inputs [default: the time of day]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Run only this target; can be repeated
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(names()))]
    target: Vec<String>,
    /// Number of random inputs for each target
    #[arg(long, value_name = "N")]
    executions: Option<u64>,
    /// Run a fixed number of random inputs that depends on the target, about a minute in total
    #[arg(long, conflicts_with_all = ["seconds", "executions"])]
    short: bool,
    /// Number of targets to run at the same time
    #[arg(long, value_name = "N", default_value = "1")]
    threads: NonZero<u32>,
}

const DEFAULT_SECONDS: u64 = 60;

fn main() -> ExitCode {
    let args = Args::parse();
    let is_chosen =
        |target: &Target| args.target.is_empty() || args.target.iter().any(|n| n == target.name);
    let targets: Vec<Target> = TARGETS.into_iter().filter(is_chosen).collect();
    let limits = limits(&args, targets.len());
    let limits_of = |target: Target| match args.short {
        true => Limits { time: None, executions: Some(target.short_run) },
        false => limits,
    };
    let seed = args.seed.unwrap_or_else(time_of_day);
    println!("seed {seed}");
    let driver = Driver::new(seed);
    let queue = Mutex::new(targets.into_iter());
    let work = || {
        iter::from_fn(|| queue.lock().unwrap_or_else(PoisonError::into_inner).next())
            .all(|target| run_target(&driver, target, limits_of(target)))
    };
    let is_complete = thread::scope(|scope| {
        let workers: Vec<_> = (0..args.threads.get()).map(|_| scope.spawn(work)).collect();
        workers.into_iter().all(|worker| worker.join().unwrap_or(false))
    });
    if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs a target. Returns `false` if its corpus cannot be read; a violated property ends the
/// program.
fn run_target(driver: &Driver, target: Target, limits: Limits) -> bool {
    match driver.run(target, limits) {
        Ok(report) => println!("{report}"),
        Err(error) => {
            eprintln!("the corpus of {} cannot be read: {error}", target.name);
            return false;
        }
    }
    true
}

fn names() -> [&'static str; TARGETS.len()] {
    TARGETS.map(|target| target.name)
}

fn limits(args: &Args, target_count: usize) -> Limits {
    let seconds = match (args.seconds, args.executions) {
        (None, None) => Some(DEFAULT_SECONDS),
        (seconds, _) => seconds,
    };
    let share = u32::try_from(target_count).expect("there are few targets");
    let threads = args.threads.get().min(share);
    Limits {
        time: seconds.map(|seconds| Duration::from_secs(seconds) * threads / share),
        executions: args.executions,
    }
}

fn time_of_day() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_secs()
}
