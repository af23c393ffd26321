//! The store in an SQLite file, with one writer and a few readers.
//!
//! This module opens such a store. Its submodules handle the lock (`guard`), the schema (`schema`),
//! writes (`writer`), checkpoints of the log (`checkpoint`), queries (`readers`) and the
//! permissions of the files (`permissions`). Invariant: one process at a time has the file open,
//! and within it one connection writes.

mod backup;
mod checkpoint;
mod dry_run;
mod errors;
mod guard;
mod permissions;
mod readers;
mod schema;
mod values;
mod writer;

use core::fmt;
use core::time::Duration;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread;

pub use crate::sqlite::backup::{BackupSummary, backup, restore};
pub use crate::sqlite::dry_run::{dry_run_migration, migration_plan};

use crate::database::Database;
use crate::error::OpenError;
use crate::queue::queue;
use crate::sqlite::checkpoint::Checkpointer;
use crate::sqlite::errors::unusable;
use crate::sqlite::guard::Guard;
use crate::sqlite::readers::SqliteReaders;
use crate::sqlite::writer::SqliteWriter;
use crate::store::Store;

/// Options of a store in a file.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    /// Capacity of the write queue; further writes wait for a free slot.
    pub queue: usize,
    /// How long a write or a query waits for its turn before it is rejected.
    pub timeout: Duration,
    /// Number of lookups that can run at the same time.
    pub readers: usize,
    /// Number of searches and statistics that can run at the same time.
    pub search_readers: usize,
    /// How long a search may run before it is interrupted.
    pub search_timeout: Duration,
    /// Maximum size of the database, if limited; beyond it the disk counts as full.
    pub max_bytes: Option<u64>,
    /// A function to call right before every commit, for fault tests.
    pub before_commit: Option<Hook>,
}

impl Default for SqliteOptions {
    fn default() -> SqliteOptions {
        SqliteOptions {
            queue: 4096,
            timeout: Duration::from_secs(5),
            readers: 4,
            search_readers: 2,
            search_timeout: Duration::from_secs(2),
            max_bytes: None,
            before_commit: None,
        }
    }
}

/// A function that the writer calls.
#[derive(Clone)]
pub struct Hook(Arc<dyn Fn() + Send + Sync>);

impl Hook {
    /// Creates a hook. The function may block, and all writes wait for it.
    pub fn new(function: impl Fn() + Send + Sync + 'static) -> Hook {
        Hook(Arc::new(function))
    }

    fn call(&self) {
        (self.0)();
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hook")
    }
}

/// Opens the store in this file, or creates a new one.
///
/// SQLite's own files, ending in `-wal` and `-shm`, are next to the file, and so is a lock file
/// ending in `.lock`. This function must be called, and the store used, within a Tokio runtime.
///
/// # Errors
///
/// Returns any [`OpenError`]: for example, another process has the file open, a newer version of
/// the program wrote it, or it is damaged or has lost writes.
pub fn open(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Arc<dyn Store>, OpenError> {
    let path = guard::canonical_path(path.as_ref())?;
    let (guard, record) = Guard::take(&path)?;
    if fs::metadata(&path).is_ok_and(|file| file.len() == 0) {
        tracing::warn!(
            "{} is an empty file, so the server starts without games and accounts; if it is a copy \
             of a database, the copy failed",
            path.display()
        );
    }
    permissions::create(&path).map_err(|error| unusable(&path, &error))?;
    let connection = schema::open(&path, record, &options)?;
    permissions::restrict(&path);
    let pool = SqliteReaders::open(&path, &options)?;
    let checkpointer = Checkpointer::start(&path)?;
    let (queue, receiver) = queue(options.queue, options.timeout);
    let writer = SqliteWriter::new(connection, guard, checkpointer, options.before_commit)
        .map_err(|error| unusable(&path, &error))?;
    thread::Builder::new()
        .name("store writer".to_owned())
        .spawn(move || writer.run(receiver))
        .map_err(|error| unusable(&path, &error))?;
    Ok(Arc::new(Database { readers: pool, queue }))
}
