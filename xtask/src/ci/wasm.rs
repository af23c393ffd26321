//! What the browser gets: does it build, and are the rules small.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::process::{cargo, finish, output, prepare};
use crate::workspace::Workspace;

const TARGET: &str = "wasm32-unknown-unknown";

/// What the rules alone may take up, before compression.
const LIMIT_BYTES: u64 = 150_000;

/// Below this there is a bare runtime (about 5 kB) and no attack table: the
/// linker has dropped the rules, and the limit above would check nothing.
const FLOOR_BYTES: u64 = 20_000;

/// Checks the libraries that the browser gets, and the size of the rules among them.
pub(super) fn rules(workspace: &Workspace) -> Result<()> {
    install_target(workspace)?;
    let package = ["--release", "--target", TARGET, "--package", "castellan-rules"];
    // The clippy step has seen only the code for this machine's processor.
    let mut clippy = cargo(workspace, ["clippy"]);
    let others = ["--package", "castellan-pgn", "--package", "castellan-legality"];
    finish(clippy.args(package).args(others).args(["--", "--deny", "warnings"]))?;
    let mut build = cargo(workspace, ["build"]);
    finish(build.args(package).args(["--example", "wasm_size"]))?;
    let module = workspace.target().join(TARGET).join("release/examples/wasm_size.wasm");
    let size = fs::metadata(&module)
        .with_context(|| format!("the example left no module at {}", module.display()))?
        .len();
    println!("castellan-rules in wasm: {size} bytes of {LIMIT_BYTES}");
    check_size(size)
}

fn check_size(bytes: u64) -> Result<()> {
    if bytes > LIMIT_BYTES {
        bail!("the module has {bytes} bytes, {} over the limit", bytes - LIMIT_BYTES);
    }
    if bytes < FLOOR_BYTES {
        bail!("the module has only {bytes} bytes, so the rules cannot be in it");
    }
    Ok(())
}

/// Adds the target to the toolchain unless it is there.
fn install_target(workspace: &Workspace) -> Result<()> {
    let mut query = Command::new("rustc");
    prepare(&mut query, workspace);
    let folder = output(query.args(["--print", "target-libdir", "--target", TARGET]))?;
    if Path::new(folder.trim()).is_dir() {
        return Ok(());
    }
    let mut rustup = Command::new("rustup");
    prepare(&mut rustup, workspace);
    let added = finish(rustup.args(["target", "add", TARGET]));
    added.with_context(|| format!("the target {TARGET} is missing; add it to your toolchain"))?;
    ensure!(Path::new(folder.trim()).is_dir(), "rustup did not add {TARGET} to this toolchain");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_over_the_limit_is_refused() {
        check_size(LIMIT_BYTES).expect("the limit itself is allowed");
        let error = check_size(LIMIT_BYTES + 1).expect_err("it is too large");
        assert_eq!(error.to_string(), "the module has 150001 bytes, 1 over the limit");
    }

    #[test]
    fn a_module_without_the_rules_is_refused() {
        assert!(check_size(FLOOR_BYTES - 1).is_err());
    }
}
