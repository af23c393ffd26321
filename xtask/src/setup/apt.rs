//! Debian packages, which are installed if that needs no password.

use std::process::Command;

use anyhow::Result;

use crate::process::{finish, output, prepare};
use crate::setup::search::{on_path, parse_version};
use crate::workspace::Workspace;

/// Returns whether the user is root on a system with apt.
pub(super) fn is_usable() -> bool {
    let is_root = || output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    on_path("apt-get").is_some() && is_root()
}

/// Installs packages with apt.
pub(super) fn install(workspace: &Workspace, packages: &[&str]) -> Result<()> {
    // The package lists of a fresh machine are empty or old, so they are updated if the first
    // attempt fails.
    let install = || apt(workspace, "install", packages);
    install().or_else(|_| apt(workspace, "update", &[]).and_then(|()| install()))
}

/// Returns the version that apt would install, according to the package lists on this machine.
pub(super) fn candidate(package: &str) -> Option<[u32; 3]> {
    let policy = output(Command::new("apt-cache").args(["policy", package])).ok()?;
    let line = policy.lines().find_map(|line| line.trim().strip_prefix("Candidate:"))?;
    parse_version(line)
}

fn apt(workspace: &Workspace, subcommand: &str, packages: &[&str]) -> Result<()> {
    let mut command = Command::new("apt-get");
    prepare(&mut command, workspace);
    // Another program may hold the lock for a while, such as the nightly upgrade.
    command.args([subcommand, "--yes", "--quiet", "--option", "DPkg::Lock::Timeout=300"]);
    if subcommand == "install" {
        command.arg("--no-install-recommends");
    }
    finish(command.args(packages).env("DEBIAN_FRONTEND", "noninteractive"))
}
