//! The files of the repository, as input for the checks.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{output, prepare};
use crate::tidy::rust_source::RustSource;
use crate::workspace::Workspace;

/// A file that git tracks, or that is neither tracked nor ignored.
pub(super) struct TrackedFile {
    /// The path from the root, with `/` between the folders.
    pub(super) path: String,
    pub(super) size_bytes: usize,
    /// The content, or `None` for a file that is not UTF-8 text.
    pub(super) text: Option<String>,
    /// The text split into code and comments, or `None` if it is not a Rust file.
    pub(super) rust: Option<RustSource>,
}

impl TrackedFile {
    pub(super) fn new(path: &str, content: Vec<u8>) -> TrackedFile {
        let size_bytes = content.len();
        let text = String::from_utf8(content).ok().filter(|text| !text.contains('\0'));
        let is_rust = path.ends_with(".rs");
        let rust = text.as_deref().filter(|_| is_rust).map(RustSource::new);
        TrackedFile { path: path.to_owned(), size_bytes, text, rust }
    }

    /// Returns whether the name ends with a dot and one of these extensions.
    pub(super) fn has_extension(&self, extensions: &[&str]) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        name.rsplit_once('.').is_some_and(|(_, ending)| extensions.contains(&ending))
    }

    /// Returns the folder of the crate, such as `rules`, for a file in `crates/`.
    pub(super) fn crate_folder(&self) -> Option<&str> {
        let inside = self.path.strip_prefix("crates/")?;
        inside.split_once('/').map(|(folder, _)| folder)
    }
}

/// Returns the file with exactly this path.
pub(super) fn find<'a>(files: &'a [TrackedFile], path: &str) -> Option<&'a TrackedFile> {
    files.iter().find(|file| file.path == path)
}

/// Lists the files with git and reads them.
pub(super) fn read(workspace: &Workspace) -> Result<Vec<TrackedFile>> {
    let mut git = Command::new("git");
    prepare(&mut git, workspace);
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]);
    let listing = output(&mut git).context("tidy needs git and a git checkout")?;
    let mut files = Vec::new();
    for path in listing.split('\0').filter(|path| !path.is_empty()) {
        let absolute = workspace.root().join(path);
        // A file that is deleted but not committed is still listed, and a link may lead out of the
        // tree.
        if absolute.is_file() && !absolute.is_symlink() {
            let content = fs::read(&absolute).with_context(|| format!("cannot read {path}"))?;
            files.push(TrackedFile::new(path, content));
        }
    }
    Ok(files)
}

/// Returns a file for the tests of the checks.
#[cfg(test)]
pub(super) fn file(path: &str, text: &str) -> TrackedFile {
    TrackedFile::new(path, text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_belongs_to_the_name_and_not_to_a_folder() {
        assert!(file("a/b.rs", "").has_extension(&["rs"]));
        assert!(!file("a.rs/b", "").has_extension(&["rs"]));
        assert!(!file("a/brs", "").has_extension(&["rs"]));
    }

    #[test]
    fn the_crate_is_the_folder_below_crates() {
        assert_eq!(file("crates/rules/src/lib.rs", "").crate_folder(), Some("rules"));
        assert_eq!(file("crates/README.md", "").crate_folder(), None);
        assert_eq!(file("xtask/src/main.rs", "").crate_folder(), None);
    }

    #[test]
    fn binary_content_has_no_text() {
        assert!(TrackedFile::new("a.rs", vec![0xff, 0xfe]).text.is_none());
        assert!(TrackedFile::new("a.rs", vec![b'a', 0]).rust.is_none());
    }
}
