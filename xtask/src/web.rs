//! `cargo xtask web`: builds the page from Rust and TypeScript into the folder `web/dist`.
//!
//! This file lists the modules of `castellan-wasm` and builds the parts of the page in order. A
//! program for users has the page embedded; the tests serve the folder. Only the page needs Node.js;
//! everything else builds without it.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::ci::cargo_steps;
use crate::fingerprint::{self, Sources, Stamp};
use crate::play;
use crate::process::{cargo, finish, prepare};
use crate::progress::Progress;
use crate::setup::{self, Need, Tools, WASM_TARGET};
use crate::workspace::Workspace;

/// The cargo profile of all modules. They share one, so that common dependencies are built once.
const PROFILE: &str = "wasm";

/// A WebAssembly module of the page: a feature of `castellan-wasm`, and its size limit.
struct Module {
    feature: &'static str,
    limit_bytes: u64,
}

/// The limits apply to the raw file; the compressed download is about a third of that.
const MODULES: [Module; 5] = [
    Module { feature: "table", limit_bytes: 810_000 },
    Module { feature: "doctor", limit_bytes: 700_000 },
    Module { feature: "engine", limit_bytes: 1_200_000 },
    Module { feature: "review", limit_bytes: 750_000 },
    Module { feature: "library", limit_bytes: 600_000 },
];

/// The folder of the built page, which exists only after a build.
pub(crate) const PAGE: &str = "web/dist";

/// The files of the built page.
pub(crate) const BUILT: Sources = Sources { roots: &[PAGE], except: &[] };

/// The sources of the page, besides the crates.
const SOURCES: Sources = Sources {
    roots: &["web", "xtask/src/web.rs"],
    except: &["node_modules", "dist", "shots", "e2e", "tests", "wasm"],
};

/// Runs `cargo xtask web`: builds the page even if it is up to date.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    setup::prepare(workspace, &Need::PAGE)?;
    build(workspace, &mut Progress::new(2))
}

/// Returns whether the page was built from the current sources.
pub(crate) fn is_current(workspace: &Workspace) -> Result<bool> {
    let is_built = workspace.root().join(PAGE).join("index.html").is_file();
    Ok(is_built && stamp(workspace).matches(&digest(workspace)?))
}

/// Builds the page into `web/dist` in two steps. Expects [`Need::PAGE`] to be met.
pub(crate) fn build(workspace: &Workspace, progress: &mut Progress) -> Result<()> {
    progress.step("Rules, doctor and engine for the browser", "2 minutes");
    MODULES.iter().try_for_each(|module| build_module(workspace, module))?;
    progress.step("The page", "10 seconds");
    finish(&mut npm(workspace, &["run", "build"]))?;
    stamp(workspace).set(&digest(workspace)?)
}

/// Builds the page and runs the tests that need no browser.
pub(crate) fn test_units(workspace: &Workspace, _: &Tools) -> Result<()> {
    build(workspace, &mut Progress::new(2))?;
    finish(&mut npm(workspace, &["run", "check"]))?;
    finish(&mut npm(workspace, &["test"]))
}

/// Tests the page in a browser, with the real server.
pub(crate) fn test_in_browser(workspace: &Workspace, tools: &Tools) -> Result<()> {
    if !is_current(workspace)? {
        build(workspace, &mut Progress::new(2))?;
    }
    cargo_steps::build(workspace, tools)?;
    let binary =
        workspace.target().join("debug").join(format!("castellan{}", env::consts::EXE_SUFFIX));
    let mut e2e = npm(workspace, &["run", "e2e"]);
    tools.set_environment(&mut e2e);
    finish(e2e.env("CASTELLAN_BINARY", binary))
}

/// Runs `cargo xtask bench page`: measures the page in a browser.
pub(crate) fn measure(workspace: &Workspace) -> Result<()> {
    let tools = setup::prepare(workspace, &[&Need::PAGE[..], &[Need::Browser]].concat())?;
    // The engine of the page is compared with that of the program.
    let program = play::build(workspace, true)?;
    let mut measure = npm(workspace, &["run", "measure"]);
    tools.set_environment(&mut measure);
    finish(measure.env("CASTELLAN_BINARY", program))
}

/// Makes a cargo command embed the page in the server, if the page has been built.
pub(crate) fn embedding<'a>(command: &'a mut Command, workspace: &Workspace) -> &'a mut Command {
    if workspace.root().join(PAGE).join("index.html").is_file() {
        command.env("CASTELLAN_EMBED_PAGE", PAGE);
    }
    command
}

fn digest(workspace: &Workspace) -> Result<String> {
    fingerprint::of(workspace, &[&fingerprint::RUST, &SOURCES])
}

fn stamp(workspace: &Workspace) -> Stamp {
    Stamp::new(workspace, "page")
}

/// Returns the folder of the installed packages, or `None` if they differ from the lock file.
pub(crate) fn installed_packages(workspace: &Workspace) -> Option<PathBuf> {
    let folder = folder(workspace);
    let modified = |path: PathBuf| fs::metadata(path).and_then(|data| data.modified()).ok();
    let installed = modified(folder.join("node_modules/.package-lock.json"))?;
    (Some(installed) >= modified(folder.join("package-lock.json")))
        .then(|| folder.join("node_modules"))
}

/// Installs exactly the packages that the lock file names.
pub(crate) fn install_packages(workspace: &Workspace) -> Result<()> {
    finish(&mut npm(workspace, &["ci", "--no-audit", "--no-fund"]))
}

fn build_module(workspace: &Workspace, module: &Module) -> Result<()> {
    let &Module { feature, limit_bytes } = module;
    let mut build = cargo(workspace, ["build", "--package", "castellan-wasm"]);
    build.args(["--profile", PROFILE, "--target", WASM_TARGET]);
    finish(build.args(["--no-default-features", "--features", feature]))?;
    let built = workspace.target().join(WASM_TARGET).join(PROFILE).join("castellan_wasm.wasm");
    let modules = folder(workspace).join("src/wasm");
    fs::create_dir_all(&modules).with_context(|| format!("cannot create {}", modules.display()))?;
    let bytes = fs::copy(&built, modules.join(format!("{feature}.wasm")))
        .with_context(|| format!("the build created no module at {}", built.display()))?;
    println!("castellan-wasm, {feature}: {bytes} bytes of {limit_bytes}");
    if bytes > limit_bytes {
        bail!("the module {feature} has {bytes} bytes, {} over the limit", bytes - limit_bytes);
    }
    Ok(())
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root().join("web")
}

fn npm(workspace: &Workspace, args: &[&str]) -> Command {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    prepare(&mut command, workspace);
    command.current_dir(folder(workspace)).args(args);
    command
}
