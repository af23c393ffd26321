//! The file next to the database: a lock, and a record of the acknowledged commits.
//!
//! This module ensures that one process at a time uses the database, and stores the number of the
//! last commit that was acknowledged to a caller; `schema` compares that number with the
//! database. Invariant: the record is written after the commit is durable and before any caller
//! is told, and is never synced. So it is never ahead of the data on disk, and after a crash of
//! the process it is exact.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process;

use crate::error::OpenError;
use crate::sqlite::errors::unusable;
use crate::sqlite::permissions::private_file;

/// Maximum size of a record, in bytes; the rest of the file is ignored.
const MAX_RECORD_BYTES: u64 = 512;

/// The lock on a database, held for the lifetime of this value.
#[derive(Debug)]
pub(super) struct Guard {
    file: File,
}

/// The last acknowledged commit, and the identity of its database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) identity: i64,
    pub(super) commits: u64,
}

/// Resolves links in the path, so that each database has exactly one lock.
pub(super) fn canonical_path(path: &Path) -> Result<PathBuf, OpenError> {
    if let Ok(canonical) = fs::canonicalize(path) {
        return Ok(canonical);
    }
    let name = path.file_name().ok_or_else(|| unusable(path, &"the path has no file name"))?;
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let canonical = fs::canonicalize(folder)
        .map_err(|error| unusable(path, &format!("cannot use its folder: {error}")))?;
    Ok(canonical.join(name))
}

/// Returns the path of the lock file of a database.
pub(super) fn record_path(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    path.into()
}

impl Guard {
    /// Takes the lock and reads the record that the last holder left.
    pub(super) fn take(database: &Path) -> Result<(Guard, Option<Record>), OpenError> {
        let path = record_path(database);
        let fault = |error: io::Error| unusable(&path, &error);
        let file = private_file().open(&path).map_err(fault)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(database, &file)),
            Err(TryLockError::Error(error)) => return Err(fault(error)),
        }
        let record = parse(&read(&file).map_err(fault)?);
        Ok((Guard { file }, record))
    }

    /// Forgets the acknowledged commits, because another database takes the place of this one.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.file.set_len(0)
    }

    /// Records that this commit is about to be acknowledged.
    pub(super) fn write(&mut self, record: Record) -> io::Result<()> {
        let Record { identity, commits } = record;
        // The width is fixed, so each write replaces the previous one in place.
        let text = format!(
            "process {:>10}\nidentity {identity:>20}\ncommits {commits:>20}\n",
            process::id()
        );
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(text.as_bytes())
    }
}

fn in_use(database: &Path, file: &File) -> OpenError {
    let text = read(file).unwrap_or_default();
    let holder = match field(&text, "process") {
        Some(process) => format!("process {process}"),
        None => "another process".to_owned(),
    };
    OpenError::InUse { place: database.display().to_string(), holder }
}

fn read(mut file: &File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(MAX_RECORD_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Parses a record. After a power failure it may be missing or corrupt, which proves nothing.
fn parse(text: &str) -> Option<Record> {
    let identity = field(text, "identity")?.parse().ok()?;
    let commits = field(text, "commits")?.parse().ok()?;
    Some(Record { identity, commits })
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}
