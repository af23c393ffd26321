//! A pool of read-only connections.
//!
//! This module holds the pool; `values` runs the queries. Invariant: a lost connection fails only
//! the query that was using it; the pool opens a new one.

use sqlx::postgres::{PgPool, PgPoolOptions};

use crate::database::Readers;
use crate::error::StoreError;
use crate::postgres::errors::store_error;
use crate::postgres::session::Server;
use crate::postgres::values::fetch;
use crate::statement::{Row, Select};
use crate::store::StoreFuture;

/// The connections that serve queries.
#[derive(Debug)]
pub(super) struct PostgresReaders {
    pool: PgPool,
    server: Server,
}

impl PostgresReaders {
    /// Creates a pool of up to `size` connections, opened on demand.
    pub(super) fn new(server: &Server, size: u32) -> PostgresReaders {
        let address = server.address().clone();
        let address = address.options([("default_transaction_read_only", "on")]);
        let options = PgPoolOptions::new().max_connections(size.max(1));
        let options = options.acquire_timeout(server.timeout());
        PostgresReaders { pool: options.connect_lazy_with(address), server: server.clone() }
    }
}

impl Readers for PostgresReaders {
    fn fetch(&self, select: Select) -> StoreFuture<'_, Vec<Row>> {
        Box::pin(async move {
            let limit = self.server.timeout() * 2;
            match tokio::time::timeout(limit, fetch(&self.pool, &select)).await {
                Ok(rows) => rows.map_err(|error| store_error(&error)),
                Err(_) => {
                    let why = format!("no response within {} ms", limit.as_millis());
                    Err(StoreError::Unavailable { why })
                }
            }
        })
    }

    fn close(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            self.pool.close().await;
            Ok(())
        })
    }
}
