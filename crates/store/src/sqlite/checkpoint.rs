//! Copies commits from the write-ahead log into the database without blocking the writer.
//!
//! This module decides when that happens and on which thread. Invariant: the log stays bounded. A
//! separate thread copies while the writer continues; but as long as the writer continues, some
//! of the log is always left to copy, and the log can restart only when everything is copied. So
//! when the log has grown large, the writer copies the small remainder itself.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, OpenFlags};

use crate::error::OpenError;
use crate::sqlite::errors::{open_error, unusable};

/// Number of writes that accumulate in the log before they are copied.
const WRITES: usize = 2000;

/// Number of pages above which the log counts as large: 64 MB.
const MANY_PAGES: i64 = 16_000;

/// The writer's handle to the checkpoint thread.
#[derive(Debug)]
pub(super) struct Checkpointer {
    writes: usize,
    wake: Option<SyncSender<()>>,
    is_large: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    /// Starts the thread, with its own connection to an existing database.
    pub(super) fn start(path: &Path) -> Result<Checkpointer, OpenError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)
            .and_then(|connection| {
                connection.pragma_update(None, "synchronous", "FULL")?;
                Ok(connection)
            })
            .map_err(|error| open_error(path, &error))?;
        let (wake, woken) = sync_channel(1);
        let is_large = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&is_large);
        let thread = thread::Builder::new()
            .name("store checkpoints".to_owned())
            .spawn(move || run(&connection, &woken, &flag))
            .map_err(|error| unusable(path, &error))?;
        Ok(Checkpointer { writes: 0, wake: Some(wake), is_large, thread: Some(thread) })
    }

    /// Records that the writer has committed `writes` writes, and starts a checkpoint when it is
    /// due.
    pub(super) fn committed(&mut self, writes: usize, writer: &Connection) {
        self.writes += writes;
        if self.writes < WRITES {
            return;
        }
        if self.is_large.swap(false, Ordering::Relaxed) {
            copy(writer);
            self.writes = 0;
        } else if let Some(wake) = &self.wake
            && wake.try_send(()).is_ok()
        {
            self.writes = 0;
        }
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.wake.take();
        if let Some(thread) = self.thread.take() {
            // The thread does not panic; if it did, there would be nothing left to wait for.
            let _ = thread.join();
        }
    }
}

fn run(connection: &Connection, woken: &Receiver<()>, is_large: &AtomicBool) {
    while woken.recv().is_ok() {
        is_large.store(copy(connection) > MANY_PAGES, Ordering::Relaxed);
    }
}

/// Copies as much of the log as possible without waiting for readers. Returns the pages in the log.
fn copy(connection: &Connection) -> i64 {
    let copied = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(1));
    copied.unwrap_or_else(|error| {
        // Nothing is lost: the log keeps every commit until it has been copied.
        tracing::warn!(%error, "the checkpoint of the database failed");
        0
    })
}
