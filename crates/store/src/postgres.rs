//! The store on a PostgreSQL server, with one writer and a few readers.
//!
//! Owns: opening such a store. Leaves to its parts: connecting (`session`), the schema
//! (`schema`), storing (`writer`) and reading (`readers`). Invariant: one process writes to the
//! database at a time, which an advisory lock sees to: for as long as the process lives, or, if
//! several share the database, for as long as a transaction lasts.

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
use crate::postgres::readers::Pool;
use crate::postgres::session::Server;
use crate::postgres::writer::Writer;
use crate::queue::queue;
use crate::store::Store;

/// How a store on a server behaves.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many writes may wait; those that come after wait for a place.
    pub queue: usize,
    /// How long a write or a question waits for its turn, and then for the server, before it is
    /// refused.
    pub patience: Duration,
    /// How many questions are answered at once.
    pub readers: u32,
    /// Whether other processes that say the same may use the database, too.
    pub is_shared: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { queue: 4096, patience: Duration::from_secs(5), readers: 4, is_shared: false }
    }
}

/// Connects to the store in this database, or makes a new one there.
///
/// The address is `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. Must be called within a Tokio
/// runtime, which then runs the writer.
///
/// # Errors
///
/// Every [`OpenError`] but lost writes, among them that another process writes to the database,
/// that a newer program made it, and that the server does not promise durability.
pub async fn connect(url: &str, options: Options) -> Result<Arc<dyn Store>, OpenError> {
    // The address may contain a password, so only what was understood of it is repeated.
    let unreadable = |error: sqlx::Error| OpenError::Unusable {
        place: "at the given address".to_owned(),
        why: error.to_string(),
    };
    let address = PgConnectOptions::from_str(url).map_err(unreadable)?;
    let address = address.application_name("castellan").disable_statement_logging();
    let server = Server::new(address, options.patience, options.is_shared);
    let mut connection = server.open().await?;
    server.take_turn(&mut connection).await?;
    schema::prepare(&mut connection, &server.place()).await?;
    server.end_turn(&mut connection).await?;
    let pool = Pool::new(&server, options.readers);
    let (queue, line) = queue(options.queue, options.patience);
    tokio::spawn(Writer::new(server, connection).run(line));
    Ok(Arc::new(Database { readers: pool, queue }))
}
