//! `cargo xtask test`: everything that continuous integration runs.
//!
//! This file defines the steps, their order and the tools that each needs. The tools of all steps
//! are prepared before the first step runs. Cheap steps come first, so that a mistake is reported
//! within seconds. A step marked as aside runs in parallel with the step before it, where neither
//! uses all cores. The first step that fails ends the run.

pub(crate) mod cargo_steps;
pub(crate) mod compiler;
mod fuzz;
mod run;
mod start;
mod wasm;

use std::process::ExitCode;

use anyhow::Result;

use crate::setup::{self, Need, Tools};
use crate::tidy;
use crate::web;
use crate::workspace::Workspace;

/// One step of the test run: its name on the command line, a description, the tools it needs, and
/// the function that runs it.
struct Step {
    name: &'static str,
    about: &'static str,
    needs: &'static [Need],
    run: Run,
    is_parallel: bool,
}

const STEPS: [Step; 10] = [
    Step::new("fmt", "the code is formatted", &[Need::Lints], cargo_steps::fmt),
    Step::new("tidy", "the conventions are followed", &[], |at, _| tidy::run(at, false)),
    Step::new("build", "code and docs build without warnings", &[Need::Lints], cargo_steps::build),
    Step::new(
        "site",
        "the page builds and its unit tests pass",
        &[Need::WasmTarget, Need::Node, Need::NodePackages],
        web::test_units,
    )
    .parallel(),
    Step::new(
        "wasm",
        "the rules build for WebAssembly and stay small",
        &[Need::WasmTarget, Need::Lints],
        wasm::rules,
    ),
    Step::new(
        "page",
        "the page works in a browser",
        &[Need::Lints, Need::WasmTarget, Need::Node, Need::NodePackages, Need::Browser],
        web::test_in_browser,
    ),
    Step::new(
        "nextest",
        "unit and integration tests",
        &[Need::Lints, Need::Nextest, Need::Engines, Need::Postgres, Need::Nats],
        cargo_steps::tests,
    ),
    Step::new("doctests", "the examples in the docs work", &[Need::Lints], cargo_steps::doctests),
    Step::new("fuzz", "the laws hold for random input", &[Need::Lints], fuzz::smoke),
    Step::new("play", "`cargo xtask play` works", &Need::PAGE, start::play),
];

type Run = fn(&Workspace, &Tools) -> Result<()>;

impl Step {
    const fn new(
        name: &'static str,
        about: &'static str,
        needs: &'static [Need],
        run: Run,
    ) -> Step {
        Step { name, about, needs, run, is_parallel: false }
    }

    /// Marks the step to run in parallel with the one before it.
    const fn parallel(self) -> Step {
        Step { is_parallel: true, ..self }
    }
}

/// Returns the names of the steps, in order.
pub(crate) fn names() -> [&'static str; STEPS.len()] {
    STEPS.each_ref().map(|step| step.name)
}

/// Prints the steps, in order.
pub(crate) fn list() {
    for step in &STEPS {
        println!("{:<10}{}", step.name, step.about);
    }
}

/// Runs the steps named in `only`, or all of them if it is empty.
pub(crate) fn run(workspace: &Workspace, only: &[String]) -> Result<ExitCode> {
    let chosen = |step: &&Step| only.is_empty() || only.iter().any(|name| name == step.name);
    let steps: Vec<&Step> = STEPS.iter().filter(chosen).collect();
    let mut needs = Vec::new();
    for need in steps.iter().flat_map(|step| step.needs) {
        if !needs.contains(need) {
            needs.push(*need);
        }
    }
    let tools = setup::prepare(workspace, &needs)?;
    let report = run::run(&steps, workspace, &tools, run::start);
    println!("\n{report}");
    Ok(if report.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_names_are_unique() {
        let mut sorted = names();
        sorted.sort_unstable();
        assert!(sorted.windows(2).all(|pair| pair[0] != pair[1]), "{sorted:?}");
    }
}
