//! Checks that every file is in a known place, and that no leftover files are committed.
//!
//! The lists are short on purpose. A new place has to be added here, so a file left over from an
//! experiment is noticed before it is published.

use crate::tidy::problem::Problem;
use crate::tidy::tracked::TrackedFile;

const ROOT_FILES: [&str; 14] = [
    ".editorconfig",
    ".gitattributes",
    ".gitignore",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "clippy.toml",
    "deny.toml",
    "rust-toolchain.toml",
    "rustfmt.toml",
];

/// Folders at the root, and the entries allowed directly in each. An empty list allows anything.
const FOLDERS: [(&str, &[&str]); 10] = [
    (".cargo", &["config.toml", "play.toml"]),
    (".ci", &["run"]),
    (".config", &["nextest.toml"]),
    ("bench", &["Cargo.toml", "README.md", "data", "src", "tests"]),
    ("docs", &[]),
    ("fuzz", &["Cargo.toml", "README.md", "corpus", "fuzz_targets", "src", "tests"]),
    ("packaging", &[]),
    ("trainer", &[]),
    ("web", &[]),
    ("xtask", &["Cargo.toml", "README.md", "src", "tests"]),
];

/// The entries allowed directly in the folder of a crate.
const CRATE_ENTRIES: [&str; 9] = [
    "Cargo.toml",
    "README.md",
    "benches",
    "build.rs",
    "data",
    "examples",
    "messages",
    "src",
    "tests",
];

const RUBBISH: [&str; 6] = [".orig", ".rej", ".bak", ".swp", ".DS_Store", "~"];

const BINARY_LIMIT_BYTES: usize = 1_000_000;

/// The folder and the file extension of packed networks, which have a higher size limit.
const NETWORKS: (&str, &str) = ("crates/nnue/data/", ".nnue.packed");
const NETWORK_LIMIT_BYTES: usize = 8_000_000;

/// Checks the place, the name and the size of every file.
pub(super) fn check(files: &[TrackedFile]) -> Vec<Problem> {
    files.iter().flat_map(check_file).collect()
}

fn check_file(file: &TrackedFile) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut report = |what: String| problems.push(Problem::of_file(&file.path, what));
    if !has_place(&file.path) {
        report("not a known location; the locations are listed in xtask/src/tidy/layout.rs".into());
    }
    if RUBBISH.iter().any(|ending| file.path.ends_with(ending)) {
        report("left over from an editor or a merge".into());
    }
    let is_network = file.path.starts_with(NETWORKS.0) && file.path.ends_with(NETWORKS.1);
    let limit = if is_network { NETWORK_LIMIT_BYTES } else { BINARY_LIMIT_BYTES };
    if file.text.is_none() && file.size_bytes > limit {
        report(format!("binary of {} bytes, over {limit}", file.size_bytes));
    }
    problems
}

fn has_place(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    match parts[..] {
        [name] => ROOT_FILES.contains(&name),
        ["crates", _, entry, ..] => CRATE_ENTRIES.contains(&entry),
        [folder, entry, ..] => FOLDERS.iter().any(|&(name, entries)| {
            name == folder && (entries.is_empty() || entries.contains(&entry))
        }),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::problem::expect;
    use crate::tidy::tracked::file;

    #[track_caller]
    fn check_path(path: &str, expected: &[&str]) {
        expect(&check(&[file(path, "")]), expected);
    }

    #[test]
    fn files_in_their_place_are_fine() {
        check_path("Cargo.toml", &[]);
        check_path("crates/rules/src/deep/down.rs", &[]);
        check_path("crates/rules/build.rs", &[]);
        check_path("web/anything/at/all", &[]);
        check_path(".ci/run", &[]);
    }

    #[test]
    fn strays_are_problems() {
        for path in ["notes.txt", "crates/README.md", "crates/rules/notes.txt", ".ci/other", "a/b"]
        {
            let places =
                "not a known location; the locations are listed in xtask/src/tidy/layout.rs";
            check_path(path, &[&format!("{path}:1: {places}")]);
        }
    }

    #[test]
    fn leftovers_are_problems() {
        for path in ["docs/a.md.orig", "docs/.DS_Store", "docs/.a.md.swp", "docs/a.md~"] {
            check_path(path, &[&format!("{path}:1: left over from an editor or a merge")]);
        }
    }

    #[test]
    fn large_binaries_are_problems_and_large_texts_are_not() {
        let large = TrackedFile::new("crates/nnue/data/net", vec![0; BINARY_LIMIT_BYTES + 1]);
        let what = "crates/nnue/data/net:1: binary of 1000001 bytes, over 1000000";
        expect(&check(&[large]), &[what]);
        check_path("crates/nnue/data/net", &[]);
        let network = |len| TrackedFile::new("crates/nnue/data/a.nnue.packed", vec![0; len]);
        expect(&check(&[network(NETWORK_LIMIT_BYTES)]), &[]);
        let what = "crates/nnue/data/a.nnue.packed:1: binary of 8000001 bytes, over 8000000";
        expect(&check(&[network(NETWORK_LIMIT_BYTES + 1)]), &[what]);
        let text = "x".repeat(BINARY_LIMIT_BYTES + 1);
        expect(&check(&[file("crates/pgn/data/a.pgn", &text)]), &[]);
    }
}
