//! A pool of read-only connections, used on blocking threads outside the async runtime.
//!
//! This module limits and schedules the queries; `values` runs them. Invariant: there are never
//! more queries in progress than connections, and each connection serves one query at a time.

use core::time::Duration;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rusqlite::{Connection, OpenFlags};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::database::Readers;
use crate::error::{OpenError, StoreError};
use crate::sqlite::errors::{open_error, store_error};
use crate::sqlite::values::fetch;
use crate::statement::{Row, Select};
use crate::store::StoreFuture;

/// Idle connections, and a semaphore with one permit per connection.
#[derive(Debug)]
pub(super) struct SqliteReaders {
    idle: Arc<Mutex<Vec<Connection>>>,
    permits: Arc<Semaphore>,
    timeout: Duration,
}

impl SqliteReaders {
    /// Opens `size` connections to an existing database.
    pub(super) fn open(
        path: &Path,
        size: usize,
        timeout: Duration,
    ) -> Result<SqliteReaders, OpenError> {
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
        Ok(SqliteReaders { idle: Arc::new(Mutex::new(idle)), permits, timeout })
    }

    async fn permit(&self) -> Result<OwnedSemaphorePermit, StoreError> {
        let start = Instant::now();
        let permit = Arc::clone(&self.permits).acquire_owned();
        match tokio::time::timeout(self.timeout, permit).await {
            Err(_) => Err(StoreError::Overloaded { waited: start.elapsed() }),
            Ok(permit) => permit.map_err(|_| StoreError::Closed),
        }
    }
}

impl Readers for SqliteReaders {
    fn fetch(&self, select: Select) -> StoreFuture<'_, Vec<Row>> {
        Box::pin(async move {
            let permit = self.permit().await?;
            let idle = Arc::clone(&self.idle);
            let reading = tokio::task::spawn_blocking(move || {
                let connection = lock(&idle).pop().ok_or(StoreError::Closed)?;
                let rows = fetch(&connection, &select).map_err(|error| store_error(&error));
                lock(&idle).push(connection);
                drop(permit);
                rows
            });
            reading.await.unwrap_or_else(|error| {
                Err(StoreError::Unavailable { why: format!("the reader stopped: {error}") })
            })
        })
    }

    fn close(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            self.permits.close();
            // A query in progress puts its connection back; it is closed when the pool is
            // dropped.
            lock(&self.idle).clear();
            Ok(())
        })
    }
}

fn lock(idle: &Mutex<Vec<Connection>>) -> std::sync::MutexGuard<'_, Vec<Connection>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}
