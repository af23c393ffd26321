//! A short run of every fuzz target, enough to catch a law broken outright.

use anyhow::Result;

use crate::process::{cargo, finish};
use crate::workspace::Workspace;

/// For all targets together.
const BUDGET_SECONDS: u32 = 60;

/// Feeds random input to every law for a minute in total.
pub(super) fn smoke(workspace: &Workspace) -> Result<()> {
    // Not in release: there overflow would go unseen, and tests are optimised anyway.
    let mut command = cargo(workspace, ["run", "--package", "castellan-fuzz", "--", "--seconds"]);
    finish(command.arg(BUDGET_SECONDS.to_string()))
}
