//! The tools that commands need: how to find and how to install each of them.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{output, prepare};
use crate::setup::{STATIC_TARGET, WASM_TARGET, apt, search};
use crate::web;
use crate::workspace::Workspace;

/// Something that a command needs on the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Need {
    /// Rustfmt and Clippy for the toolchain.
    Lints,
    /// The standard library for the browser.
    WasmTarget,
    /// Node.js with npm, in a version that Vite accepts.
    Node,
    /// The npm packages that the lock file names.
    NodePackages,
    /// Chromium or Chrome.
    Browser,
    /// The test runner.
    Nextest,
    /// Third-party UCI engines.
    Engines,
    /// PostgreSQL's programs.
    Postgres,
    /// The NATS server.
    Nats,
    /// The standard library for static binaries on Linux.
    StaticTarget,
    /// The C compiler for static binaries on Linux.
    StaticCompiler,
}

/// The result of looking for a need.
pub(super) enum Availability {
    /// Found: the path of the program, or of the folder that contains it.
    Found(PathBuf),
    /// Not found, or not usable, with the reason.
    Missing(String),
}

/// How a need can be installed without asking the user.
pub(super) enum Installer {
    /// With apt, as a Debian package.
    Apt,
    /// With rustup and these arguments.
    Rustup(&'static [&'static str]),
    /// With `npm ci`.
    Npm,
    /// From crates.io.
    Cargo,
    /// Only by the user.
    ByHand,
}

/// The engines that tests run. Each entry is the name of a Debian package and of its program.
const ENGINES: [&str; 5] = ["ethereal-chess", "glaurung", "phalanx", "stockfish", "toga2"];

/// Headless Chromium. Debian has this package, but not all of its derivatives do.
const HEADLESS_SHELL: &str = "chromium-headless-shell";

/// The minimum version of each Node.js release line that Vite supports.
const MIN_NODE_VERSIONS: [[u32; 3]; 2] = [[20, 19, 0], [22, 12, 0]];

impl Need {
    /// What building the page needs.
    pub(crate) const PAGE: [Need; 3] = [Need::WasmTarget, Need::Node, Need::NodePackages];

    /// What static binaries need in addition.
    pub(crate) const STATIC: [Need; 2] = [Need::StaticTarget, Need::StaticCompiler];

    /// Looks for the need on this machine.
    pub(super) fn find(self, workspace: &Workspace) -> Availability {
        // A path that the user sets takes precedence over the search.
        if let Some(path) = self.variable().and_then(env::var_os).filter(|path| !path.is_empty()) {
            return Availability::Found(path.into());
        }
        match self {
            Need::Lints => lints(workspace),
            Need::WasmTarget => target(workspace, WASM_TARGET),
            Need::Node => node(),
            Need::NodePackages => found(web::installed_packages(workspace), "not installed yet"),
            Need::Browser => found(search::browser(), "not found"),
            Need::Nextest => nextest(workspace),
            Need::Engines => found(search::engines(&ENGINES), "some were not found"),
            Need::Postgres => found(search::postgres(), "not found"),
            Need::Nats => found(search::nats(), "not found"),
            Need::StaticTarget => target(workspace, STATIC_TARGET),
            Need::StaticCompiler => found(search::on_path("musl-gcc"), "not found"),
        }
    }

    /// Returns the environment variable with the path, which users set and tests read.
    pub(super) fn variable(self) -> Option<&'static str> {
        match self {
            Need::Browser => Some("CHROMIUM"),
            Need::Engines => Some("CASTELLAN_ENGINES"),
            Need::Postgres => Some("CASTELLAN_POSTGRES_BIN"),
            Need::Nats => Some("CASTELLAN_NATS_SERVER"),
            Need::StaticCompiler => Some("CC"),
            Need::Lints
            | Need::WasmTarget
            | Need::Node
            | Need::NodePackages
            | Need::Nextest
            | Need::StaticTarget => None,
        }
    }

    /// Returns whether commands fail without it. Tests that lack an optional need say so and are
    /// skipped.
    pub(super) fn is_required(self) -> bool {
        !matches!(self, Need::Engines | Need::Postgres | Need::Nats)
    }

    /// Returns how the need can be installed without asking the user.
    pub(super) fn installer(self) -> Installer {
        match self {
            Need::Lints => Installer::Rustup(&["component", "add", "rustfmt", "clippy"]),
            Need::WasmTarget => Installer::Rustup(&["target", "add", WASM_TARGET]),
            Need::StaticTarget => Installer::Rustup(&["target", "add", STATIC_TARGET]),
            Need::NodePackages => Installer::Npm,
            Need::Nextest => Installer::Cargo,
            Need::Node if !apt::candidate("nodejs").is_some_and(is_new_enough) => Installer::ByHand,
            Need::Node
            | Need::Browser
            | Need::Engines
            | Need::Postgres
            | Need::Nats
            | Need::StaticCompiler => Installer::Apt,
        }
    }

    /// Returns the Debian packages that provide it.
    pub(super) fn debian_packages(self) -> &'static [&'static str] {
        match self {
            Need::Node if matches!(self.installer(), Installer::Apt) => &["nodejs", "npm"],
            Need::Browser if apt::candidate(HEADLESS_SHELL).is_some() => &[HEADLESS_SHELL],
            Need::Browser => &["chromium"],
            Need::Engines => &ENGINES,
            Need::Postgres => &["postgresql"],
            Need::Nats => &["nats-server"],
            Need::StaticCompiler => &["musl-tools"],
            Need::Lints
            | Need::WasmTarget
            | Need::Node
            | Need::NodePackages
            | Need::Nextest
            | Need::StaticTarget => &[],
        }
    }
}

fn found(path: Option<PathBuf>, why: &str) -> Availability {
    path.map_or_else(|| Availability::Missing(why.to_owned()), Availability::Found)
}

fn lints(workspace: &Workspace) -> Availability {
    // The programs on the search path are rustup's proxies, which exist even if the component does
    // not.
    let sysroot = rustc(workspace, &["--print", "sysroot"]);
    let bin = sysroot.map(|sysroot| Path::new(&sysroot).join("bin"));
    let program = |name: &str| {
        bin.as_ref().map(|bin| bin.join(name).with_extension(env::consts::EXE_EXTENSION))
    };
    let (fmt, clippy) = (program("rustfmt"), program("clippy-driver"));
    let both = [&fmt, &clippy].iter().all(|file| file.as_ref().is_some_and(|file| file.is_file()));
    found(bin.filter(|_| both), "not part of this toolchain")
}

fn target(workspace: &Workspace, name: &str) -> Availability {
    let folder = rustc(workspace, &["--print", "target-libdir", "--target", name]);
    let folder = folder.map(PathBuf::from).filter(|folder| folder.is_dir());
    found(folder, "not part of this toolchain")
}

fn rustc(workspace: &Workspace, args: &[&str]) -> Option<String> {
    let mut command = Command::new("rustc");
    prepare(&mut command, workspace);
    Some(output(command.args(args)).ok()?.trim().to_owned())
}

fn node() -> Availability {
    let Some(program) = search::on_path("node") else {
        return Availability::Missing("not found".into());
    };
    let Some(version) = search::version(&program) else {
        return Availability::Missing(format!("{} does not run", program.display()));
    };
    if !is_new_enough(version) {
        let [major, minor, patch] = version;
        return Availability::Missing(format!("{} is {major}.{minor}.{patch}", program.display()));
    }
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    if search::on_path(npm).is_none() {
        return Availability::Missing("found Node.js but not npm".into());
    }
    Availability::Found(program)
}

/// Returns whether Vite supports a version of Node.js.
fn is_new_enough(version: [u32; 3]) -> bool {
    let [first, second] = MIN_NODE_VERSIONS;
    version >= first && version[0] == first[0] || version >= second
}

fn nextest(workspace: &Workspace) -> Availability {
    let own = search::tools_folder(workspace).join("bin/cargo-nextest");
    let own = own.with_extension(env::consts::EXE_EXTENSION);
    let program = search::on_path("cargo-nextest").or_else(|| own.is_file().then_some(own));
    found(program, "not found")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_versions_that_vite_accepts_are_new_enough() {
        for (version, expected) in [
            ([18, 20, 4], false),
            ([20, 18, 3], false),
            ([20, 19, 0], true),
            ([21, 7, 0], false),
            ([22, 11, 9], false),
            ([22, 12, 0], true),
            ([24, 0, 0], true),
        ] {
            assert_eq!(is_new_enough(version), expected, "{version:?}");
        }
    }
}
