//! The steps that consist of a single cargo command.

use std::num::NonZero;
use std::thread;

use anyhow::Result;

use crate::process::{cargo, color, finish};
use crate::setup::{Tools, nextest};
use crate::workspace::Workspace;

/// Fails on a file that rustfmt would change.
pub(super) fn fmt(workspace: &Workspace, _: &Tools) -> Result<()> {
    // Rustfmt ignores `CARGO_TERM_COLOR`, so the color is passed as an option.
    let mut command = cargo(workspace, ["fmt", "--all", "--check", "--", "--color"]);
    finish(command.arg(color()))
}

/// Fails on any warning of the compiler or of clippy.
pub(super) fn clippy(workspace: &Workspace, _: &Tools) -> Result<()> {
    // Warnings are denied by an argument after `--` and not by RUSTFLAGS, which would replace the
    // flags of .cargo/config.toml and rebuild every dependency.
    let args = ["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"];
    finish(&mut cargo(workspace, args))
}

/// Runs all unit and integration tests. Some of them mostly wait, so there are more tests at a time
/// than cores.
pub(super) fn tests(workspace: &Workspace, tools: &Tools) -> Result<()> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get) + 2;
    let mut command = nextest(workspace, tools);
    finish(command.args(["run", "--workspace", "--test-threads", &threads.to_string()]))
}

/// Runs the examples in doc comments.
pub(super) fn doctests(workspace: &Workspace, _: &Tools) -> Result<()> {
    finish(&mut cargo(workspace, ["test", "--doc", "--workspace"]))
}

/// Fails on a broken link or any other warning in the docs.
pub(super) fn rustdoc(workspace: &Workspace, _: &Tools) -> Result<()> {
    let mut command = cargo(workspace, ["doc", "--workspace", "--no-deps"]);
    finish(command.env("RUSTDOCFLAGS", "-D warnings"))
}
