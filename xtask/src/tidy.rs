//! `cargo xtask tidy`: the conventions of docs/STYLE.md that neither rustc nor clippy checks.
//!
//! `files` checks names, sizes and text, `rust` the syntax trees, and `packages` what cargo knows.
//! Each check returns a list of problems, and its tests show it catching a violation.

mod files;
mod packages;
mod rust;

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::{fmt, fs};

use anyhow::{Context, Result, ensure};

use crate::args;
use crate::process::{output, prepare};
use crate::workspace::Workspace;

/// A file that git tracks, or that is neither tracked nor ignored.
struct TrackedFile {
    /// The path from the root, with `/` between the folders.
    path: String,
    size_bytes: usize,
    /// The content, or `None` for a file that is not UTF-8 text.
    text: Option<String>,
}

/// A violation of a convention, and its location.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Problem {
    file: String,
    line: usize,
    what: String,
}

/// Runs every check, and returns an error if there is a problem.
pub(crate) fn run(workspace: &Workspace, verbose: bool) -> Result<()> {
    let files = read(workspace)?;
    let mut problems = files::check(&files, &args::command_names());
    problems.extend(rust::check(&files));
    problems.extend(packages::check(workspace.root())?);
    problems.sort();
    problems.iter().for_each(|problem| println!("{problem}"));
    if verbose {
        files::over_aim(&files).iter().for_each(|file| println!("{file} (allowed)"));
    }
    ensure!(problems.is_empty(), "problems: {} in {} files", problems.len(), files.len());
    println!("tidy: no problems in {} files", files.len());
    Ok(())
}

/// Lists the files with git and reads them.
fn read(workspace: &Workspace) -> Result<Vec<TrackedFile>> {
    let mut git = Command::new("git");
    prepare(&mut git, workspace);
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]);
    let listing = output(&mut git).context("tidy needs git and a git checkout")?;
    let root = workspace.root();
    // A file that is deleted but not committed is still listed, and a link may lead out of the tree.
    let is_file = |path: &&str| root.join(path).is_file() && !root.join(path).is_symlink();
    let read = |path| {
        let content = fs::read(root.join(path)).with_context(|| format!("cannot read {path}"))?;
        Ok(TrackedFile::new(path, content))
    };
    listing.split('\0').filter(is_file).map(read).collect()
}

impl TrackedFile {
    fn new(path: &str, content: Vec<u8>) -> TrackedFile {
        let size_bytes = content.len();
        let text = String::from_utf8(content).ok().filter(|text| !text.contains('\0'));
        TrackedFile { path: path.to_owned(), size_bytes, text }
    }

    /// Returns the part of the file name after the last dot, or an empty text.
    fn extension(&self) -> &str {
        Path::new(&self.path).extension().and_then(OsStr::to_str).unwrap_or_default()
    }

    fn problem(&self, line: usize, what: impl Into<String>) -> Problem {
        Problem { file: self.path.clone(), line, what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

/// Compares the printed problems with the expected lines.
#[cfg(test)]
#[track_caller]
fn expect(problems: &[Problem], expected: &[&str]) {
    let printed: Vec<String> = problems.iter().map(Problem::to_string).collect();
    assert_eq!(printed, expected);
}
