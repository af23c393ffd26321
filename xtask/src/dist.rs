//! `cargo xtask dist`: release archives that run on a machine with neither Rust nor Node.
//!
//! This file decides what an archive contains and in which order its parts are built. Each archive
//! is unpacked and tested before the command succeeds, if this machine's processor can run it.

mod archive;
mod build;
mod licenses;
mod trial;
mod unit;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use self::archive::Entry;
pub(crate) use self::build::Level;
use self::build::Target;
use crate::setup::{self, Need};
use crate::web;
use crate::workspace::Workspace;

/// The folder of the archives, below the build folder.
const FOLDER: &str = "dist";

/// Files of the repository that every archive contains, and their names there.
const FILES: [(&str, &str); 5] = [
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("docs/OPERATIONS.md", "OPERATIONS.md"),
    ("packaging/README.md", "README.md"),
    ("CHANGELOG.md", "CHANGELOG.md"),
];

/// Files for a service, which archives for Linux also contain.
const SERVICE_FILES: [(&str, &str); 4] = [
    ("packaging/castellan.env", "systemd/castellan.env"),
    ("packaging/castellan.service", "systemd/castellan.service"),
    ("packaging/monitoring/alerts.yml", "monitoring/alerts.yml"),
    ("packaging/monitoring/grafana.json", "monitoring/grafana.json"),
];

/// Builds the archives of the given levels, or of all if there are none, and prints where they are.
pub(crate) fn run(workspace: &Workspace, levels: &[Level]) -> Result<ExitCode> {
    let targets = Target::for_this_machine(levels)?;
    let static_needs: &[Need] = if cfg!(target_os = "linux") { &Need::STATIC } else { &[] };
    setup::prepare(workspace, &[&Need::PAGE, static_needs].concat())?;
    web::run(workspace)?;
    let common = common_entries(workspace, &targets)?;
    let folder = workspace.target().join(FOLDER);
    empty(&folder)?;
    let modified = archive::modification_time(workspace);
    let mut archives = Vec::new();
    for target in &targets {
        let binary = target.build(workspace)?;
        if target.is_linux() {
            unit::verify(workspace, &binary)?;
        }
        let name = format!("castellan-{}-{}", env!("CARGO_PKG_VERSION"), target.label());
        let mut entries = common.clone();
        entries.push(Entry::program(program_name(), read(&binary)?));
        let path = folder.join(format!("{name}.tar.gz"));
        archive::write(&path, &name, entries, modified)?;
        if target.runs_here() {
            trial::run(&path, &name, program_name())?;
        } else {
            println!("{name} was not tested: this processor cannot run it");
        }
        if let Some((processor, message)) = target.too_old() {
            trial::check_old_cpu_message(&binary, processor, message)?;
        }
        archives.push(path);
    }
    archive::write_checksums(&folder, &archives)?;
    for path in &archives {
        let bytes = fs::metadata(path).map_or(0, |data| data.len());
        println!("{} ({:.1} MB)", path.display(), bytes as f64 / 1e6);
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns all entries except the program, which is the only one that differs between archives.
fn common_entries(workspace: &Workspace, targets: &[Target]) -> Result<Vec<Entry>> {
    let Some(target) = targets.first() else { bail!("there is nothing to build") };
    let mut files = FILES.to_vec();
    if target.is_linux() {
        files.extend(SERVICE_FILES);
    }
    let mut entries = Vec::new();
    for (path, name) in files {
        entries.push(Entry::file(name, read(&workspace.root().join(path))?));
    }
    entries.extend(licenses::collect(workspace, target.triple())?);
    Ok(entries)
}

fn program_name() -> &'static str {
    if cfg!(windows) { "castellan.exe" } else { "castellan" }
}

/// Creates an empty folder, so that no archive of an older version stays beside the new ones.
fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_an_archive_exists() {
        let workspace = Workspace::locate().expect("the tests run inside the workspace");
        for (path, _) in FILES.iter().chain(&SERVICE_FILES) {
            assert!(workspace.root().join(path).is_file(), "{path}");
        }
    }
}
