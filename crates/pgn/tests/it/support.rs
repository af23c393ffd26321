//! Helpers that several test modules use.

use std::env;
use std::fs;
use std::path::PathBuf;

/// Names a folder with big files, which do not ship.
const FOLDER_VARIABLE: &str = "CASTELLAN_PGN_DIR";

/// The folder with big files, if there is one.
pub(crate) fn chosen_folder() -> Option<PathBuf> {
    env::var_os(FOLDER_VARIABLE).map(PathBuf::from)
}

/// Names and contents of the files `*.pgn` in the chosen folder, one after the other.
pub(crate) fn chosen_files() -> impl Iterator<Item = (String, Vec<u8>)> {
    let entries = chosen_folder().map(|folder| fs::read_dir(folder).expect("the folder exists"));
    let paths = entries.into_iter().flatten().map(|entry| entry.expect("it can be listed").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "pgn")).collect();
    paths.sort_unstable();
    paths.into_iter().map(|path| {
        let source = fs::read(&path).expect("the file can be read");
        (path.display().to_string(), source)
    })
}
