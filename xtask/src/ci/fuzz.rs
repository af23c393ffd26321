//! A short run of every fuzz target, long enough to catch an obviously broken law.

use std::env::consts::EXE_SUFFIX;
use std::num::NonZero;
use std::process::Command;
use std::thread;

use anyhow::Result;

use crate::ci::cargo_steps::build;
use crate::process::{finish, prepare};
use crate::setup::Tools;
use crate::workspace::Workspace;

/// Total time for all targets and all threads.
const BUDGET_SECONDS: usize = 60;

/// Feeds random input to every law for a minute in total.
pub(super) fn smoke(workspace: &Workspace, tools: &Tools) -> Result<()> {
    // The release profile would not detect overflows, and tests are optimized anyway.
    build(workspace, tools)?;
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let seconds = BUDGET_SECONDS.div_ceil(threads);
    let program = workspace.target().join("debug").join(format!("castellan-fuzz{EXE_SUFFIX}"));
    let mut command = Command::new(program);
    prepare(&mut command, workspace);
    command.args(["--threads", &threads.to_string()]);
    finish(command.args(["--seconds", &seconds.to_string()]))
}
