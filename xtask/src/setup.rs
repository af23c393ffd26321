//! Finds, installs or asks for the tools that the commands need.
//!
//! Only this module knows which programs the project uses, where each system keeps them, and how to
//! install them. A command lists its needs and calls [`prepare`] before it builds anything. Missing
//! tools are installed if that is possible without asking the user; the others are reported
//! together, with the commands to type. [`Tools::set_environment`] sets environment variables that tell other
//! programs where the tools are.

mod apt;
mod need;
mod report;
mod search;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use anyhow::{Context, Result, bail};

pub(crate) use need::Need;

use crate::process::{cargo, finish, prepare as in_workspace};
use crate::setup::need::{Availability, Installer};
use crate::web;
use crate::workspace::Workspace;

/// The rustup target of the page's modules.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// The rustup target of static binaries for this processor on Linux.
pub(crate) const STATIC_TARGET: &str = if cfg!(target_arch = "aarch64") {
    "aarch64-unknown-linux-musl"
} else {
    "x86_64-unknown-linux-musl"
};

/// The tools that were found, by need.
#[derive(Default)]
pub(crate) struct Tools {
    found: Vec<(Need, PathBuf)>,
}

impl Tools {
    /// Sets the environment variables from which tests read where the tools are.
    pub(crate) fn set_environment(&self, command: &mut Command) {
        for (need, path) in &self.found {
            if let Some(variable) = need.variable() {
                command.env(variable, path);
            }
        }
    }

    /// Returns the path of a tool, or `None` if it was not requested or not found.
    pub(crate) fn path(&self, need: Need) -> Option<&PathBuf> {
        self.found.iter().find(|(found, _)| *found == need).map(|(_, path)| path)
    }
}

/// Looks for all needs, installs missing ones, and fails with a list of those that are still
/// missing.
///
/// Needs that tests can skip are only reported, except in continuous integration, where the
/// environment variable `CI` is set.
pub(crate) fn prepare(workspace: &Workspace, needs: &[Need]) -> Result<Tools> {
    let missing = missing(workspace, needs);
    install(workspace, &missing);
    let mut tools = Tools::default();
    let mut absent = Vec::new();
    for &need in needs {
        match need.find(workspace) {
            Availability::Found(path) => tools.found.push((need, path)),
            Availability::Missing(why) => absent.push((need, why)),
        }
    }
    // npm comes with Node.js, so without Node.js the packages are not reported separately.
    if absent.iter().any(|(need, _)| *need == Need::Node) {
        absent.retain(|(need, _)| *need != Need::NodePackages);
    }
    let in_ci = std::env::var_os("CI").is_some();
    let required = absent.iter().filter(|(need, _)| in_ci || need.is_required()).count();
    if !absent.is_empty() {
        eprintln!("\n{}", report::MissingTools { absent: &absent, system: report::System::here() });
    }
    if required > 0 {
        bail!("install the tools listed above and run the command again");
    }
    Ok(tools)
}

fn missing(workspace: &Workspace, needs: &[Need]) -> Vec<Need> {
    let is_missing = |need: &Need| matches!(need.find(workspace), Availability::Missing(_));
    needs.iter().copied().filter(is_missing).collect()
}

/// Installs everything that can be installed. A failure is only printed; the caller looks again to
/// see whether it matters.
///
/// The installers work side by side, because each of them mostly waits for the network or the disk.
/// Only npm waits for apt if that installs npm itself.
fn install(workspace: &Workspace, missing: &[Need]) {
    let packages: Vec<&str> =
        missing.iter().flat_map(|need| need.debian_packages()).copied().collect();
    thread::scope(|scope| {
        let apt = scope.spawn(|| {
            if !packages.is_empty() && apt::is_usable() {
                print_error(apt::install(workspace, &packages));
            }
        });
        // Rustup cannot run twice at the same time.
        scope.spawn(|| missing.iter().for_each(|need| install_with_rustup(workspace, *need)));
        if missing.contains(&Need::Node) {
            let _ = apt.join();
        }
        for need in missing {
            match need.installer() {
                Installer::Apt | Installer::ByHand | Installer::Rustup(_) => {}
                Installer::Npm => {
                    if search::on_path("npm").is_some() {
                        print_error(web::install_packages(workspace));
                    }
                }
                Installer::Cargo => print_error(install_nextest(workspace)),
            }
        }
    });
}

fn install_with_rustup(workspace: &Workspace, need: Need) {
    if let Installer::Rustup(words) = need.installer() {
        let mut rustup = Command::new("rustup");
        in_workspace(&mut rustup, workspace);
        print_error(finish(rustup.args(words)));
    }
}

fn print_error(result: Result<()>) {
    if let Err(error) = result {
        eprintln!("xtask: {error:#}");
    }
}

/// Builds the test runner into the build folder.
fn install_nextest(workspace: &Workspace) -> Result<()> {
    let folder = search::tools_folder(workspace);
    eprintln!("cargo-nextest is missing; installing it into {}", folder.display());
    // Nextest needs far fewer crates without its self-update code.
    let features = ["--no-default-features", "--features", "default-no-update"];
    let mut install = cargo(workspace, ["install", "cargo-nextest", "--locked"]);
    finish(install.args(features).arg("--root").arg(folder)).context("cannot install cargo-nextest")
}

/// Returns a nextest command; the caller adds the subcommand.
pub(crate) fn nextest(workspace: &Workspace, tools: &Tools) -> Command {
    let program = tools.path(Need::Nextest).map_or_else(|| "cargo-nextest".into(), OsString::from);
    let mut command = Command::new(program);
    in_workspace(&mut command, workspace);
    tools.set_environment(&mut command);
    command.arg("nextest");
    command
}
