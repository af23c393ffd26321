//! `cargo xtask play`: builds the page and the binary, which starts the server and opens the browser.

use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::process;
use crate::web;
use crate::workspace::Workspace;

/// Builds the page, where there is Node for it, and `castellan` in release, and becomes
/// `castellan play`.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<ExitCode> {
    let is_for_terminal = args.iter().any(|arg| arg == "--terminal");
    if is_for_terminal {
        // No page is needed.
    } else if web::has_node(workspace) {
        web::build(workspace)?;
    } else {
        eprintln!(
            "without Node (20.19 or newer, with npm) there is no page to play on; \
                   `cargo xtask play --terminal` needs none"
        );
    }
    let package = ["build", "--release", "--package", "castellan-cli", "--bin", "castellan"];
    process::finish(&mut process::cargo(workspace, package))?;
    // Not `cargo run`: the game then gets the terminal and the signals without
    // a cargo in between, and starts in the folder of the user.
    let binary = workspace.target().join("release").join("castellan");
    let mut command = Command::new(binary.with_extension(std::env::consts::EXE_EXTENSION));
    command.arg("play").args(args);
    process::hand_over(&mut command)
}
