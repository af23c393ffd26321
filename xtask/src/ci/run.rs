//! Runs the steps one after another and reports the results.

use std::env;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::ci::Step;
use crate::process::prepare;
use crate::setup::Tools;
use crate::workspace::Workspace;

/// The results of the steps that ran, in order.
pub(super) struct Report {
    rows: Vec<Row>,
    steps_left: usize,
    duration: Duration,
}

struct Row {
    name: &'static str,
    passed: bool,
    duration: Duration,
}

/// Runs the steps until one fails. A step marked as parallel starts together with the step
/// before it, and the next step begins after both have ended.
pub(super) fn run(
    steps: &[&Step],
    workspace: &Workspace,
    tools: &Tools,
    start: fn(&Step, &Workspace) -> Result<ParallelStep>,
) -> Report {
    let begin = Instant::now();
    let mut rows = Vec::new();
    for group in steps.chunk_by(|_, next| next.is_parallel) {
        let (first, others) = group.split_first().expect("chunks are not empty");
        let running: Vec<_> = others.iter().map(|step| (*step, start(step, workspace))).collect();
        eprintln!("\n=== {}: {}", first.name, first.about);
        rows.push(run_one(first, || timed(|| (first.run)(workspace, tools))));
        for (step, parallel) in running {
            eprintln!("\n=== {}: {} (in parallel with {})", step.name, step.about, first.name);
            rows.push(run_one(step, || match parallel {
                Ok(parallel) => parallel.finish(),
                Err(error) => (Err(error), Duration::ZERO),
            }));
        }
        if !rows.iter().all(|row| row.passed) {
            break;
        }
    }
    let steps_left = steps.len() - rows.len();
    Report { rows, steps_left, duration: begin.elapsed() }
}

/// A step that runs in a separate process, in parallel with another step.
pub(super) struct ParallelStep {
    /// Waits for the process, and returns its status and how long it ran.
    waiting: JoinHandle<(io::Result<ExitStatus>, Duration)>,
    log: PathBuf,
}

/// Starts a step as another process of this program, with its output in a file.
pub(super) fn start(step: &Step, workspace: &Workspace) -> Result<ParallelStep> {
    let mut command = Command::new(env::current_exe().context("cannot find the path of xtask")?);
    prepare(&mut command, workspace);
    start_command(command.args(["test", "--only", step.name]), step, workspace)
}

fn start_command(
    command: &mut Command,
    step: &Step,
    workspace: &Workspace,
) -> Result<ParallelStep> {
    let log = workspace.target().join(format!("{}.log", step.name));
    let file = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    let mut child = command.spawn().context("cannot start a step")?;
    let waiting = thread::spawn(move || timed(|| child.wait()));
    Ok(ParallelStep { waiting, log })
}

impl ParallelStep {
    /// Waits for the step to end, prints its output, and returns how long it took.
    fn finish(self) -> (Result<()>, Duration) {
        let (status, duration) = self.waiting.join().expect("waiting does not panic");
        (show(status, &self.log), duration)
    }
}

/// Prints the output of a step, and returns an error unless it succeeded.
fn show(status: io::Result<ExitStatus>, log: &Path) -> Result<()> {
    io::copy(&mut File::open(log)?, &mut io::stderr())?;
    let status = status?;
    ensure!(status.success(), "the step failed ({status})");
    Ok(())
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    (run(), start.elapsed())
}

fn run_one(step: &Step, run: impl FnOnce() -> (Result<()>, Duration)) -> Row {
    let name = step.name;
    let (result, duration) = run();
    let seconds = duration.as_secs_f64();
    match &result {
        Ok(()) => eprintln!("--- {name} passed in {seconds:.1} s"),
        Err(error) => {
            eprintln!("--- {name} FAILED after {seconds:.1} s: {error:#}");
            eprintln!("to run this step alone: cargo xtask test --only {name}");
        }
    }
    Row { name, passed: result.is_ok(), duration }
}

impl Report {
    /// Returns whether every step ran and passed.
    pub(super) fn passed(&self) -> bool {
        self.steps_left == 0 && self.rows.iter().all(|row| row.passed)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<10} {:>8}  result", "step", "seconds")?;
        for row in &self.rows {
            let result = if row.passed { "ok" } else { "FAILED" };
            writeln!(f, "{:<10} {:>8.1}  {result}", row.name, row.duration.as_secs_f64())?;
        }
        let result = if self.passed() { "ok" } else { "FAILED" };
        write!(f, "{:<10} {:>8.1}  {result}", "total", self.duration.as_secs_f64())?;
        if self.steps_left > 0 {
            write!(f, " ({} not run)", self.steps_left)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    const GOOD: Step = Step::new("good", "passes", &[], |_, _| Ok(()));
    const BAD: Step = Step::new("bad", "fails", &[], |_, _| bail!("broken on purpose"));

    #[track_caller]
    fn check(steps: &[&Step], passed: bool, reached: &[&str]) -> String {
        let workspace = Workspace::locate().expect("the tests run inside the workspace");
        let report = run(steps, &workspace, &Tools::default(), |step, workspace| {
            let program = if step.name == "good" { "true" } else { "false" };
            start_command(&mut Command::new(program), step, workspace)
        });
        assert_eq!(report.passed(), passed);
        assert_eq!(report.rows.iter().map(|row| row.name).collect::<Vec<_>>(), reached);
        report.to_string()
    }

    #[test]
    fn all_steps_run_while_they_pass() {
        let text = check(&[&GOOD, &GOOD], true, &["good", "good"]);
        assert!(text.ends_with("ok"), "{text}");
    }

    #[test]
    fn a_parallel_step_runs_and_can_fail() {
        const GOOD_PARALLEL: Step = GOOD.parallel();
        const BAD_PARALLEL: Step = BAD.parallel();
        check(&[&GOOD, &GOOD_PARALLEL, &GOOD], true, &["good", "good", "good"]);
        let text = check(&[&GOOD, &BAD_PARALLEL, &GOOD], false, &["good", "bad"]);
        assert!(text.ends_with("FAILED (1 not run)"), "{text}");
        check(&[&BAD, &GOOD_PARALLEL, &GOOD], false, &["bad", "good"]);
    }

    #[test]
    fn the_first_failure_ends_the_run() {
        let text = check(&[&GOOD, &BAD, &GOOD], false, &["good", "bad"]);
        assert!(text.ends_with("FAILED (1 not run)"), "{text}");
    }
}
