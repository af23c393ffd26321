//! The store in a file: SQLite, with one writer and a few readers.
//!
//! Owns: opening such a store. Leaves to its parts: the lock (`guard`), the schema (`schema`),
//! storing (`writer`), tidying the log up (`checkpoint`) and reading (`readers`). Invariant: one
//! process has the file open at a time, and in it one connection writes.

mod checkpoint;
mod errors;
mod guard;
mod readers;
mod schema;
mod values;
mod writer;

use core::fmt;
use core::time::Duration;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use crate::database::Database;
use crate::error::OpenError;
use crate::queue::queue;
use crate::sqlite::checkpoint::Checkpointer;
use crate::sqlite::errors::unusable;
use crate::sqlite::guard::Guard;
use crate::sqlite::readers::Pool;
use crate::sqlite::writer::Writer;
use crate::store::Store;

/// How a store in a file behaves.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many writes may wait; those that come after wait for a place.
    pub queue: usize,
    /// How long a write or a question waits for its turn before it is refused.
    pub patience: Duration,
    /// How many questions are answered at once.
    pub readers: usize,
    /// How large the database may grow, if there is a limit; beyond it the disk counts as full.
    pub max_bytes: Option<u64>,
    /// What to do right before every commit: tests of faults wait here.
    pub before_commit: Option<Hook>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            queue: 4096,
            patience: Duration::from_secs(5),
            readers: 4,
            max_bytes: None,
            before_commit: None,
        }
    }
}

/// Something to be done by the writer.
#[derive(Clone)]
pub struct Hook(Arc<dyn Fn() + Send + Sync>);

impl Hook {
    /// A hook that does this; it may block, and everything that is written then waits.
    pub fn new(what: impl Fn() + Send + Sync + 'static) -> Hook {
        Hook(Arc::new(what))
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

/// Opens the store in this file, or makes a new one there.
///
/// Beside the file stand SQLite's own files, ending in `-wal` and `-shm`, and one ending in
/// `.lock`. Must be called, and the store used, within a Tokio runtime.
///
/// # Errors
///
/// Every [`OpenError`], among them that another process has the file open, that it was written
/// by a newer program, and that it is damaged or has lost writes.
pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Arc<dyn Store>, OpenError> {
    let path = guard::settle(path.as_ref())?;
    let (guard, record) = Guard::take(&path)?;
    let connection = schema::open(&path, record, &options)?;
    let pool = Pool::open(&path, options.readers, options.patience)?;
    let checkpointer = Checkpointer::start(&path)?;
    let (queue, line) = queue(options.queue, options.patience);
    let writer = Writer::new(connection, guard, checkpointer, options.before_commit)
        .map_err(|error| unusable(&path, &error))?;
    thread::Builder::new()
        .name("store writer".to_owned())
        .spawn(move || writer.run(line))
        .map_err(|error| unusable(&path, &error))?;
    Ok(Arc::new(Database { readers: pool, queue }))
}
