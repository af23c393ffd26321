//! `cargo xtask play`: builds what has changed, starts the server and opens the browser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::fingerprint::{self, Stamp};
use crate::process;
use crate::progress::Progress;
use crate::setup;
use crate::setup::Need;
use crate::web;
use crate::workspace::Workspace;

/// Builds the page and `castellan` unless they are up to date, and then runs `castellan play`.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<ExitCode> {
    let needs_page = !args.iter().any(|arg| arg == "--terminal");
    // `cargo run` would stand between the terminal and the game, handle its signals, and change the
    // working folder.
    let mut command = Command::new(build(workspace, needs_page)?);
    command.arg("play").args(args);
    process::replace_process(&mut command)
}

/// Builds the program, and the page if it is needed, unless they are up to date. Returns the path
/// of the program.
pub(crate) fn build(workspace: &Workspace, needs_page: bool) -> Result<PathBuf> {
    let program = program(workspace, "play");
    let build = Build::planned(workspace, needs_page, &program)?;
    if build.page {
        setup::prepare(workspace, &Need::PAGE).inspect_err(|_| {
            eprintln!("`cargo xtask play --terminal` plays in the terminal without these tools.");
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
        build_for_play(workspace, &program)?;
        // The program contains the page, so the digest is computed after the page is built.
        Stamp::new(workspace, PROGRAM).set(&digest(workspace)?)?;
        progress.finish();
    }
    Ok(program)
}

/// The product name in the stamp of the program.
const PROGRAM: &str = "castellan";

/// Which parts have to be built.
struct Build {
    page: bool,
    program: bool,
}

impl Build {
    fn planned(workspace: &Workspace, needs_page: bool, program: &Path) -> Result<Build> {
        let page = needs_page && !web::is_current(workspace)?;
        let is_current =
            program.is_file() && Stamp::new(workspace, PROGRAM).matches(&digest(workspace)?);
        Ok(Build { page, program: !is_current })
    }
}

/// Returns the path of the program in a subfolder of the build folder.
pub(crate) fn program(workspace: &Workspace, folder: &str) -> PathBuf {
    let program = workspace.target().join(folder).join("castellan");
    program.with_extension(std::env::consts::EXE_EXTENSION)
}

/// Builds the program with the release profile, with the page inside if that has been built.
pub(crate) fn build_release(workspace: &Workspace) -> Result<()> {
    let mut build = process::cargo(workspace, BUILD);
    process::finish(web::embedding(&mut build, workspace).arg("--release"))
}

/// Builds the program with a profile that compiles quickly but optimizes the engine, and copies it
/// to `to`, where the next test build does not overwrite it.
fn build_for_play(workspace: &Workspace, to: &Path) -> Result<()> {
    let mut build = process::cargo(workspace, BUILD);
    build.args(["--config", ".cargo/play.toml"]);
    process::finish(web::embedding(&mut build, workspace))?;
    fs::create_dir_all(to.parent().context("cannot find the folder of the program")?)?;
    // The old file is removed first, because a running program cannot be overwritten.
    let _ = fs::remove_file(to);
    let built = program(workspace, "debug");
    fs::copy(&built, to).with_context(|| format!("cannot copy {}", built.display()))?;
    Ok(())
}

const BUILD: [&str; 5] = ["build", "--package", "castellan-cli", "--bin", "castellan"];

/// Returns a digest of everything that goes into the program.
fn digest(workspace: &Workspace) -> Result<String> {
    fingerprint::of(workspace, &[&fingerprint::RUST, &web::BUILT])
}
