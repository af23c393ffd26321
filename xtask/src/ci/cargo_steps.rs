//! The steps that consist of a single cargo command.

use std::env;
use std::num::NonZero;
use std::path::Path;
use std::process::Command;
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

/// Builds everything, including all tests, and fails on any warning of the compiler or of clippy.
pub(crate) fn build(workspace: &Workspace, _: &Tools) -> Result<()> {
    finish(linting(&mut cargo(workspace, BUILD_ALL)))
}

/// Builds what the tests run. Every step that runs such a program uses these words, because with
/// fewer packages some crates would be built again with fewer features.
const BUILD_ALL: [&str; 3] = ["test", "--workspace", "--no-run"];

/// Makes cargo compile our own crates with clippy's compiler, which also produces code.
///
/// `cargo clippy` only checks the code. The tests would have to be compiled a second time after it,
/// and all third-party crates with them. Third-party crates are compiled as always, so they are
/// shared with other builds.
pub(crate) fn linting(command: &mut Command) -> &mut Command {
    let name = format!("clippy-driver{}", env::consts::EXE_SUFFIX);
    // In a toolchain both programs are in one folder.
    let beside_cargo = env::var_os("CARGO").map(|cargo| Path::new(&cargo).with_file_name(&name));
    let driver = beside_cargo.filter(|path| path.is_file()).unwrap_or_else(|| name.into());
    command.env("RUSTC_WORKSPACE_WRAPPER", driver);
    // This is how `cargo clippy` passes on what follows `--`. RUSTFLAGS would replace the flags of
    // .cargo/config.toml and rebuild every third-party crate.
    let args: String =
        ["--deny", "warnings"].map(|arg| format!("{arg}__CLIPPY_HACKERY__")).concat();
    command.env("CLIPPY_ARGS", args)
}

/// Runs all unit and integration tests. Some of them mostly wait, so there are more tests at a time
/// than cores.
pub(super) fn tests(workspace: &Workspace, tools: &Tools) -> Result<()> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get) + 2;
    let mut command = nextest(workspace, tools);
    command.args(["run", "--workspace", "--test-threads", &threads.to_string()]);
    finish(linting(&mut command))
}

/// Runs the examples in doc comments.
pub(super) fn doctests(workspace: &Workspace, _: &Tools) -> Result<()> {
    finish(linting(&mut cargo(workspace, ["test", "--doc", "--workspace"])))
}

/// Fails on a broken link or any other warning in the docs.
pub(super) fn rustdoc(workspace: &Workspace, _: &Tools) -> Result<()> {
    let mut command = cargo(workspace, ["doc", "--workspace", "--no-deps"]);
    finish(command.env("RUSTDOCFLAGS", "-D warnings"))
}
