//! The single writer thread: it stores a group of writes in one transaction, syncs once, and then
//! replies.
//!
//! This module stores writes and decides what a failure means for the other writes in a
//! transaction; `queue` gathers the groups and delivers the replies. Invariant: no caller gets
//! `Ok` before the commit has returned, and a rejected write leaves the others in its group
//! untouched.

use std::time::Instant;

use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use crate::error::StoreError;
use crate::queue::{Job, QueueReceiver, WriteOutcome};
use crate::sql;
use crate::sqlite::Hook;
use crate::sqlite::checkpoint::Checkpointer;
use crate::sqlite::errors::{commit_error, is_refusal, store_error};
use crate::sqlite::guard::{Guard, Record};
use crate::sqlite::schema;
use crate::statement::{NewEvent, OnZero, Step, StepResult, Write};

/// The writing connection and the other state of the writer thread.
#[derive(Debug)]
pub(super) struct SqliteWriter {
    connection: Connection,
    guard: Guard,
    record: Record,
    checkpointer: Checkpointer,
    before_commit: Option<Hook>,
}

impl SqliteWriter {
    pub(super) fn new(
        connection: Connection,
        mut guard: Guard,
        checkpointer: Checkpointer,
        before_commit: Option<Hook>,
    ) -> Result<SqliteWriter, StoreError> {
        let record = schema::record(&connection).map_err(|error| store_error(&error))?;
        let fault = |error: std::io::Error| StoreError::Unavailable { why: error.to_string() };
        guard.write(record).map_err(fault)?;
        Ok(SqliteWriter { connection, guard, record, checkpointer, before_commit })
    }

    /// Stores groups of writes until the queue is closed and empty.
    pub(super) fn run(mut self, mut receiver: QueueReceiver) {
        while let Some(group) = receiver.blocking_next() {
            if !group.is_empty() {
                self.store(group, &receiver);
            }
        }
        // A caller that waits for the end may open the database again, so everything is released
        // before that. The last connection to close cleans up the files, and it must be the
        // writer's and not the checkpointer's.
        let SqliteWriter { connection, guard, checkpointer, .. } = self;
        drop(checkpointer);
        if let Err(error) = schema::mark_closed(&connection) {
            tracing::warn!(%error, "cannot mark the database as closed");
        }
        drop(connection);
        drop(guard);
        drop(receiver);
    }

    fn store(&mut self, group: Vec<Job>, receiver: &QueueReceiver) {
        let start = Instant::now();
        match self.commit(&group) {
            Ok(outcomes) => {
                let writes = group.len();
                let answered = group.into_iter().zip(outcomes).collect();
                receiver.committed(answered, start.elapsed());
                self.checkpointer.committed(writes, &self.connection);
            }
            Err(error) => {
                tracing::error!(%error, writes = group.len(), "a group of writes failed");
                self.roll_back();
                for job in group {
                    receiver.fail(job, error.clone());
                }
            }
        }
    }

    /// Stores a group. An error means that nothing of it was stored.
    fn commit(&mut self, group: &[Job]) -> Result<Vec<WriteOutcome>, StoreError> {
        let fault = |error: rusqlite::Error| store_error(&error);
        self.connection.execute_batch("BEGIN IMMEDIATE").map_err(fault)?;
        let outcomes = group.iter().map(|job| apply(&self.connection, &job.write));
        let outcomes = outcomes.collect::<rusqlite::Result<Vec<_>>>().map_err(fault)?;
        if outcomes.iter().all(Result::is_err) {
            self.roll_back();
            return Ok(outcomes);
        }
        let commits = self.record.commits + 1;
        let count = "UPDATE counters SET value = ?1 WHERE name = 'commits'";
        let mut count = self.connection.prepare_cached(count).map_err(fault)?;
        count.execute([commits.cast_signed()]).map_err(fault)?;
        drop(count);
        if let Some(hook) = &self.before_commit {
            hook.call();
        }
        self.connection.execute_batch("COMMIT").map_err(|error| commit_error(&error))?;
        self.record.commits = commits;
        if let Err(error) = self.guard.write(self.record) {
            // The writes are safe; only a later loss of them would go undetected.
            tracing::warn!(%error, "cannot write the record of commits");
        }
        Ok(outcomes)
    }

    fn roll_back(&self) {
        if !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("ROLLBACK")
        {
            tracing::error!(%error, "cannot roll back");
        }
    }
}

/// Applies one write within the transaction. An outer error concerns the whole transaction.
fn apply(connection: &Connection, write: &Write) -> rusqlite::Result<WriteOutcome> {
    match write {
        // A single statement is atomic and needs no savepoint.
        Write::Events(events) if events.len() == 1 => refuse(add_events(connection, events)),
        Write::Events(events) => in_savepoint(connection, || add_events(connection, events)),
        Write::Steps(steps) if steps.len() == 1 => refuse(run_steps(connection, steps)),
        Write::Steps(steps) => in_savepoint(connection, || run_steps(connection, steps)),
    }
}

/// Runs statements in a savepoint, and rolls all of them back if one is rejected.
fn in_savepoint(
    connection: &Connection,
    run: impl FnOnce() -> rusqlite::Result<WriteOutcome>,
) -> rusqlite::Result<WriteOutcome> {
    connection.prepare_cached("SAVEPOINT one")?.execute([])?;
    let outcome = refuse(run())?;
    if outcome.is_err() {
        connection.prepare_cached("ROLLBACK TO one")?.execute([])?;
    }
    connection.prepare_cached("RELEASE one")?.execute([])?;
    Ok(outcome)
}

/// Separates errors that concern one write from errors that concern the database.
fn refuse(result: rusqlite::Result<WriteOutcome>) -> rusqlite::Result<WriteOutcome> {
    match result {
        Err(error) if is_refusal(&error) => Ok(Err(store_error(&error))),
        other => other,
    }
}

fn add_events(connection: &Connection, events: &[NewEvent]) -> rusqlite::Result<WriteOutcome> {
    let mut statement = connection.prepare_cached(sql::ADD_EVENT)?;
    for event in events {
        let NewEvent { game, version, at, json } = event;
        if statement.execute(params![game.to_string(), version, at, json])? == 0 {
            let conflict = OnZero::Conflict { game: *game, offered: *version };
            return unmet(connection, &conflict).map(|error| error.map_or(Ok(0), Err));
        }
    }
    Ok(Ok(events.len() as u64))
}

fn run_steps(connection: &Connection, steps: &[Step]) -> rusqlite::Result<WriteOutcome> {
    let mut sum = 0;
    for step in steps {
        let number = run_step(connection, step)?;
        if number == 0
            && let Some(error) = unmet(connection, &step.on_zero)?
        {
            return Ok(Err(error));
        }
        sum += number;
    }
    Ok(Ok(sum))
}

fn run_step(connection: &Connection, step: &Step) -> rusqlite::Result<u64> {
    let mut statement = connection.prepare_cached(step.sql)?;
    let args = params_from_iter(&step.args);
    match step.result {
        StepResult::Changes => Ok(statement.execute(args)? as u64),
        StepResult::Value => {
            let value = statement.query_row(args, |row| row.get::<_, i64>(0)).optional()?;
            Ok(value.unwrap_or(0).cast_unsigned())
        }
    }
}

/// Returns the error for a step that returned 0, if that is an error.
fn unmet(connection: &Connection, on_zero: &OnZero) -> rusqlite::Result<Option<StoreError>> {
    let stored = match on_zero {
        OnZero::Conflict { game, .. } => connection
            .prepare_cached(sql::VERSION)?
            .query_row([game.to_string()], |row| row.get::<_, u32>(0))
            .optional()?,
        OnZero::Fine | OnZero::Fail(_) => None,
    };
    Ok(on_zero.error(stored))
}
