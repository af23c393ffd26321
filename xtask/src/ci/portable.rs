//! The rules once more, compiled for a processor without PEXT.
//!
//! The default build takes the native instructions, so the portable twin of
//! each would otherwise never be tested on a modern machine.

use anyhow::Result;

use crate::ci::nextest;
use crate::process::finish;
use crate::workspace::Workspace;

const PORTABLE_FLAGS: &str = "-C target-cpu=x86-64-v2";

/// Tests `castellan-rules` with the small tables.
pub(super) fn rules(workspace: &Workspace) -> Result<()> {
    if !cfg!(target_arch = "x86_64") {
        eprintln!("skipped: only x86-64 has native instructions to do without");
        return Ok(());
    }
    let mut command = nextest::command(workspace)?;
    command.args(["run", "--package", "castellan-rules", "--target-dir"]);
    // Other flags mean other artefacts: in the common folder the two builds
    // would replace each other on every run.
    command.arg(workspace.target().join("portable"));
    // The encoded form, if set, would win over the plain one.
    finish(command.env_remove("CARGO_ENCODED_RUSTFLAGS").env("RUSTFLAGS", PORTABLE_FLAGS))
}
