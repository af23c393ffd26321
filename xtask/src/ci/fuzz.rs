//! A short run of every fuzz target, long enough to catch an obviously broken law.

use std::env::consts::EXE_SUFFIX;
use std::num::NonZero;
use std::process::Command;
use std::thread;

use anyhow::Result;

use crate::process::{cargo, finish, prepare};
use crate::setup::Tools;
use crate::workspace::Workspace;

/// Total time for all targets and all threads.
const BUDGET_SECONDS: usize = 60;

/// Feeds random input to every law for a minute in total.
pub(super) fn smoke(workspace: &Workspace, _: &Tools) -> Result<()> {
    // The release profile would not detect overflows, and tests are optimized anyway. The command
    // builds the fuzzer as the workspace tests do, so that nothing is built again with fewer
    // features.
    finish(cargo(workspace, ["test", "--workspace", "--test", "it"]).arg("--no-run"))?;
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let seconds = BUDGET_SECONDS.div_ceil(threads);
    let program = workspace.target().join("debug").join(format!("castellan-fuzz{EXE_SUFFIX}"));
    let mut command = Command::new(program);
    prepare(&mut command, workspace);
    command.args(["--threads", &threads.to_string()]);
    finish(command.args(["--seconds", &seconds.to_string()]))
}
