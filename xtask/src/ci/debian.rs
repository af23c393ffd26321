//! Packages of Debian that tests use, installed where that can be done.

use std::process::Command;

use anyhow::Result;

use crate::process::{finish, prepare};
use crate::workspace::Workspace;

/// Installs packages.
pub(crate) fn install(workspace: &Workspace, packages: &[&str]) -> Result<()> {
    // The lists of a fresh machine are empty or old; those of others need not be loaded again.
    let install = || apt(workspace, "install", packages);
    install().or_else(|_| apt(workspace, "update", &[]).and_then(|()| install()))
}

fn apt(workspace: &Workspace, what: &str, packages: &[&str]) -> Result<()> {
    let mut command = Command::new("apt-get");
    prepare(&mut command, workspace);
    command.args([what, "--yes", "--quiet", "--option", "DPkg::Lock::Timeout=60"]);
    if what == "install" {
        command.arg("--no-install-recommends");
    }
    finish(command.args(packages).env("DEBIAN_FRONTEND", "noninteractive"))
}
