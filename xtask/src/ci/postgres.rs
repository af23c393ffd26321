//! A PostgreSQL for the tests of the store, from Debian.
//!
//! Owns: finding its programs, or installing them. Leaves to the tests: making a cluster of their
//! own, starting it and stopping it. Without it those tests say loudly that they did not run; in
//! continuous integration, where `CI` is set, that is an error.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::ci::debian;
use crate::workspace::Workspace;

/// The folder of the programs is told to the tests in this variable.
pub(super) const FOLDER_VARIABLE: &str = "CASTELLAN_POSTGRES_BIN";

/// The package, and where Debian puts its versions.
const PACKAGE: &str = "postgresql";
const VERSIONS: &str = "/usr/lib/postgresql";

/// The folder of the programs, installed if they are missing and it can be done.
pub(super) fn find_or_install(workspace: &Workspace) -> Result<Option<PathBuf>> {
    if let Some(folder) = find() {
        return Ok(Some(folder));
    }
    let installed = debian::install(workspace, &[PACKAGE]);
    if let Some(folder) = find() {
        return Ok(Some(folder));
    }
    let why = installed.map_or_else(|error| format!("{error:#}"), |()| "it has no programs".into());
    if env::var_os("CI").is_some() {
        bail!("there is no PostgreSQL to test the store with: {why}");
    }
    eprintln!(
        "\n*** the tests of the store will NOT run on PostgreSQL: {why}; as root, `apt-get install \
         {PACKAGE}` puts it on a Debian machine, and {FOLDER_VARIABLE} names the folder of any \
         other ***\n"
    );
    Ok(None)
}

/// What the user says, what is on the path, or the newest that Debian has installed.
fn find() -> Option<PathBuf> {
    if let Some(folder) = env::var_os(FOLDER_VARIABLE) {
        return Some(folder.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).find(|folder| has_programs(folder));
    on_path.or_else(|| newest_in(Path::new(VERSIONS)))
}

/// The programs of the highest version in a folder of versions.
fn newest_in(versions: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(versions).ok()?.flatten();
    let number = |name: &str| name.parse::<u32>().ok();
    let numbered = entries.filter_map(|entry| Some((number(entry.file_name().to_str()?)?, entry)));
    let folders = numbered.map(|(number, entry)| (number, entry.path().join("bin")));
    folders.filter(|(_, folder)| has_programs(folder)).max().map(|(_, folder)| folder)
}

fn has_programs(folder: &Path) -> bool {
    ["postgres", "initdb"].iter().all(|program| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_whole_version_is_taken() {
        let versions = env::temp_dir().join(format!("castellan-xtask-{}", std::process::id()));
        for (version, programs) in [
            ("9", &["postgres", "initdb"][..]),
            ("15", &["postgres", "initdb"]),
            ("16", &["initdb"]),
        ] {
            let folder = versions.join(version).join("bin");
            fs::create_dir_all(&folder).expect("a folder");
            for program in programs {
                fs::write(folder.join(program), "").expect("a file");
            }
        }
        let found = newest_in(&versions);
        fs::remove_dir_all(&versions).expect("the folder goes");
        assert_eq!(found, Some(versions.join("15").join("bin")));
        assert_eq!(newest_in(&versions), None);
    }
}
