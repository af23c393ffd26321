//! Moving commits from the log into the database, beside the writer and not in its way.
//!
//! Owns: when that is done and by whom. Invariant: the log stays bounded. A thread of its own
//! copies what is there while the writer goes on; but as long as the writer goes on, that never
//! ends with everything copied, and only then can the log begin anew. So when the log has grown
//! large the writer copies the little that is left itself.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, OpenFlags};

use crate::error::OpenError;
use crate::sqlite::errors::{open_error, unusable};

/// How many writes are gathered in the log before they are copied.
const WRITES: usize = 2000;

/// How many pages of log are many: 64 MB.
const MANY_PAGES: i64 = 16_000;

/// The writer's side of the thread that copies.
#[derive(Debug)]
pub(super) struct Checkpointer {
    writes: usize,
    wake: Option<SyncSender<()>>,
    is_large: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    /// Starts the thread, with a connection of its own to a database that exists.
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

    /// Notes that the writer has committed so many writes.
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
            // It does not panic; if it did, there would be nothing left to wait for.
            let _ = thread.join();
        }
    }
}

fn run(connection: &Connection, woken: &Receiver<()>, is_large: &AtomicBool) {
    while woken.recv().is_ok() {
        is_large.store(copy(connection) > MANY_PAGES, Ordering::Relaxed);
    }
}

/// Copies what nobody else needs in the log; tells how many pages the log has.
fn copy(connection: &Connection) -> i64 {
    let copied = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(1));
    copied.unwrap_or_else(|error| {
        // Nothing is lost: the log keeps everything until it has been copied.
        tracing::warn!(%error, "cannot move commits into the database");
        0
    })
}
