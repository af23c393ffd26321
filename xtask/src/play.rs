//! `cargo xtask play`: builds what has changed, starts the server and opens the browser.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::fingerprint::{self, Stamp};
use crate::process;
use crate::progress::Progress;
use crate::setup;
use crate::setup::Need;
use crate::web;
use crate::workspace::Workspace;

/// Builds the page and `castellan`, unless they are current, and becomes `castellan play`.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<ExitCode> {
    let needs_page = !args.iter().any(|arg| arg == "--terminal");
    let program = program(workspace, PROFILE);
    let build = Build::planned(workspace, needs_page, &program)?;
    if build.page {
        setup::prepare(workspace, &Need::PAGE).inspect_err(|_| {
            eprintln!("`cargo xtask play --terminal` plays without the page and needs none of it.");
        })?;
    }
    if build.page || build.program {
        eprintln!(
            "Building Castellan for this machine. The first time this takes several minutes; \
             later starts take seconds."
        );
        let mut progress = Progress::new(usize::from(build.page) * 2 + 1);
        if build.page {
            web::build(workspace, &mut progress)?;
        }
        progress.step("The engine and the server", "2 minutes");
        build_program(workspace, PROFILE)?;
        // The page is part of the program, so the digest is the one from after it was built.
        Stamp::new(workspace, PROGRAM).set(&digest(workspace)?)?;
        progress.finish();
    }
    // Not `cargo run`: the game then gets the terminal and the signals without
    // a cargo in between, and starts in the folder of the user.
    let mut command = Command::new(program);
    command.arg("play").args(args);
    process::hand_over(&mut command)
}

/// The cargo profile of what is played: quick to build, with a fast engine.
const PROFILE: &str = "play";

/// The name of the stamp of the program.
const PROGRAM: &str = "castellan";

/// What has to be built.
struct Build {
    page: bool,
    program: bool,
}

impl Build {
    fn planned(workspace: &Workspace, needs_page: bool, program: &Path) -> Result<Build> {
        let page = needs_page && !web::is_current(workspace)?;
        let is_current =
            program.is_file() && Stamp::new(workspace, PROGRAM).is(&digest(workspace)?);
        Ok(Build { page, program: !is_current })
    }
}

/// Where the program is built with a cargo profile.
pub(crate) fn program(workspace: &Workspace, profile: &str) -> PathBuf {
    let program = workspace.target().join(profile).join("castellan");
    program.with_extension(std::env::consts::EXE_EXTENSION)
}

/// Builds the program with a cargo profile, and with the page inside if that is built.
pub(crate) fn build_program(workspace: &Workspace, profile: &str) -> Result<()> {
    let package = ["build", "--package", "castellan-cli", "--bin", "castellan", "--profile"];
    process::finish(process::cargo(workspace, package).arg(profile))
}

/// A digest of everything that is in the program.
fn digest(workspace: &Workspace) -> Result<String> {
    fingerprint::of(workspace, &[&fingerprint::RUST, &web::BUILT])
}
