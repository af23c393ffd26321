//! A NATS server for the test of several nodes, from Debian.
//!
//! Owns: finding the program, or installing it. Leaves to the test: starting it and stopping it.
//! Without it that test says loudly that it did not run; in continuous integration, where `CI` is
//! set, that is an error.

use std::env;
use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::ci::debian;
use crate::workspace::Workspace;

/// The program is told to the tests in this variable.
pub(super) const PROGRAM_VARIABLE: &str = "CASTELLAN_NATS_SERVER";

/// The package, and its program.
const PACKAGE: &str = "nats-server";

/// The program, installed if it is missing and that can be done.
pub(super) fn find_or_install(workspace: &Workspace) -> Result<Option<PathBuf>> {
    if let Some(program) = find() {
        return Ok(Some(program));
    }
    let installed = debian::install(workspace, &[PACKAGE]);
    if let Some(program) = find() {
        return Ok(Some(program));
    }
    let why = installed.map_or_else(|error| format!("{error:#}"), |()| "it has no program".into());
    if env::var_os("CI").is_some() {
        bail!("there is no NATS server to test several nodes with: {why}");
    }
    eprintln!(
        "\n*** several nodes will NOT be tested with NATS: {why}; as root, `apt-get install \
         {PACKAGE}` puts it on a Debian machine, and {PROGRAM_VARIABLE} names the program of any \
         other ***\n"
    );
    Ok(None)
}

/// What the user says, or what is on the path; Debian puts it where only root looks.
fn find() -> Option<PathBuf> {
    if let Some(program) = env::var_os(PROGRAM_VARIABLE) {
        return Some(program.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    folders.map(|folder| folder.join(PACKAGE)).find(|program| program.is_file())
}
