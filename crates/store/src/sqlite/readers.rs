//! Pools of read-only connections, used on blocking threads outside the async runtime.
//!
//! This module limits and schedules the queries; `values` runs them. Invariant: there are never
//! more queries in progress than connections, and each connection serves one query at a time.
//! Searches have a pool of their own, so that lookups never wait for them, and a search ends when
//! its time is up or no caller waits for it any longer.

use core::time::Duration;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rusqlite::{Connection, ErrorCode, OpenFlags};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::database::Readers;
use crate::error::{OpenError, StoreError};
use crate::read_waits::ReadWaits;
use crate::sqlite::SqliteOptions;
use crate::sqlite::errors::{open_error, store_error};
use crate::sqlite::values::fetch;
use crate::statement::{ReadKind, Row, Select};
use crate::store::{ReadMetrics, StoreFuture};

/// The connections for each kind of query.
#[derive(Debug)]
pub(super) struct SqliteReaders {
    lookups: SqlitePool,
    searches: SqlitePool,
}

impl SqliteReaders {
    /// Opens the connections to an existing database.
    pub(super) fn open(path: &Path, options: &SqliteOptions) -> Result<SqliteReaders, OpenError> {
        let SqliteOptions { readers, search_readers, timeout, search_timeout, .. } = *options;
        Ok(SqliteReaders {
            lookups: SqlitePool::open(path, readers, timeout, None)?,
            searches: SqlitePool::open(path, search_readers, timeout, Some(search_timeout))?,
        })
    }

    fn pool(&self, kind: ReadKind) -> &SqlitePool {
        match kind {
            ReadKind::Lookup => &self.lookups,
            ReadKind::Search => &self.searches,
        }
    }
}

impl Readers for SqliteReaders {
    fn fetch(&self, select: Select) -> StoreFuture<'_, Vec<Row>> {
        Box::pin(self.pool(select.kind).fetch(select))
    }

    fn metrics(&self, kind: ReadKind) -> ReadMetrics {
        self.pool(kind).waits.metrics()
    }

    fn close(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            self.lookups.close();
            self.searches.close();
            Ok(())
        })
    }
}

/// Idle connections, and a semaphore with one permit per connection.
#[derive(Debug)]
struct SqlitePool {
    idle: Arc<Mutex<Vec<Connection>>>,
    permits: Arc<Semaphore>,
    /// How long a query waits for a connection.
    timeout: Duration,
    /// How long a query may run, if it is limited.
    limit: Option<Duration>,
    waits: ReadWaits,
}

impl SqlitePool {
    fn open(
        path: &Path,
        size: usize,
        timeout: Duration,
        limit: Option<Duration>,
    ) -> Result<SqlitePool, OpenError> {
        let size = size.max(1);
        let connect = || {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(path, flags)?;
            connection.busy_timeout(timeout)?;
            connection.set_prepared_statement_cache_capacity(32);
            Ok(connection)
        };
        let connections = (0..size).map(|_| connect()).collect::<rusqlite::Result<Vec<_>>>();
        let idle = connections.map_err(|error| open_error(path, &error))?;
        let permits = Arc::new(Semaphore::new(size));
        let (idle, waits) = (Arc::new(Mutex::new(idle)), ReadWaits::default());
        Ok(SqlitePool { idle, permits, timeout, limit, waits })
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, StoreError> {
        let start = Instant::now();
        let permit = Arc::clone(&self.permits).acquire_owned();
        match tokio::time::timeout(self.timeout, permit).await {
            Err(_) => Err(StoreError::Overloaded { waited: start.elapsed() }),
            Ok(permit) => permit.map_err(|_| StoreError::Closed),
        }
    }

    async fn fetch(&self, select: Select) -> Result<Vec<Row>, StoreError> {
        let permit = self.waits.measure(self.permit()).await?;
        let idle = Arc::clone(&self.idle);
        let deadline = self.limit.map(|limit| Instant::now() + limit);
        let (canceled, guard) = cancellation();
        let reading = tokio::task::spawn_blocking(move || {
            let connection = lock(&idle).pop().ok_or(StoreError::Closed)?;
            if let Some(deadline) = deadline {
                stop_when(&connection, deadline, canceled);
            }
            let rows = fetch(&connection, &select).map_err(|error| read_error(&error));
            lock(&idle).push(connection);
            drop(permit);
            rows
        });
        let rows = reading.await.unwrap_or_else(|error| {
            Err(StoreError::Unavailable { why: format!("the reader stopped: {error}") })
        });
        drop(guard);
        rows
    }

    fn close(&self) {
        self.permits.close();
        // A query in progress puts its connection back; it is closed when the pool is dropped.
        lock(&self.idle).clear();
    }
}

/// Number of steps of SQLite's machine between two checks of the clock. These steps take far less
/// than a millisecond.
const STEPS: i32 = 1000;

/// Makes the next query of a connection fail once its time is up or it is canceled.
fn stop_when(connection: &Connection, deadline: Instant, canceled: Arc<AtomicBool>) {
    let is_over = move || canceled.load(Ordering::Relaxed) || Instant::now() >= deadline;
    connection.progress_handler(STEPS, Some(is_over));
}

fn read_error(error: &rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => StoreError::SearchTimeout,
        _ => store_error(error),
    }
}

/// Returns a flag, and a guard that sets it when it is dropped.
fn cancellation() -> (Arc<AtomicBool>, CancelGuard) {
    let canceled = Arc::new(AtomicBool::new(false));
    (Arc::clone(&canceled), CancelGuard(canceled))
}

struct CancelGuard(Arc<AtomicBool>);

impl Drop for CancelGuard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn lock(idle: &Mutex<Vec<Connection>>) -> std::sync::MutexGuard<'_, Vec<Connection>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use castellan_testkit::waiting::LIMIT;

    use super::*;

    const ENDLESS: &str =
        "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT MAX(x) FROM n";

    fn select(kind: ReadKind, sql: &'static str) -> Select {
        Select { kind, sql, args: Vec::new() }
    }

    fn readers(search_timeout: Duration) -> (tempfile::TempDir, SqliteReaders) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("test.db");
        Connection::open(&path).expect("a file");
        let options = SqliteOptions { search_timeout, search_readers: 1, ..Default::default() };
        (folder, SqliteReaders::open(&path, &options).expect("readers"))
    }

    #[tokio::test]
    async fn a_search_without_end_is_interrupted_and_its_connection_serves_the_next() {
        let (_folder, readers) = readers(Duration::from_millis(1));
        for _ in 0..3 {
            let answer = readers.fetch(select(ReadKind::Search, ENDLESS)).await;
            assert_eq!(answer.map(|rows| rows.len()), Err(StoreError::SearchTimeout));
        }
        let rows = readers.fetch(select(ReadKind::Search, "SELECT 7")).await.expect("a row");
        assert_eq!(rows.len(), 1);
    }

    #[tokio::test]
    async fn lookups_do_not_wait_for_searches_and_abandoned_searches_end() {
        let (_folder, readers) = readers(LIMIT * 10);
        let readers = Arc::new(readers);
        let searching = Arc::clone(&readers);
        let search = tokio::spawn(async move {
            let _ = searching.fetch(select(ReadKind::Search, ENDLESS)).await;
        });
        while readers.searches.permits.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        readers.fetch(select(ReadKind::Lookup, "SELECT 7")).await.expect("a row");
        let waiting = Arc::clone(&readers);
        let next = tokio::spawn(async move {
            waiting.fetch(select(ReadKind::Search, "SELECT 7")).await.expect("a row").len()
        });
        while readers.metrics(ReadKind::Search).waiting == 0 {
            tokio::task::yield_now().await;
        }
        search.abort();
        let rows = tokio::time::timeout(LIMIT, next).await.expect("the search has ended");
        assert_eq!(rows.expect("no panic"), 1);
        let [lookups, searches] =
            [ReadKind::Lookup, ReadKind::Search].map(|it| readers.metrics(it));
        assert_eq!((lookups.served, lookups.waiting), (1, 0));
        assert_eq!((searches.served, searches.refused, searches.waiting), (2, 0, 0));
        assert!(searches.waited > lookups.waited, "{searches:?} {lookups:?}");
    }
}
