//! `cargo xtask bench WHAT`: benchmarks against other programs.
//!
//! The bench package knows which benchmarks exist and rejects other names. The exception is `page`,
//! which is measured in a browser.

use std::env;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::play::build_release;
use crate::process;
use crate::setup::{self, Need};
use crate::web;
use crate::workspace::Workspace;

/// Builds the bench package for this machine and runs the benchmark `what`.
pub(crate) fn run(workspace: &Workspace, what: &str, args: &[String]) -> Result<ExitCode> {
    if what == "page" {
        web::measure(workspace)?;
        return Ok(ExitCode::SUCCESS);
    }
    let needs: &[Need] = if what == "engine" { &[Need::Engines] } else { &[] };
    let tools = setup::prepare(workspace, needs)?;
    // The server runs as a separate process during the benchmark, so its binary has to exist.
    if what == "server" {
        build_release(workspace)?;
    }
    let package = ["--package", "castellan-bench", "--features", "peers"];
    let mut command = process::cargo(workspace, ["run", "--release"]);
    command.args(package).arg("--");
    tools.set_environment(&mut command);
    // Paths of data files are relative to the user's working folder.
    let here = env::current_dir().context("cannot determine the current directory")?;
    command.arg(what).args(args).current_dir(here);
    process::replace_process(&mut command)
}
