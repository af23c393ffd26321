//! `cargo xtask test`: everything that continuous integration runs.
//!
//! Owns: which steps there are and in which order. Cheap steps stand first, so
//! that a slip is reported in seconds; the page stands before the tests of the server, which takes
//! it in and would otherwise be built twice. The first step that fails ends the run.

mod cargo_steps;
pub(crate) mod debian;
mod engines;
mod fuzz;
mod nats;
mod nextest;
mod portable;
mod postgres;
mod run;
mod wasm;

use std::process::ExitCode;

use anyhow::Result;

use crate::tidy;
use crate::web;
use crate::workspace::Workspace;

/// One step: a name to type, what it is for, and what it does.
struct Step {
    name: &'static str,
    about: &'static str,
    run: Run,
}

const STEPS: [Step; 10] = [
    Step::new("fmt", "the code is formatted", cargo_steps::fmt),
    Step::new("clippy", "no lint complains", cargo_steps::clippy),
    Step::new("tidy", "the conventions hold", |at| tidy::run(at, false)),
    Step::new("page", "the page in a browser", web::test),
    Step::new("nextest", "unit and integration tests", nextest::all),
    Step::new("doctests", "the examples in the docs run", cargo_steps::doctests),
    Step::new("rustdoc", "the docs build without warnings", cargo_steps::rustdoc),
    Step::new("wasm", "the rules fit into the browser", wasm::rules),
    Step::new("portable", "the rules without native instructions", portable::rules),
    Step::new("fuzz", "one minute of random input", fuzz::smoke),
];

type Run = fn(&Workspace) -> Result<()>;

impl Step {
    const fn new(name: &'static str, about: &'static str, run: Run) -> Step {
        Step { name, about, run }
    }
}

/// The names of the steps, in order.
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
    let report = run::run(&steps, workspace);
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
