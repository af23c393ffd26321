//! The rules once more, compiled for other processors than this one.
//!
//! The default build takes the native instructions, so the twin of each would
//! otherwise never be tested on a modern machine.

use anyhow::Result;

use crate::process::finish;
use crate::setup::{Tools, nextest};
use crate::workspace::Workspace;

/// Without PEXT and vectors of four words; with both, a build differs from the native one in no
/// line of ours.
const LEVEL: &str = "x86-64-v2";

/// Tests `castellan-rules` and `castellan-arch` at that level.
pub(super) fn rules(workspace: &Workspace, tools: &Tools) -> Result<()> {
    if !cfg!(target_arch = "x86_64") {
        eprintln!("skipped: only x86-64 has native instructions to do without");
        return Ok(());
    }
    let mut command = nextest(workspace, tools);
    command.args(["run", "--package", "castellan-rules", "--package", "castellan-arch"]);
    // Other flags mean other artefacts: in the common folder the builds would
    // replace each other on every run.
    command.arg("--target-dir").arg(workspace.target().join(LEVEL));
    // The encoded form, if set, would win over the plain one.
    command.env_remove("CARGO_ENCODED_RUSTFLAGS");
    finish(command.env("RUSTFLAGS", format!("-C target-cpu={LEVEL}")))
}
