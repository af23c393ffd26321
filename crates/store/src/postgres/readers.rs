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
use crate::store::Answer;

/// The connections that serve queries.
#[derive(Debug)]
pub(super) struct Pool {
    pool: PgPool,
    server: Server,
}

impl Pool {
    /// Creates a pool of up to `size` connections, opened on demand.
    pub(super) fn new(server: &Server, size: u32) -> Pool {
        let address = server.address().clone();
        let address = address.options([("default_transaction_read_only", "on")]);
        let options = PgPoolOptions::new().max_connections(size.max(1));
        let options = options.acquire_timeout(server.patience());
        Pool { pool: options.connect_lazy_with(address), server: server.clone() }
    }
}

impl Readers for Pool {
    fn fetch(&self, select: Select) -> Answer<'_, Vec<Row>> {
        Box::pin(async move {
            let limit = self.server.patience() * 2;
            match tokio::time::timeout(limit, fetch(&self.pool, &select)).await {
                Ok(rows) => rows.map_err(|error| store_error(&error)),
                Err(_) => {
                    let why = format!("no response within {} ms", limit.as_millis());
                    Err(StoreError::Unavailable { why })
                }
            }
        })
    }

    fn close(&self) -> Answer<'_, ()> {
        Box::pin(async move {
            self.pool.close().await;
            Ok(())
        })
    }
}
