//! Other people's engines for the tests that drive them, from Debian.
//!
//! They are not needed to pass: a test whose engine is missing says so and is skipped. So
//! whatever keeps them from being installed is told and is no failure.

use std::path::Path;

use crate::ci::debian;
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
    if let Err(error) = debian::install(workspace, &missing) {
        eprintln!(
            "the tests with {} will be skipped: {error:#}; as root, `apt-get install {}` puts \
             them on a Debian machine",
            missing.join(", "),
            missing.join(" ")
        );
    }
}
