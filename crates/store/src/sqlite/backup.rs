//! Copies of a database: backing one up while a server uses it, and restoring one.
//!
//! SQLite writes a copy from a single snapshot, which contains every commit up to that moment; a
//! server that is running goes on meanwhile. Invariant: a copy has its final name only once it is
//! complete, checked and synced to disk.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::{BackupError, OpenError};
use crate::sqlite::errors::open_error;
use crate::sqlite::guard::{Guard, canonical_path};
use crate::sqlite::{permissions, schema};

/// What a copy of a database contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupSummary {
    /// Number of games, running or finished.
    pub games: u64,
    /// Number of accounts.
    pub accounts: u64,
    /// Size of the file, in bytes.
    pub size_bytes: u64,
}

/// Copies a database to a new file. A server may be using the database.
///
/// # Errors
///
/// Fails if the database cannot be read or is not a Castellan database, or if the copy already
/// exists or cannot be written.
pub fn backup(database: &Path, copy: &Path) -> Result<BackupSummary, BackupError> {
    if !database.exists() {
        return Err(BackupError::NoDatabase { place: database.into() });
    }
    if copy.exists() {
        return Err(BackupError::Exists { place: copy.into() });
    }
    write_copy(database, copy)
}

/// Restores a backup as a database that no server is using. With `is_replacing`, an existing
/// database is kept under a name that ends in `.before-restore`.
///
/// # Errors
///
/// Fails if a server is using the database, if the database exists and may not be replaced, or if
/// the backup cannot be read or is not a Castellan database.
pub fn restore(
    backup: &Path,
    database: &Path,
    is_replacing: bool,
) -> Result<BackupSummary, BackupError> {
    if !backup.exists() {
        return Err(BackupError::NoDatabase { place: backup.into() });
    }
    let database = canonical_path(database)?;
    let (mut guard, _) = Guard::take(&database)?;
    let kept = with_suffix(&database, ".before-restore");
    if database.exists() && (!is_replacing || kept.exists()) {
        let place = if is_replacing { kept } else { database };
        return Err(BackupError::Exists { place });
    }
    // The copy is made first, so that a bad backup changes nothing.
    let copy = with_suffix(&database, ".restored");
    remove(&copy)?;
    let summary = write_copy(backup, &copy)?;
    for suffix in ["", "-wal", "-shm"] {
        let old = with_suffix(&database, suffix);
        if old.exists() {
            fs::rename(&old, with_suffix(&kept, suffix)).map_err(|error| failed(&old, &error))?;
        }
    }
    guard.clear().map_err(|error| failed(&database, &error))?;
    fs::rename(&copy, &database).map_err(|error| failed(&database, &error))?;
    sync_folder(&database)?;
    Ok(summary)
}

/// Keeps a copy of a database that is about to be migrated, unless there is one.
pub(super) fn keep_old_schema(database: &Path, version: i64) -> Result<(), OpenError> {
    let copy = with_suffix(database, &format!(".schema-{version}"));
    if copy.exists() {
        return Ok(());
    }
    tracing::info!("copying the database to {} before it is migrated", copy.display());
    match write_copy(database, &copy) {
        Ok(_) => Ok(()),
        Err(BackupError::Open(error)) => Err(error),
        Err(other) => Err(OpenError::Unusable {
            place: database.display().to_string(),
            why: other.to_string(),
        }),
    }
}

/// Writes a copy under another name, checks it, and gives it its name.
fn write_copy(source: &Path, copy: &Path) -> Result<BackupSummary, BackupError> {
    let partial = with_suffix(copy, ".partial");
    remove(&partial)?;
    let file = permissions::private_file().open(&partial);
    let file = file.map_err(|error| failed(&partial, &error))?;
    let written = fill(source, &partial).and_then(|()| describe(&partial));
    let finished = written.and_then(|summary| {
        file.sync_all().map_err(|error| failed(&partial, &error))?;
        fs::rename(&partial, copy).map_err(|error| failed(copy, &error))?;
        sync_folder(copy)?;
        Ok(summary)
    });
    if finished.is_err() {
        // What is left of it would only be in the way.
        let _ = fs::remove_file(&partial);
    }
    finished
}

fn fill(source: &Path, copy: &Path) -> Result<(), BackupError> {
    let fault = |error: rusqlite::Error| open_error(source, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(source, flags).map_err(fault)?;
    // Closing the connection would otherwise change the source if no server has it open.
    let keep_log = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
    connection.set_db_config(keep_log, true).map_err(fault)?;
    schema::identify(&connection, source)?;
    let name = copy.to_str().ok_or_else(|| failed(copy, &"the path is not UTF-8"))?;
    let copied = connection.execute("VACUUM INTO ?1", [name]);
    copied.map_err(|error| failed(copy, &error))?;
    Ok(())
}

/// Checks a copy, and marks it as complete without a log.
fn describe(copy: &Path) -> Result<BackupSummary, BackupError> {
    let fault = |error: rusqlite::Error| open_error(copy, &error);
    let connection = Connection::open(copy).map_err(fault)?;
    schema::check_integrity(&connection, copy)?;
    schema::mark_closed(&connection).map_err(fault)?;
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let games = count("SELECT COUNT(*) FROM games").map_err(fault)?.cast_unsigned();
    let accounts = count("SELECT COUNT(*) FROM accounts").map_err(fault)?.cast_unsigned();
    drop(connection);
    let size_bytes = fs::metadata(copy).map_err(|error| failed(copy, &error))?.len();
    Ok(BackupSummary { games, accounts, size_bytes })
}

pub(super) fn remove(path: &Path) -> Result<(), BackupError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed(path, &error)),
        _ => Ok(()),
    }
}

/// Makes sure that a new name survives a power failure.
fn sync_folder(path: &Path) -> Result<(), BackupError> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    // Only Unix can sync a folder, and only there it is necessary.
    if cfg!(unix) {
        File::open(folder).and_then(|it| it.sync_all()).map_err(|error| failed(path, &error))?;
    }
    Ok(())
}

pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn failed(path: &Path, why: &dyn core::fmt::Display) -> BackupError {
    BackupError::Open(OpenError::Unusable {
        place: path.display().to_string(),
        why: why.to_string(),
    })
}
