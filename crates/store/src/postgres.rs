//! The store on a PostgreSQL server, with one writer and a few readers.
//!
//! This module opens such a store. Its submodules handle connections (`session`), the schema
//! (`schema`), writes (`writer`) and queries (`readers`). Invariant: one process at a time writes
//! to the database. An advisory lock enforces this: the process holds it for as long as it runs
//! or, if several processes share the database, for the duration of a transaction.

mod bulk;
mod errors;
mod readers;
mod schema;
mod session;
mod values;
mod writer;

use core::str::FromStr;
use core::time::Duration;
use std::sync::Arc;

use sqlx::ConnectOptions;
use sqlx::postgres::PgConnectOptions;

use crate::database::Database;
use crate::error::OpenError;
use crate::migrations::{DryRun, MigrationPlan};
use crate::postgres::readers::PostgresReaders;
use crate::postgres::session::Server;
use crate::postgres::writer::PostgresWriter;
use crate::queue::queue;
use crate::store::Store;

/// Options of a store on a server.
#[derive(Debug, Clone)]
pub struct PostgresOptions {
    /// Capacity of the write queue; further writes wait for a free slot.
    pub queue: usize,
    /// How long a write or a query waits for its turn, and then for the server, before it is
    /// rejected.
    pub timeout: Duration,
    /// Number of lookups that can run at the same time.
    pub readers: u32,
    /// Number of searches and statistics that can run at the same time.
    pub search_readers: u32,
    /// How long a search may run before the server interrupts it.
    pub search_timeout: Duration,
    /// Whether other processes that also set this may use the database at the same time.
    pub is_shared: bool,
}

impl Default for PostgresOptions {
    fn default() -> PostgresOptions {
        PostgresOptions {
            queue: 4096,
            timeout: Duration::from_secs(5),
            readers: 4,
            search_readers: 2,
            search_timeout: Duration::from_secs(2),
            is_shared: false,
        }
    }
}

/// Connects to the store in this database, or creates a new one.
///
/// The address is `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. This function must be called
/// within a Tokio runtime, which then runs the writer.
///
/// # Errors
///
/// Returns any [`OpenError`] except lost writes: for example, another process writes to the
/// database, a newer version of the program created it, or the server does not guarantee
/// durability.
pub async fn connect(url: &str, options: PostgresOptions) -> Result<Arc<dyn Store>, OpenError> {
    let server = server(url, &options)?;
    let connection = server.open().await?;
    let pool = PostgresReaders::new(&server, &options);
    let (queue, receiver) = queue(options.queue, options.timeout);
    tokio::spawn(PostgresWriter::new(server, connection).run(receiver));
    Ok(Arc::new(Database { readers: pool, queue }))
}

/// Returns the migrations that the database still needs.
///
/// # Errors
///
/// Fails if the database cannot be reached, is not a Castellan database, or has a newer schema.
pub async fn migration_plan(url: &str) -> Result<MigrationPlan, OpenError> {
    server(url, &PostgresOptions::default())?.migration_plan().await
}

/// Tries to migrate the database, and rolls everything back. While servers are using it, this only
/// returns the migrations that it still needs.
///
/// # Errors
///
/// Fails as [`migration_plan`] does, or if the migration itself fails.
pub async fn dry_run_migration(url: &str) -> Result<DryRun, OpenError> {
    server(url, &PostgresOptions::default())?.dry_run_migration().await
}

fn server(url: &str, options: &PostgresOptions) -> Result<Server, OpenError> {
    // The address may contain a password, so the error repeats only the part that could be
    // parsed.
    let unreadable = |error: sqlx::Error| OpenError::Unusable {
        place: "at the given address".to_owned(),
        why: error.to_string(),
    };
    let address = PgConnectOptions::from_str(url).map_err(unreadable)?;
    let address = address.application_name("castellan").disable_statement_logging();
    Ok(Server::new(address, options.timeout, options.is_shared))
}
