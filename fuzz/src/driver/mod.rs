//! Runs the properties, and reports the input that violates one.

mod corpus;
mod fresh;
mod mutate;

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::io;
use std::panic;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use castellan_fuzz::Target;
use castellan_testkit::random::SplitMix64;

/// When to stop running a target; without either limit it runs forever.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Time for the random inputs.
    pub(crate) time: Option<Duration>,
    /// Number of random inputs.
    pub(crate) executions: Option<u64>,
}

impl Limits {
    fn reached(self, executions: u64, begin: Instant) -> bool {
        self.executions.is_some_and(|limit| executions >= limit)
            || self.time.is_some_and(|limit| begin.elapsed() >= limit)
    }
}

/// What the panic hook needs to know about a thread, updated before each execution.
#[derive(Default)]
struct CurrentRun {
    target: &'static str,
    execution: u64,
    input: Vec<u8>,
}

/// Runs targets and reports the input on which one panics.
pub(crate) struct Driver {
    seed: u64,
    current: Arc<Mutex<HashMap<ThreadId, CurrentRun>>>,
}

/// A summary of the run of a target.
pub(crate) struct Report {
    name: &'static str,
    corpus: usize,
    executions: u64,
    elapsed: Duration,
}

impl Driver {
    /// Creates a driver whose random inputs follow from the seed. From now on, a panic ends the
    /// process.
    pub(crate) fn new(seed: u64) -> Driver {
        let current = Arc::new(Mutex::new(HashMap::<ThreadId, CurrentRun>::new()));
        let known = Arc::clone(&current);
        let default_hook = panic::take_hook();
        // A hook is used instead of catching panics, because release builds abort.
        panic::set_hook(Box::new(move |info| {
            default_hook(info);
            let current = known.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(current) = current.get(&thread::current().id()) {
                current.report(seed);
            }
            std::process::exit(1);
        }));
        Driver { seed, current }
    }

    /// Runs a target on its corpus, then on random inputs until a limit is reached.
    pub(crate) fn run(&self, target: Target, limits: Limits) -> io::Result<Report> {
        let corpus = corpus::read(target.name)?;
        for input in &corpus {
            self.execute(target, 0, input);
        }
        let mut rng = SplitMix64::new(self.seed ^ corpus::fingerprint(target.name.as_bytes()));
        let begin = Instant::now();
        let mut executions = 0;
        while !limits.reached(executions, begin) {
            let input = mutate::input(&mut rng, target.layout, &corpus);
            executions += 1;
            self.execute(target, executions, &input);
        }
        Ok(Report { name: target.name, corpus: corpus.len(), executions, elapsed: begin.elapsed() })
    }

    fn execute(&self, target: Target, execution: u64, input: &[u8]) {
        {
            let mut all = self.current.lock().unwrap_or_else(PoisonError::into_inner);
            let current = all.entry(thread::current().id()).or_default();
            current.target = target.name;
            current.execution = execution;
            current.input.clear();
            current.input.extend_from_slice(input);
        }
        (target.run)(input);
    }
}

impl CurrentRun {
    /// Prints what is needed to reproduce the failure, and saves the input.
    fn report(&self, seed: u64) {
        let CurrentRun { target, execution, input } = self;
        let hex: String = input.iter().map(|byte| format!("{byte:02x}")).collect();
        eprintln!("\ntarget {target}, seed {seed}, execution {execution} (0: from the corpus)");
        eprintln!("input in hexadecimal: {hex}");
        eprintln!("input as text: {:?}", String::from_utf8_lossy(input));
        match self.save() {
            Ok(path) => eprintln!("saved as {}", path.display()),
            Err(error) => eprintln!("not saved: {error}"),
        }
    }

    fn save(&self) -> io::Result<PathBuf> {
        let folder = corpus::package().join("artifacts");
        fs::create_dir_all(&folder)?;
        let hash = corpus::fingerprint(&self.input);
        let path = folder.join(format!("{}-{hash:016x}", self.target));
        fs::write(&path, &self.input)?;
        Ok(path)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { name, corpus, executions, elapsed } = self;
        let seconds = elapsed.as_secs_f64();
        write!(f, "{name:<9} {corpus:>3} from the corpus, {executions:>9} random in {seconds:.1} s")
    }
}

#[cfg(test)]
mod tests {
    use castellan_fuzz::TARGETS;
    use castellan_testkit::random::SplitMix64;

    use super::{corpus, mutate};

    /// Checks past failures without waiting for the fuzz step.
    #[test]
    fn the_corpus_and_a_few_random_inputs_keep_every_law() {
        for target in TARGETS {
            let corpus = corpus::read(target.name).expect("every target has a corpus");
            assert!(!corpus.is_empty(), "{}", target.name);
            let mut rng = SplitMix64::new(1);
            for input in &corpus {
                (target.run)(input);
            }
            for _ in 0..500 {
                (target.run)(&mutate::input(&mut rng, target.layout, &corpus));
            }
        }
    }
}
