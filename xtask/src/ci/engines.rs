//! Other people's engines for the tests that drive them, from Debian.
//!
//! They are not needed to pass: a test whose engine is missing says so and is skipped. So
//! whatever keeps them from being installed is told and is no failure.

use std::path::Path;
use std::process::Command;

use crate::process::{finish, prepare};
use crate::workspace::Workspace;

/// Each is the name of a package and of the program in it.
const PACKAGES: [&str; 5] = ["ethereal-chess", "glaurung", "phalanx", "stockfish", "toga2"];

/// Where Debian puts games.
const FOLDER: &str = "/usr/games";

/// Installs those that are missing, if it can be done.
pub(super) fn install(workspace: &Workspace) {
    let is_missing = |name: &&str| !Path::new(FOLDER).join(name).exists();
    let missing: Vec<&str> = PACKAGES.into_iter().filter(is_missing).collect();
    if missing.is_empty() {
        return;
    }
    // The lists of a fresh machine are empty or old; those of others need not be loaded again.
    let install = || apt(workspace, "install", &missing);
    let installed = install().or_else(|_| apt(workspace, "update", &[]).and_then(|()| install()));
    if let Err(error) = installed {
        eprintln!(
            "the tests with {} will be skipped: {error:#}; as root, `apt-get install {}` puts \
             them on a Debian machine",
            missing.join(", "),
            missing.join(" ")
        );
    }
}

fn apt(workspace: &Workspace, what: &str, packages: &[&str]) -> anyhow::Result<()> {
    let mut command = Command::new("apt-get");
    prepare(&mut command, workspace);
    command.args([what, "--yes", "--quiet", "--option", "DPkg::Lock::Timeout=60"]);
    if what == "install" {
        command.arg("--no-install-recommends");
    }
    finish(command.args(packages).env("DEBIAN_FRONTEND", "noninteractive"))
}
