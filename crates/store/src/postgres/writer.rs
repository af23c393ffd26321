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
use crate::queue::{Job, QueueReceiver, WriteOutcome};
use crate::sql;
use crate::statement::{NewEvent, OnZero, Step, StepResult, Write};

/// Maximum attempts to store a group: one retry after a lost connection, if nothing was stored.
const ATTEMPTS: u32 = 2;

/// How long to wait before asking again for the outcome of a transaction.
const PAUSE: Duration = Duration::from_millis(50);

/// The writing connection, and the server to reconnect to.
#[derive(Debug)]
pub(super) struct PostgresWriter {
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

impl PostgresWriter {
    pub(super) fn new(server: Server, connection: PgConnection) -> PostgresWriter {
        PostgresWriter { server, connection: Some(connection) }
    }

    /// Stores groups of writes until the queue is closed and empty.
    pub(super) async fn run(mut self, mut receiver: QueueReceiver) {
        while let Some(group) = receiver.next().await {
            if !group.is_empty() {
                self.store(group, &receiver).await;
            }
        }
        // A caller that waits for the end may open the database again, so its lock is released
        // first.
        if let Some(connection) = self.connection.take() {
            let _ = connection.close().await;
        }
        drop(receiver);
    }

    async fn store(&mut self, group: Vec<Job>, receiver: &QueueReceiver) {
        let start = Instant::now();
        match self.persist(&group).await {
            Ok(outcomes) => {
                let answered = group.into_iter().zip(outcomes).collect();
                receiver.committed(answered, start.elapsed());
            }
            Err(error) => {
                tracing::error!(%error, writes = group.len(), "a group of writes failed");
                for job in group {
                    receiver.fail(job, error.clone());
                }
            }
        }
    }

    /// Stores a group, over a new connection if necessary.
    async fn persist(&mut self, group: &[Job]) -> Result<Vec<WriteOutcome>, StoreError> {
        let mut why = StoreError::Closed;
        for _ in 0..ATTEMPTS {
            match self.attempt(group).await {
                Ok(outcomes) => return Ok(outcomes),
                Err((Failure::Refused(error), _)) => return Err(error),
                Err((Failure::Lost(error), _)) => why = error,
                Err((Failure::Unknown { transaction, why: lost }, outcomes)) => {
                    if self.was_committed(&transaction, &lost).await? {
                        return Ok(outcomes);
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
    async fn attempt(
        &mut self,
        group: &[Job],
    ) -> Result<Vec<WriteOutcome>, (Failure, Vec<WriteOutcome>)> {
        let connected = self.connected().await;
        let mut connection = connected.map_err(|error| (Failure::Lost(error), Vec::new()))?;
        let mut outcomes = Vec::new();
        let result = commit(&mut connection, group, &self.server, &mut outcomes).await;
        // A connection that is not put back is closed, which ends its transaction.
        match result {
            Ok(()) => {
                self.connection = Some(connection);
                Ok(outcomes)
            }
            Err(Failure::Refused(error)) => {
                let rollback = run_statement(&mut connection, "ROLLBACK");
                let rollback = tokio::time::timeout(self.server.timeout(), rollback).await;
                if matches!(rollback, Ok(Ok(()))) {
                    self.connection = Some(connection);
                }
                Err((Failure::Refused(error), Vec::new()))
            }
            Err(failure) => Err((failure, outcomes)),
        }
    }

    async fn connected(&mut self) -> Result<PgConnection, StoreError> {
        match self.connection.take() {
            Some(connection) => Ok(connection),
            None => self.server.connect().await.map_err(|error| error.store_error()),
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
        while start.elapsed() < self.server.timeout() {
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
    outcomes: &mut Vec<WriteOutcome>,
) -> Result<(), Failure> {
    let timeout = server.timeout();
    let no_response = || {
        let why = format!("no response within {} ms", timeout.as_millis());
        StoreError::Unavailable { why }
    };
    let prepared =
        tokio::time::timeout(timeout, prepare(connection, group, server, outcomes)).await;
    let transaction = prepared.unwrap_or_else(|_| Err(Failure::Lost(no_response())))?;
    let Some(transaction) = transaction else {
        return Ok(());
    };
    match tokio::time::timeout(timeout, run_statement(connection, "COMMIT")).await {
        Ok(Ok(_)) => Ok(()),
        // The server responded that it could not commit, so it rolled back.
        Ok(Err(error)) if !is_lost(&error) => Err(Failure::Refused(store_error(&error))),
        Ok(Err(error)) => Err(Failure::Unknown { transaction, why: store_error(&error) }),
        Err(_) => Err(Failure::Unknown { transaction, why: no_response() }),
    }
}

/// Does everything except the commit. Returns the transaction's id, if there is one to commit.
async fn prepare(
    connection: &mut PgConnection,
    group: &[Job],
    server: &Server,
    outcomes: &mut Vec<WriteOutcome>,
) -> Result<Option<String>, Failure> {
    let classify = |error: Error| match store_error(&error) {
        error @ StoreError::Unavailable { .. } => Failure::Lost(error),
        error => Failure::Refused(error),
    };
    begin(connection, group, server, outcomes).await.map_err(classify)
}

async fn begin(
    connection: &mut PgConnection,
    group: &[Job],
    server: &Server,
    outcomes: &mut Vec<WriteOutcome>,
) -> Result<Option<String>, Error> {
    // A stricter level would see the database as it was before our turn started.
    run_statement(connection, "BEGIN ISOLATION LEVEL READ COMMITTED").await?;
    server.take_turn_to_write(connection).await?;
    *outcomes = apply_all(connection, group).await?;
    if outcomes.iter().all(Result::is_err) {
        run_statement(connection, "ROLLBACK").await?;
        return Ok(None);
    }
    let id = sqlx::query_scalar("SELECT pg_current_xact_id()::text");
    id.fetch_one(connection).await.map(Some)
}

/// Runs a statement that has no arguments.
async fn run_statement(connection: &mut PgConnection, sql: &'static str) -> Result<(), Error> {
    sqlx::query(sql).execute(connection).await.map(|_| ())
}

/// Applies every write of the group; consecutive event batches are stored in bulk.
async fn apply_all(
    connection: &mut PgConnection,
    group: &[Job],
) -> Result<Vec<WriteOutcome>, Error> {
    let mut outcomes = Vec::with_capacity(group.len());
    let mut batches: Vec<&[NewEvent]> = Vec::new();
    for job in group {
        match &job.write {
            Write::Events(events) => batches.push(events),
            Write::Steps(steps) => {
                outcomes.extend(bulk::store(connection, &batches).await?);
                batches.clear();
                outcomes.push(apply(connection, steps).await?);
            }
        }
    }
    outcomes.extend(bulk::store(connection, &batches).await?);
    Ok(outcomes)
}

/// Applies one write within the transaction. An outer error concerns the whole transaction.
async fn apply(connection: &mut PgConnection, steps: &[Step]) -> Result<WriteOutcome, Error> {
    run_statement(connection, "SAVEPOINT one").await?;
    let outcome = match run_steps(connection, steps).await {
        Err(error) => match store_error(&error) {
            refused @ StoreError::Refused { .. } => Err(refused),
            _ => return Err(error),
        },
        Ok(outcome) => outcome,
    };
    if outcome.is_err() {
        run_statement(connection, "ROLLBACK TO one").await?;
    }
    run_statement(connection, "RELEASE one").await?;
    Ok(outcome)
}

async fn run_steps(connection: &mut PgConnection, steps: &[Step]) -> Result<WriteOutcome, Error> {
    let mut sum = 0;
    for step in steps {
        let number = run_step(connection, step).await?;
        if number == 0
            && let Some(error) = unmet(connection, &step.on_zero).await?
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
    match step.result {
        StepResult::Changes => Ok(query.execute(connection).await?.rows_affected()),
        StepResult::Value => {
            let row = query.fetch_optional(connection).await?;
            let value = row.map(|row| row.try_get::<i64, _>(0)).transpose()?;
            Ok(value.unwrap_or(0).cast_unsigned())
        }
    }
}

/// Returns the error for a step that returned 0, if that is an error.
async fn unmet(
    connection: &mut PgConnection,
    on_zero: &OnZero,
) -> Result<Option<StoreError>, Error> {
    let stored = match on_zero {
        OnZero::Conflict { game, .. } => {
            let sql = dialect(sql::VERSION);
            let version = sqlx::query_scalar::<_, i64>(&sql).bind(game.to_string());
            let version = version.fetch_optional(connection).await?;
            version.map(|version| u32::try_from(version).unwrap_or(u32::MAX))
        }
        OnZero::Fine | OnZero::Fail(_) => None,
    };
    Ok(on_zero.error(stored))
}
