//! The test runner, found on this machine or installed into the build folder.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::ci::{engines, nats, postgres};
use crate::process::{cargo, finish, prepare, succeeds};
use crate::workspace::Workspace;

/// Runs all unit and integration tests, some of them with engines and a database of other people.
pub(super) fn all(workspace: &Workspace) -> Result<()> {
    engines::install(workspace);
    let mut command = command(workspace)?;
    if let Some(folder) = postgres::find_or_install(workspace)? {
        command.env(postgres::FOLDER_VARIABLE, folder);
    }
    if let Some(program) = nats::find_or_install(workspace)? {
        command.env(nats::PROGRAM_VARIABLE, program);
    }
    finish(command.args(["run", "--workspace"]))
}

/// A nextest command to which a subcommand has yet to be given.
pub(super) fn command(workspace: &Workspace) -> Result<Command> {
    if succeeds(&mut cargo(workspace, ["nextest", "--version"])) {
        return Ok(cargo(workspace, ["nextest"]));
    }
    let binary = own_copy(workspace)?;
    let mut command = Command::new(binary);
    command.arg("nextest");
    prepare(&mut command, workspace);
    Ok(command)
}

/// The copy in the build folder, installed if it is not there yet.
fn own_copy(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target().join("tools");
    let name = format!("cargo-nextest{}", std::env::consts::EXE_SUFFIX);
    let binary = folder.join("bin").join(name);
    if !binary.exists() {
        eprintln!("cargo-nextest is missing; installing it into {}", folder.display());
        // Without the self-update code it needs far fewer crates to build.
        let features = ["--no-default-features", "--features", "default-no-update"];
        let mut install = cargo(workspace, ["install", "cargo-nextest", "--locked"]);
        install.args(features).arg("--root").arg(&folder);
        finish(&mut install).context(
            "cannot install cargo-nextest; with a network, `cargo install cargo-nextest --locked` \
             puts it on your machine",
        )?;
    }
    Ok(binary)
}
