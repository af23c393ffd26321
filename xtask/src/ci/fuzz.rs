//! A short run of every fuzz target, long enough to catch an obviously broken law.

use std::env::consts::EXE_SUFFIX;
use std::num::NonZero;
use std::process::Command;
use std::thread;

use anyhow::Result;

use crate::ci::cargo_steps::{SEED, build};
use crate::process::{finish, prepare};
use crate::setup::Tools;
use crate::workspace::Workspace;

/// Feeds the same random inputs to every law in each run.
pub(super) fn smoke(workspace: &Workspace, tools: &Tools) -> Result<()> {
    // The release profile would not detect overflows, and tests are optimized anyway.
    build(workspace, tools)?;
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let program = workspace.target().join("debug").join(format!("castellan-fuzz{EXE_SUFFIX}"));
    let mut command = Command::new(program);
    prepare(&mut command, workspace);
    finish(command.args(["--short", "--seed", SEED, "--threads", &threads.to_string()]))
}
