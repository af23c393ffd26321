//! `cargo xtask web`: the page, from Rust and TypeScript to the folder `web/dist`.
//!
//! Owns: which modules of `castellan-wasm` there are, and in which order the page is put
//! together. Leaves to the server's build script to take the folder into the binary. Node is
//! needed for the page alone; everything else builds without it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};

use crate::ci::debian;
use crate::process::{cargo, finish, prepare, succeeds};
use crate::workspace::Workspace;

const TARGET: &str = "wasm32-unknown-unknown";

/// A module of the page: a feature of `castellan-wasm`, how it is built, and what it may take up.
struct Module {
    feature: &'static str,
    profile: &'static str,
    /// Flags of the compiler.
    flags: &'static str,
    limit_bytes: u64,
}

/// Vectors for the network; every browser since 2023 has them.
const VECTORS: &str = "-C target-feature=+simd128";

/// The limits are those of the raw file; what travels is about a third of that.
const MODULES: [Module; 5] = [
    Module { feature: "table", profile: "wasm-small", flags: "", limit_bytes: 750_000 },
    Module { feature: "doctor", profile: "wasm-small", flags: "", limit_bytes: 700_000 },
    Module { feature: "engine", profile: "wasm", flags: VECTORS, limit_bytes: 500_000 },
    Module { feature: "review", profile: "wasm-small", flags: "", limit_bytes: 750_000 },
    Module { feature: "library", profile: "wasm", flags: "", limit_bytes: 600_000 },
];

/// Where the built page is, if it has been built.
pub(crate) const PAGE: &str = "web/dist";

/// Builds the page into `web/dist`.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    install_packages(workspace)?;
    MODULES.iter().try_for_each(|module| build_module(workspace, module))?;
    finish(&mut npm(workspace, &["run", "build"]))
}

/// The browser of the tests, and Debian's package of it.
const BROWSER: &str = "/usr/bin/chromium";
const BROWSER_PACKAGE: &str = "chromium";

/// Builds the page and tests it, at last in a browser.
pub(crate) fn test(workspace: &Workspace) -> Result<()> {
    if env::var_os("CHROMIUM").is_none() && !Path::new(BROWSER).exists() {
        debian::install(workspace, &[BROWSER_PACKAGE]).with_context(|| {
            format!("there is no browser at {BROWSER}; CHROMIUM can name another one")
        })?;
    }
    build(workspace)?;
    finish(&mut npm(workspace, &["run", "check"]))?;
    finish(&mut npm(workspace, &["test"]))?;
    // The server takes the page in when it is built, so it comes after it. Tests named like these
    // are asked for in all packages, so that nothing is built again with fewer features.
    finish(cargo(workspace, ["test", "--workspace", "--test", "it"]).arg("--no-run"))?;
    let binary =
        workspace.target().join("debug").join(format!("castellan{}", env::consts::EXE_SUFFIX));
    finish(npm(workspace, &["run", "e2e"]).env("CASTELLAN_BINARY", binary))
}

/// Whether the page can be built on this machine.
pub(crate) fn has_node(workspace: &Workspace) -> bool {
    succeeds(npm(workspace, &["--version"]).env_remove("CARGO_TERM_COLOR"))
}

/// Installs exactly what the lock file names, unless that has been done.
fn install_packages(workspace: &Workspace) -> Result<()> {
    ensure!(has_node(workspace), "the page needs Node 20.19 or newer, with npm");
    let folder = folder(workspace);
    let age = |path: PathBuf| fs::metadata(path).and_then(|data| data.modified()).ok();
    let installed = age(folder.join("node_modules/.package-lock.json"));
    if installed.is_some() && installed >= age(folder.join("package-lock.json")) {
        return Ok(());
    }
    finish(&mut npm(workspace, &["ci", "--no-audit", "--no-fund"]))
}

fn build_module(workspace: &Workspace, module: &Module) -> Result<()> {
    let &Module { feature, profile, flags, limit_bytes } = module;
    let mut build = cargo(workspace, ["build", "--package", "castellan-wasm"]);
    build.args(["--profile", profile, "--target", TARGET]);
    build.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags);
    finish(build.args(["--no-default-features", "--features", feature]))?;
    let built = workspace.target().join(TARGET).join(profile).join("castellan_wasm.wasm");
    let place = folder(workspace).join("src/wasm");
    fs::create_dir_all(&place).with_context(|| format!("cannot make {}", place.display()))?;
    let bytes = fs::copy(&built, place.join(format!("{feature}.wasm")))
        .with_context(|| format!("the build left no module at {}", built.display()))?;
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
