//! Finds programs, on the search path and where each system keeps them.

use std::env;
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::output;
use crate::workspace::Workspace;

/// Returns the path of the program with this name on the search path.
pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let file = format!("{name}{EXE_SUFFIX}");
    env::split_paths(&path).map(|folder| folder.join(&file)).find(|program| program.is_file())
}

/// Returns the folder of programs that xtask builds for itself.
pub(super) fn tools_folder(workspace: &Workspace) -> PathBuf {
    workspace.target().join("tools")
}

/// Finds a browser for the tests, Chromium or Chrome. The headless shell comes first, because tests
/// take a third less processor time in it.
pub(super) fn browser() -> Option<PathBuf> {
    let names = [
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ];
    let applications = [
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ];
    let on_path = names.into_iter().find_map(on_path);
    on_path.or_else(|| applications.map(PathBuf::from).into_iter().find(|file| file.is_file()))
}

/// Finds the folder that contains all of the named engines. Debian has a separate folder for games.
pub(super) fn engines(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain([PathBuf::from("/usr/games")]);
    let has_all = |folder: &PathBuf| names.iter().all(|name| folder.join(name).is_file());
    folders.into_iter().find(has_all)
}

/// Finds the NATS server. Debian puts it into a folder that is on the search path of root only.
pub(super) fn nats() -> Option<PathBuf> {
    let debian = Path::new("/usr/sbin/nats-server");
    on_path("nats-server").or_else(|| debian.is_file().then(|| debian.to_owned()))
}

/// Finds the folder of PostgreSQL's programs: on the search path, or the newest version that was
/// installed by Debian, Fedora or Homebrew.
pub(super) fn postgres() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).find(|folder| has_postgres(folder));
    on_path.or_else(|| newest_postgres(Path::new("/usr/lib/postgresql")))
}

/// Returns the folder of the programs of the highest version in a folder of versions.
fn newest_postgres(versions: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(versions).ok()?.flatten();
    let number = |name: &str| name.parse::<u32>().ok();
    let numbered = entries.filter_map(|entry| Some((number(entry.file_name().to_str()?)?, entry)));
    let folders = numbered.map(|(number, entry)| (number, entry.path().join("bin")));
    folders.filter(|(_, folder)| has_postgres(folder)).max().map(|(_, folder)| folder)
}

fn has_postgres(folder: &Path) -> bool {
    ["postgres", "initdb"].iter().all(|program| folder.join(program).is_file())
}

/// Returns the first three numbers of the version that a program prints with `--version`.
pub(super) fn version(program: &Path) -> Option<[u32; 3]> {
    parse_version(&output(Command::new(program).arg("--version")).ok()?)
}

/// Parses the first version in a text, such as `v20.19.4` or `cargo-nextest 0.9.143 (…)`.
pub(super) fn parse_version(text: &str) -> Option<[u32; 3]> {
    let digits = text.find(|c: char| c.is_ascii_digit())?;
    let end = text[digits..].find(|c: char| !c.is_ascii_digit() && c != '.');
    let mut numbers = text[digits..][..end.unwrap_or(text.len() - digits)].split('.');
    let mut next = || numbers.next().unwrap_or("0").parse().ok();
    Some([next()?, next()?, next()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_complete_postgres_is_taken() {
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
        let found = newest_postgres(&versions);
        fs::remove_dir_all(&versions).expect("the folder can be removed");
        assert_eq!(found, Some(versions.join("15").join("bin")));
        assert_eq!(newest_postgres(&versions), None);
    }

    #[test]
    fn versions_are_read_wherever_they_stand() {
        assert_eq!(parse_version("v20.19.4\n"), Some([20, 19, 4]));
        assert_eq!(parse_version("cargo-nextest 0.9.143 (60fa45f63)"), Some([0, 9, 143]));
        assert_eq!(parse_version("20.19"), Some([20, 19, 0]));
        assert_eq!(parse_version("18.20.4+dfsg-1~deb12u1"), Some([18, 20, 4]));
        assert_eq!(parse_version("none"), None);
        assert_eq!(parse_version("99999999999"), None);
    }
}
