//! Checks that a crate depends only on crates of a lower level.
//!
//! Cargo rejects cycles. This check also rejects dependencies that point up or sideways, with which
//! a small library would come to depend on the whole program.

use std::path::Path;

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, MetadataCommand};

use super::Problem;

/// The folders in `crates/`, from the lowest level up.
const LEVELS: [&[&str]; 6] = [
    &["arch", "rules"],
    &["pgn", "winnable", "nnue", "uci"],
    &["legality", "game", "engine"],
    &["protocol", "store", "puzzles"],
    &["wasm", "server"],
    &["cli"],
];

/// The crate for tests. It may depend on anything, but nothing that ships may depend on it.
const TEST_ONLY: &str = "testkit";

/// Checks the dependencies of every package in `crates/` on other packages of the workspace.
pub(super) fn check(root: &Path) -> Result<Vec<Problem>> {
    let metadata = MetadataCommand::new().current_dir(root).no_deps().exec();
    let mut problems = Vec::new();
    for package in metadata.context("cannot read the workspace")?.packages {
        let folder = package.manifest_path.parent().unwrap_or(&package.manifest_path);
        let in_crates = folder.parent().and_then(|parent| parent.file_name()) == Some("crates");
        let name = folder.file_name().unwrap_or_default();
        if !in_crates || name == TEST_ONLY {
            continue;
        }
        for used in package.dependencies.iter().filter(|used| used.path.is_some()) {
            let is_dev = used.kind == DependencyKind::Development;
            if let Some(what) = violation(name, &used.name).filter(|_| !is_dev) {
                problems.push(Problem { file: format!("crates/{name}/Cargo.toml"), line: 1, what });
            }
        }
    }
    Ok(problems)
}

/// Returns why the crate in this folder must not use the package, or `None`.
fn violation(folder: &str, used: &str) -> Option<String> {
    let target = used.strip_prefix("castellan-").unwrap_or(used);
    let level = |folder| LEVELS.iter().position(|level| level.contains(&folder));
    match (level(folder), level(target)) {
        _ if target == TEST_ONLY => Some(format!("{TEST_ONLY} may only be a dev-dependency")),
        // `arch` is below `rules`, but is not a level of its own, because no other crate may bypass
        // the rules and use the processor directly.
        _ if (folder, target) == ("rules", "arch") => None,
        (Some(own), Some(other)) if other < own => None,
        (Some(own), Some(other)) => {
            Some(format!("{folder} (level {own}) must not use {target} (level {other})"))
        }
        (None, _) => Some(format!("{folder} has no level; add it to xtask/src/tidy/packages.rs")),
        (_, None) => Some(format!("{target} has no level and must not be a dependency")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_use_lower_levels_only() {
        let check = |folder, used, expected| {
            assert_eq!(violation(folder, used).as_deref(), expected, "{folder} {used}");
        };
        check("pgn", "castellan-rules", None);
        check("cli", "castellan-engine", None);
        check("rules", "castellan-arch", None);
        check("arch", "castellan-rules", Some("arch (level 0) must not use rules (level 0)"));
        check("rules", "castellan-pgn", Some("rules (level 0) must not use pgn (level 1)"));
        check("pgn", "castellan-uci", Some("pgn (level 1) must not use uci (level 1)"));
        check("cli", "castellan-testkit", Some("testkit may only be a dev-dependency"));
        check("cli", "xtask", Some("xtask has no level and must not be a dependency"));
        let unknown = "magic has no level; add it to xtask/src/tidy/packages.rs";
        check("magic", "castellan-rules", Some(unknown));
    }
}
