//! The single writer task: it stores a group of writes in one transaction and then replies.
//!
//! This module stores writes, reconnects, and finds out the outcome of a commit whose response
//! was lost; `queue` gathers the groups and delivers the replies. Invariant: no caller gets `Ok`
//! before the server has confirmed the commit.

use core::time::Duration;
use std::time::Instant;

use sqlx::{Connection, Error, PgConnection, Row};

use crate::error::StoreError;
use crate::postgres::bulk;
use crate::postgres::errors::{is_lost, store_error};
use crate::postgres::session::Server;
use crate::postgres::values::{dialect, query};
use crate::queue::{Job, Line};
use crate::sql;
use crate::statement::{Gives, NewEvent, Otherwise, Step, Work};

/// The outcome of one write in a group, valid once its transaction is committed.
pub(super) type Fate = Result<u64, StoreError>;

/// Maximum attempts to store a group: one retry after a lost connection, if nothing was stored.
const ATTEMPTS: u32 = 2;

/// How long to wait before asking again for the outcome of a transaction.
const PAUSE: Duration = Duration::from_millis(50);

/// The writing connection, and the server to reconnect to.
#[derive(Debug)]
pub(super) struct Writer {
    server: Server,
    connection: Option<PgConnection>,
}

/// Why a group was not stored, as far as is known.
enum Failure {
    /// Nothing was stored, and the connection is still usable.
    Refused(StoreError),
    /// Nothing was stored, and the connection is gone: a retry is safe.
    Lost(StoreError),
    /// The connection was lost while this transaction was being committed.
    Unknown { transaction: String, why: StoreError },
}

impl Writer {
    pub(super) fn new(server: Server, connection: PgConnection) -> Writer {
        Writer { server, connection: Some(connection) }
    }

    /// Stores groups of writes until the queue is closed and empty.
    pub(super) async fn run(mut self, mut line: Line) {
        while let Some(group) = line.next().await {
            if !group.is_empty() {
                self.store(group, &line).await;
            }
        }
        // A caller that waits for the end may open the database again, so its lock is released
        // first.
        if let Some(connection) = self.connection.take() {
            let _ = connection.close().await;
        }
        drop(line);
    }

    async fn store(&mut self, group: Vec<Job>, line: &Line) {
        let start = Instant::now();
        match self.persist(&group).await {
            Ok(fates) => {
                let answered = group.into_iter().zip(fates).collect();
                line.committed(answered, start.elapsed());
            }
            Err(error) => {
                tracing::error!(%error, writes = group.len(), "a group of writes failed");
                for job in group {
                    line.fail(job, error.clone());
                }
            }
        }
    }

    /// Stores a group, over a new connection if necessary.
    async fn persist(&mut self, group: &[Job]) -> Result<Vec<Fate>, StoreError> {
        let mut why = StoreError::Closed;
        for _ in 0..ATTEMPTS {
            match self.attempt(group).await {
                Ok(fates) => return Ok(fates),
                Err((Failure::Refused(error), _)) => return Err(error),
                Err((Failure::Lost(error), _)) => why = error,
                Err((Failure::Unknown { transaction, why: lost }, fates)) => {
                    if self.was_committed(&transaction, &lost).await? {
                        return Ok(fates);
                    }
                    why = lost;
                }
            }
            tracing::warn!(%why, "lost the connection to the database");
        }
        Err(why)
    }

    /// Attempts one transaction. A failure includes the outcomes that hold if it was committed
    /// after all.
    async fn attempt(&mut self, group: &[Job]) -> Result<Vec<Fate>, (Failure, Vec<Fate>)> {
        let connected = self.connected().await;
        let mut connection = connected.map_err(|error| (Failure::Lost(error), Vec::new()))?;
        let mut fates = Vec::new();
        let result = commit(&mut connection, group, &self.server, &mut fates).await;
        // A connection that is not put back is closed, which ends its transaction.
        match result {
            Ok(()) => {
                self.connection = Some(connection);
                Ok(fates)
            }
            Err(Failure::Refused(error)) => {
                let rollback = say(&mut connection, "ROLLBACK");
                let rollback = tokio::time::timeout(self.server.patience(), rollback).await;
                if matches!(rollback, Ok(Ok(()))) {
                    self.connection = Some(connection);
                }
                Err((Failure::Refused(error), Vec::new()))
            }
            Err(failure) => Err((failure, fates)),
        }
    }

    async fn connected(&mut self) -> Result<PgConnection, StoreError> {
        match self.connection.take() {
            Some(connection) => Ok(connection),
            None => self.server.connect().await.map_err(|denied| denied.store_error()),
        }
    }

    /// Asks the server for the outcome of a transaction whose commit got no response.
    async fn was_committed(
        &mut self,
        transaction: &str,
        lost: &StoreError,
    ) -> Result<bool, StoreError> {
        let uncertain = || StoreError::Uncertain { why: lost.to_string() };
        let start = Instant::now();
        while start.elapsed() < self.server.patience() {
            // Connecting takes the lock. If it is exclusive, the lost session has ended by then.
            let Ok(mut connection) = self.connected().await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let ask = sqlx::query_scalar("SELECT pg_xact_status($1::text::xid8)");
            let status: Result<Option<String>, Error> =
                ask.bind(transaction).fetch_one(&mut connection).await;
            match status {
                Ok(status) => {
                    self.connection = Some(connection);
                    match status.as_deref() {
                        Some("committed") => return Ok(true),
                        Some("aborted") => return Ok(false),
                        _ => tokio::time::sleep(PAUSE).await,
                    }
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
        Err(uncertain())
    }
}

/// Runs the group as one transaction and commits it.
async fn commit(
    connection: &mut PgConnection,
    group: &[Job],
    server: &Server,
    fates: &mut Vec<Fate>,
) -> Result<(), Failure> {
    let patience = server.patience();
    let silent = || {
        let why = format!("no response within {} ms", patience.as_millis());
        StoreError::Unavailable { why }
    };
    let prepared = tokio::time::timeout(patience, prepare(connection, group, server, fates)).await;
    let transaction = prepared.unwrap_or_else(|_| Err(Failure::Lost(silent())))?;
    let Some(transaction) = transaction else {
        return Ok(());
    };
    match tokio::time::timeout(patience, say(connection, "COMMIT")).await {
        Ok(Ok(_)) => Ok(()),
        // The server responded that it could not commit, so it rolled back.
        Ok(Err(error)) if !is_lost(&error) => Err(Failure::Refused(store_error(&error))),
        Ok(Err(error)) => Err(Failure::Unknown { transaction, why: store_error(&error) }),
        Err(_) => Err(Failure::Unknown { transaction, why: silent() }),
    }
}

/// Does everything except the commit. Returns the transaction's id, if there is one to commit.
async fn prepare(
    connection: &mut PgConnection,
    group: &[Job],
    server: &Server,
    fates: &mut Vec<Fate>,
) -> Result<Option<String>, Failure> {
    let judge = |error: Error| match store_error(&error) {
        error @ StoreError::Unavailable { .. } => Failure::Lost(error),
        error => Failure::Refused(error),
    };
    begin(connection, group, server, fates).await.map_err(judge)
}

async fn begin(
    connection: &mut PgConnection,
    group: &[Job],
    server: &Server,
    fates: &mut Vec<Fate>,
) -> Result<Option<String>, Error> {
    // A stricter level would see the database as it was before our turn started.
    say(connection, "BEGIN ISOLATION LEVEL READ COMMITTED").await?;
    server.take_turn_to_write(connection).await?;
    *fates = apply_all(connection, group).await?;
    if fates.iter().all(Result::is_err) {
        say(connection, "ROLLBACK").await?;
        return Ok(None);
    }
    let id = sqlx::query_scalar("SELECT pg_current_xact_id()::text");
    id.fetch_one(connection).await.map(Some)
}

/// Runs a statement that has no arguments.
async fn say(connection: &mut PgConnection, sql: &'static str) -> Result<(), Error> {
    sqlx::query(sql).execute(connection).await.map(|_| ())
}

/// Applies every write of the group; consecutive event batches are stored in bulk.
async fn apply_all(connection: &mut PgConnection, group: &[Job]) -> Result<Vec<Fate>, Error> {
    let mut fates = Vec::with_capacity(group.len());
    let mut batches: Vec<&[NewEvent]> = Vec::new();
    for job in group {
        match &job.work {
            Work::Events(events) => batches.push(events),
            Work::Steps(steps) => {
                fates.extend(bulk::store(connection, &batches).await?);
                batches.clear();
                fates.push(apply(connection, steps).await?);
            }
        }
    }
    fates.extend(bulk::store(connection, &batches).await?);
    Ok(fates)
}

/// Applies one write within the transaction. An outer error concerns the whole transaction.
async fn apply(connection: &mut PgConnection, steps: &[Step]) -> Result<Fate, Error> {
    say(connection, "SAVEPOINT one").await?;
    let fate = match run_steps(connection, steps).await {
        Err(error) => match store_error(&error) {
            refused @ StoreError::Refused { .. } => Err(refused),
            _ => return Err(error),
        },
        Ok(fate) => fate,
    };
    if fate.is_err() {
        say(connection, "ROLLBACK TO one").await?;
    }
    say(connection, "RELEASE one").await?;
    Ok(fate)
}

async fn run_steps(connection: &mut PgConnection, steps: &[Step]) -> Result<Fate, Error> {
    let mut sum = 0;
    for step in steps {
        let number = run_step(connection, step).await?;
        if number == 0
            && let Some(error) = unmet(connection, &step.otherwise).await?
        {
            return Ok(Err(error));
        }
        sum += number;
    }
    Ok(Ok(sum))
}

async fn run_step(connection: &mut PgConnection, step: &Step) -> Result<u64, Error> {
    let sql = dialect(step.sql);
    let query = query(&sql, &step.args);
    match step.gives {
        Gives::Changes => Ok(query.execute(connection).await?.rows_affected()),
        Gives::Value => {
            let row = query.fetch_optional(connection).await?;
            let value = row.map(|row| row.try_get::<i64, _>(0)).transpose()?;
            Ok(value.unwrap_or(0).cast_unsigned())
        }
    }
}

/// Returns the error for a step that returned 0, if that is an error.
async fn unmet(
    connection: &mut PgConnection,
    otherwise: &Otherwise,
) -> Result<Option<StoreError>, Error> {
    let stored = match otherwise {
        Otherwise::Conflict { game, .. } => {
            let sql = dialect(sql::VERSION);
            let version = sqlx::query_scalar::<_, i64>(&sql).bind(game.to_string());
            let version = version.fetch_optional(connection).await?;
            version.map(|version| u32::try_from(version).unwrap_or(u32::MAX))
        }
        Otherwise::Fine | Otherwise::Fail(_) => None,
    };
    Ok(otherwise.error(stored))
}
