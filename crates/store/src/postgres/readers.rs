//! Pools of read-only connections.
//!
//! This module holds the pools; `values` runs the queries. Invariant: a lost connection fails only
//! the query that was using it; the pool opens a new one. Searches have a pool of their own, so
//! that lookups never wait for them, and the server interrupts a search when its time is up.

use core::time::Duration;

use sqlx::postgres::{PgPool, PgPoolOptions};

use crate::database::Readers;
use crate::error::StoreError;
use crate::postgres::PostgresOptions;
use crate::postgres::errors::store_error;
use crate::postgres::session::Server;
use crate::postgres::values::fetch;
use crate::read_waits::ReadWaits;
use crate::statement::{ReadKind, Row, Select};
use crate::store::{ReadMetrics, StoreFuture};

/// The connections that serve queries of each kind.
#[derive(Debug)]
pub(super) struct PostgresReaders {
    lookups: PostgresPool,
    searches: PostgresPool,
    server: Server,
}

/// Connections, and how long queries wait for them.
#[derive(Debug)]
struct PostgresPool {
    connections: PgPool,
    waits: ReadWaits,
}

impl PostgresReaders {
    /// Creates the pools. Their connections are opened on demand.
    pub(super) fn new(server: &Server, options: &PostgresOptions) -> PostgresReaders {
        let PostgresOptions { readers, search_readers, search_timeout, .. } = *options;
        PostgresReaders {
            lookups: pool(server, readers, None),
            searches: pool(server, search_readers, Some(search_timeout)),
            server: server.clone(),
        }
    }

    fn pool(&self, kind: ReadKind) -> &PostgresPool {
        match kind {
            ReadKind::Lookup => &self.lookups,
            ReadKind::Search => &self.searches,
        }
    }
}

/// Creates a pool of up to `size` connections, whose queries may take as long as `limit`.
fn pool(server: &Server, size: u32, limit: Option<Duration>) -> PostgresPool {
    let mut address = server.address().clone();
    address = address.options([("default_transaction_read_only", "on")]);
    if let Some(limit) = limit {
        address = address.options([("statement_timeout", limit.as_millis().max(1).to_string())]);
    }
    let options = PgPoolOptions::new().max_connections(size.max(1));
    let connections = options.acquire_timeout(server.timeout()).connect_lazy_with(address);
    PostgresPool { connections, waits: ReadWaits::default() }
}

impl PostgresPool {
    async fn fetch(&self, select: &Select) -> Result<Vec<Row>, sqlx::Error> {
        let mut connection = self.waits.measure(self.connections.acquire()).await?;
        fetch(&mut *connection, select).await
    }
}

/// Selects the time in milliseconds since 1970.
const TIME: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";

impl Readers for PostgresReaders {
    fn time_query(&self) -> Option<&'static str> {
        Some(TIME)
    }

    fn fetch(&self, select: Select) -> StoreFuture<'_, Vec<Row>> {
        Box::pin(async move {
            let limit = self.server.timeout() * 2;
            match tokio::time::timeout(limit, self.pool(select.kind).fetch(&select)).await {
                Ok(rows) => rows.map_err(|error| store_error(&error)),
                Err(_) => {
                    let why = format!("no response within {} ms", limit.as_millis());
                    Err(StoreError::Unavailable { why })
                }
            }
        })
    }

    fn metrics(&self, kind: ReadKind) -> ReadMetrics {
        self.pool(kind).waits.metrics()
    }

    fn close(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            self.lookups.connections.close().await;
            self.searches.connections.close().await;
            Ok(())
        })
    }
}
