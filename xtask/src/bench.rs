//! `cargo xtask bench WHAT`: the measurements against our peers.
//!
//! The bench package knows which measurements exist, and refuses the others. The page is measured
//! in a browser instead.

use std::env;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::play::build_release;
use crate::process;
use crate::setup::{self, Need};
use crate::web;
use crate::workspace::Workspace;

/// Builds the bench package for this machine and measures `what`.
pub(crate) fn run(workspace: &Workspace, what: &str, args: &[String]) -> Result<ExitCode> {
    if what == "page" {
        web::measure(workspace)?;
        return Ok(ExitCode::SUCCESS);
    }
    let needs: &[Need] = if what == "engine" { &[Need::Engines] } else { &[] };
    let tools = setup::prepare(workspace, needs)?;
    // The server is measured as a process of its own, which has to be there.
    if what == "server" {
        build_release(workspace)?;
    }
    let package = ["--package", "castellan-bench", "--features", "peers"];
    let mut command = process::cargo(workspace, ["run", "--release"]);
    command.args(package).arg("--");
    tools.tell(&mut command);
    // Data files are named relative to where the user stands.
    let here = env::current_dir().context("the working folder is gone")?;
    command.arg(what).args(args).current_dir(here);
    process::hand_over(&mut command)
}
