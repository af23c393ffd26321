//! Running steps one after another and telling how it went.

use std::fmt;
use std::time::{Duration, Instant};

use crate::ci::Step;
use crate::setup::Tools;
use crate::workspace::Workspace;

/// What each step that was reached did, in order.
pub(super) struct Report {
    rows: Vec<Row>,
    steps_left: usize,
}

struct Row {
    name: &'static str,
    passed: bool,
    duration: Duration,
}

/// Runs the steps until one fails.
pub(super) fn run(steps: &[&Step], workspace: &Workspace, tools: &Tools) -> Report {
    let mut rows = Vec::new();
    for step in steps {
        eprintln!("\n=== {}: {}", step.name, step.about);
        let row = run_one(step, workspace, tools);
        let passed = row.passed;
        rows.push(row);
        if !passed {
            break;
        }
    }
    let steps_left = steps.len() - rows.len();
    Report { rows, steps_left }
}

fn run_one(step: &Step, workspace: &Workspace, tools: &Tools) -> Row {
    let name = step.name;
    let start = Instant::now();
    let result = (step.run)(workspace, tools);
    let duration = start.elapsed();
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
    /// Whether every step was reached and passed.
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
        let total: Duration = self.rows.iter().map(|row| row.duration).sum();
        let result = if self.passed() { "ok" } else { "FAILED" };
        write!(f, "{:<10} {:>8.1}  {result}", "total", total.as_secs_f64())?;
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
        let report = run(steps, &workspace, &Tools::default());
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
    fn the_first_failure_ends_the_run() {
        let text = check(&[&GOOD, &BAD, &GOOD], false, &["good", "bad"]);
        assert!(text.ends_with("FAILED (1 not run)"), "{text}");
    }
}
