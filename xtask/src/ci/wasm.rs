//! Checks that the crates for the browser build, and that the rules are small.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::process::{cargo, finish};
use crate::setup::{Tools, WASM_TARGET};
use crate::workspace::Workspace;

/// Maximum size of a module with only the rules, before compression.
const LIMIT_BYTES: u64 = 150_000;

/// Minimum size of that module. A smaller one has only the bare runtime (about 5 kB) and no attack
/// table: the linker has dropped the rules, and the limit above would check nothing.
const FLOOR_BYTES: u64 = 20_000;

/// Checks the libraries that run in the browser, and the size of the rules among them.
pub(super) fn rules(workspace: &Workspace, _: &Tools) -> Result<()> {
    let package = ["--release", "--target", WASM_TARGET, "--package", "castellan-rules"];
    // The build step lints only the code for this machine's processor.
    let mut clippy = cargo(workspace, ["clippy"]);
    let others = ["pgn", "winnable", "legality"].map(|name| format!("--package=castellan-{name}"));
    finish(clippy.args(package).args(others).args(["--", "--deny", "warnings"]))?;
    let mut build = cargo(workspace, ["build"]);
    finish(build.args(package).args(["--example", "wasm_size"]))?;
    let module = workspace.target().join(WASM_TARGET).join("release/examples/wasm_size.wasm");
    let size = fs::metadata(&module)
        .with_context(|| format!("the build created no module at {}", module.display()))?
        .len();
    println!("castellan-rules in wasm: {size} bytes of {LIMIT_BYTES}");
    check_size(size)
}

fn check_size(bytes: u64) -> Result<()> {
    if bytes > LIMIT_BYTES {
        bail!("the module has {bytes} bytes, {} over the limit", bytes - LIMIT_BYTES);
    }
    if bytes < FLOOR_BYTES {
        bail!("the module has only {bytes} bytes, so it cannot contain the rules");
    }
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
