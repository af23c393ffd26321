//! Reproducible archives: entries are sorted, and owner, mode and time do not depend on the machine
//! that builds them.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

use crate::process::{output, prepare};
use crate::workspace::Workspace;

/// A file in an archive.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Entry {
    /// The path below the archive's folder, with slashes.
    path: String,
    mode: u32,
    bytes: Vec<u8>,
}

impl Entry {
    /// Returns an entry for a regular file.
    pub(super) fn file(path: &str, bytes: Vec<u8>) -> Entry {
        Entry { path: path.to_owned(), mode: 0o644, bytes }
    }

    /// Returns an entry for an executable file.
    pub(super) fn program(path: &str, bytes: Vec<u8>) -> Entry {
        Entry { path: path.to_owned(), mode: 0o755, bytes }
    }
}

/// Writes an archive in which everything is below one folder.
pub(super) fn write(path: &Path, folder: &str, entries: Vec<Entry>, modified: u64) -> Result<()> {
    let context = || format!("cannot write {}", path.display());
    let file = File::create(path).with_context(context)?;
    let bytes = pack(file, folder, entries, modified).with_context(context)?;
    bytes.sync_all().with_context(context)
}

fn pack<W>(out: W, folder: &str, mut entries: Vec<Entry>, modified: u64) -> Result<W>
where
    W: std::io::Write,
{
    entries.sort();
    let mut builder = Builder::new(GzEncoder::new(out, Compression::best()));
    for entry in &entries {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_size(entry.bytes.len() as u64);
        header.set_mode(entry.mode);
        header.set_mtime(modified);
        header.set_uid(0);
        header.set_gid(0);
        header.set_username("root")?;
        header.set_groupname("root")?;
        builder.append_data(&mut header, format!("{folder}/{}", entry.path), &entry.bytes[..])?;
    }
    Ok(builder.into_inner()?.finish()?)
}

/// Returns the modification time of every entry in seconds since 1970: the time of the last commit,
/// or 0 outside of a Git repository.
pub(super) fn modification_time(workspace: &Workspace) -> u64 {
    let mut git = Command::new("git");
    prepare(&mut git, workspace);
    let answer = output(git.args(["log", "-1", "--format=%ct"]));
    answer.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

/// Writes `SHA256SUMS`, which `sha256sum --check` reads, beside the archives.
pub(super) fn write_checksums(folder: &Path, archives: &[PathBuf]) -> Result<()> {
    let mut lines = String::new();
    for path in archives {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(lines, "{:x}  {name}", Sha256::digest(bytes));
    }
    fs::write(folder.join("SHA256SUMS"), lines).context("cannot write SHA256SUMS")
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    fn packed(entries: Vec<Entry>) -> Vec<u8> {
        pack(Vec::new(), "castellan-1", entries, 1_000_000_000).expect("memory can be written to")
    }

    #[test]
    fn the_order_of_entries_does_not_change_the_archive() {
        let a = Entry::file("a/long/way/down.txt", vec![1, 2, 3]);
        let b = Entry::program("b", vec![0; 100_000]);
        let packed_once = packed(vec![a.clone(), b.clone()]);
        assert_eq!(packed_once, packed(vec![b.clone(), a.clone()]));
        assert_ne!(packed_once, packed(vec![a]));
    }

    #[test]
    fn a_packed_archive_can_be_unpacked() {
        let entries =
            [Entry::file("x/README.md", b"read".to_vec()), Entry::program("run", vec![7])];
        let bytes = packed(entries.to_vec());
        let mut archive = tar::Archive::new(GzDecoder::new(&bytes[..]));
        let mut found = Vec::new();
        for entry in archive.entries().expect("it is an archive") {
            let mut entry = entry.expect("the entry is whole");
            let header = entry.header();
            assert_eq!(header.mtime().expect("there is a time"), 1_000_000_000);
            assert_eq!(header.uid().expect("there is an owner"), 0);
            let mode = header.mode().expect("there is a mode");
            let path = entry.path().expect("the path is text").to_string_lossy().into_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("the bytes are there");
            found.push((path, mode, bytes));
        }
        let expected = [
            ("castellan-1/run".to_owned(), 0o755, vec![7]),
            ("castellan-1/x/README.md".to_owned(), 0o644, b"read".to_vec()),
        ];
        assert_eq!(found, expected);
    }
}
