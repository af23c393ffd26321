//! `cargo xtask play`: builds the binary and hands the terminal over to it.

use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::process;
use crate::workspace::Workspace;

/// Builds `castellan` in release and becomes `castellan play`.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<ExitCode> {
    let package = ["build", "--release", "--package", "castellan-cli", "--bin", "castellan"];
    process::finish(&mut process::cargo(workspace, package))?;
    // Not `cargo run`: the game then gets the terminal and the signals without
    // a cargo in between, and starts in the folder of the user.
    let binary = workspace.target().join("release").join("castellan");
    let mut command = Command::new(binary.with_extension(std::env::consts::EXE_EXTENSION));
    command.arg("play").args(args);
    process::hand_over(&mut command)
}
