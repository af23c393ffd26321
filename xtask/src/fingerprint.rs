//! A digest of source files, which tells whether a build is still up to date.
//!
//! Cargo and Vite can check this themselves, but running all of them takes longer than a user who
//! only wants to play is willing to wait. The digest covers contents and not dates, so switching
//! branches back and forth rebuilds nothing.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::workspace::Workspace;

/// Files of the workspace that go into a build.
pub(crate) struct Sources {
    /// Files and folders, relative to the root.
    pub(crate) roots: &'static [&'static str],
    /// Names of files and folders that are left out wherever they are.
    pub(crate) except: &'static [&'static str],
}

/// Every crate, and the configuration of cargo.
pub(crate) const RUST: Sources = Sources {
    roots: &["crates", "Cargo.toml", "Cargo.lock", ".cargo", "rust-toolchain.toml"],
    except: &["tests", "examples", "benches"],
};

/// Environment variables that change what cargo builds.
const VARIABLES: [&str; 3] = ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"];

/// Returns a digest of the sources and of the variables in `VARIABLES`.
pub(crate) fn of(workspace: &Workspace, sources: &[&Sources]) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    for variable in VARIABLES {
        env::var_os(variable).hash(&mut hasher);
    }
    for Sources { roots, except } in sources {
        for root in *roots {
            let path = workspace.root().join(root);
            // A path that does not exist yet, such as the built page, is a state like any other.
            if !path.exists() {
                continue;
            }
            add(&path, except, &mut hasher)
                .with_context(|| format!("cannot read {}", path.display()))?;
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn add(path: &Path, except: &[&str], hasher: &mut DefaultHasher) -> io::Result<()> {
    if !path.is_dir() {
        path.hash(hasher);
        return fs::read(path).map(|bytes| bytes.hash(hasher));
    }
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    entries.sort();
    let is_read = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default();
        !except.iter().any(|except| name == *except)
    };
    entries.iter().filter(is_read).try_for_each(|entry| add(entry, except, hasher))
}

/// A file that records the digest from which a product was built.
pub(crate) struct Stamp(PathBuf);

impl Stamp {
    /// Returns the stamp of one product, which is a file in the build folder.
    pub(crate) fn new(workspace: &Workspace, product: &str) -> Stamp {
        Stamp(workspace.target().join(format!("{product}.stamp")))
    }

    /// Returns whether the product was built from sources with this digest.
    pub(crate) fn matches(&self, digest: &str) -> bool {
        fs::read_to_string(&self.0).is_ok_and(|recorded| recorded == digest)
    }

    /// Records that the product was built from sources with this digest.
    pub(crate) fn set(&self, digest: &str) -> Result<()> {
        fs::write(&self.0, digest).with_context(|| format!("cannot write {}", self.0.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_and_names_count_and_exceptions_do_not() {
        let folder = env::temp_dir().join(format!("castellan-digest-{}", std::process::id()));
        fs::create_dir_all(folder.join("tests")).expect("a folder");
        let digest = || {
            let mut hasher = DefaultHasher::new();
            add(&folder, &["tests"], &mut hasher).expect("the folder can be read");
            hasher.finish()
        };
        let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
        write("a", "one");
        let first = digest();
        write("tests/b", "ignored");
        assert_eq!(digest(), first);
        write("a", "two");
        assert_ne!(digest(), first);
        write("a", "one");
        assert_eq!(digest(), first);
        write("c", "");
        assert_ne!(digest(), first);
        fs::remove_dir_all(&folder).expect("the folder can be removed");
    }
}
