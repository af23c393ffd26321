//! The steps that consist of a single cargo command.

use std::num::NonZero;
use std::thread;

use anyhow::Result;

use super::compiler::linting;
use crate::process::{cargo, color, finish};
use crate::setup::{Tools, nextest};
use crate::workspace::Workspace;

/// The seed of all random inputs. It is fixed, so that the result depends on the code alone and not on
/// the day or the speed of the machine. Longer runs with other seeds are started by hand.
pub(super) const SEED: &str = "1";

/// Fails on a file that rustfmt would change.
pub(super) fn fmt(workspace: &Workspace, _: &Tools) -> Result<()> {
    // Rustfmt ignores `CARGO_TERM_COLOR`, so the color is passed as an option.
    let mut command = cargo(workspace, ["fmt", "--all", "--check", "--", "--color"]);
    finish(command.arg(color()))
}

/// Builds everything, including all tests, and fails on any warning of the compiler, clippy or
/// rustdoc.
pub(crate) fn build(workspace: &Workspace, _: &Tools) -> Result<()> {
    finish(linting(&mut cargo(workspace, BUILD_ALL))?)
}

/// Builds what the tests run. Every step that runs such a program uses these words, because with
/// fewer packages some crates would be built again with fewer features.
const BUILD_ALL: [&str; 3] = ["test", "--workspace", "--no-run"];

/// Runs all unit and integration tests. Some of them mostly wait, so there are more tests at a time
/// than cores. Property tests get the same inputs in every run, like the fuzz step.
pub(super) fn tests(workspace: &Workspace, tools: &Tools) -> Result<()> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get) + 2;
    let mut command = nextest(workspace, tools);
    command.args(["run", "--workspace", "--test-threads", &threads.to_string()]);
    command.env("PROPTEST_RNG_SEED", SEED);
    finish(linting(&mut command)?)
}

/// Runs the examples in doc comments.
pub(super) fn doctests(workspace: &Workspace, _: &Tools) -> Result<()> {
    finish(linting(&mut cargo(workspace, ["test", "--doc", "--workspace"]))?)
}
