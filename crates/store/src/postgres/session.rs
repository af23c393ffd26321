//! Connections that are allowed to write.
//!
//! This module connects the writer and checks what the server guarantees; `schema` handles the
//! contents of the database. Invariant: a connection from this module holds the lock that makes
//! it the only writer, or the shared lock of processes that share the database and take turns;
//! and its commits are durable when they return.

use core::time::Duration;
use std::time::Instant;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection, Error};

use crate::error::{OpenError, StoreError};
use crate::migrations::{DryRun, MigrationPlan};
use crate::postgres::errors::store_error;
use crate::postgres::schema;

/// The advisory lock of the single writer; every schema has its own. The number is "Cast" in
/// ASCII.
const LOCK: i32 = 0x4361_7374;

const TRY_LOCK: &str = "SELECT pg_try_advisory_lock($1, hashtext(COALESCE(current_schema(), '')))";

/// Takes the lock as one of several writers: it excludes only writers that need exclusive access.
const TRY_LOCK_SHARED: &str =
    "SELECT pg_try_advisory_lock_shared($1, hashtext(COALESCE(current_schema(), '')))";

/// Gives up the lock of the single writer.
const UNLOCK: &str = "SELECT pg_advisory_unlock($1, hashtext(COALESCE(current_schema(), '')))";

/// The lock of the process that is currently writing, among several. The number is "TURN" in
/// ASCII.
const TURN: i32 = 0x5455_524e;

const TAKE_TURN: &str = "SELECT pg_advisory_lock($1, hashtext(COALESCE(current_schema(), '')))";
const END_TURN: &str = UNLOCK;
/// Takes the turn until the end of the transaction.
const TAKE_TURN_TO_WRITE: &str =
    "SELECT pg_advisory_xact_lock($1, hashtext(COALESCE(current_schema(), '')))";

/// Makes the server end the connection of a writer that goes silent during its turn.
const LIMIT_TURN: &str = "SELECT set_config('idle_in_transaction_session_timeout', $1, false)";

/// Makes the server notice within seconds that this process or its machine is gone, instead of after
/// two hours. Until then, the lock of a dead writer would keep the others out. The server ignores
/// these settings on Unix sockets, where it notices at once.
const KEEPALIVE: [(&str, &str); 4] = [
    ("tcp_keepalives_idle", "5"),
    ("tcp_keepalives_interval", "2"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "11000"),
];

const SET: &str = "SELECT set_config($1, $2, false)";

/// How long to wait between two attempts to take the lock.
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// How to connect to the database: its address, how long to wait for it, and whether other processes
/// share it.
#[derive(Debug, Clone)]
pub(super) struct Server {
    address: PgConnectOptions,
    timeout: Duration,
    is_shared: bool,
}

/// Why no writing connection could be opened.
pub(super) enum ConnectError {
    /// Another process is writing.
    InUse,
    /// The server's settings are unsuitable.
    Unsuitable(String),
    /// The server could not be reached, or returned another error.
    Failed(Error),
    /// The server did not answer within this time.
    TimedOut(Duration),
}

impl Server {
    pub(super) fn new(address: PgConnectOptions, timeout: Duration, is_shared: bool) -> Server {
        Server { address, timeout, is_shared }
    }

    pub(super) fn address(&self) -> &PgConnectOptions {
        &self.address
    }

    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Returns a description of the database without the password.
    pub(super) fn place(&self) -> String {
        let database = self.address.get_database().unwrap_or(self.address.get_username());
        match self.address.get_socket() {
            Some(socket) => format!("{database} at {}", socket.display()),
            None => {
                format!("{database} at {}:{}", self.address.get_host(), self.address.get_port())
            }
        }
    }

    /// Opens the first connection, and migrates the database with it. Nodes that start together
    /// take turns. A node that has to migrate makes sure that no other node is running, because
    /// those know only the old schema.
    pub(super) async fn open(&self) -> Result<PgConnection, OpenError> {
        let opening = tokio::time::timeout(self.timeout, self.start());
        let mut connection = match opening.await {
            Ok(connection) => connection.map_err(|error| self.open_error(&error))?,
            Err(_) => return Err(self.open_error(&ConnectError::TimedOut(self.timeout))),
        };
        let place = self.place();
        if !self.is_shared {
            schema::prepare(&mut connection, &place).await?;
            return Ok(connection);
        }
        let failed = |error| self.open_error(&ConnectError::Failed(error));
        sqlx::query(TAKE_TURN).bind(TURN).execute(&mut connection).await.map_err(failed)?;
        let is_older = schema::is_older(&mut connection).await.map_err(failed)?;
        if is_older && !locked(&mut connection, TRY_LOCK).await.map_err(failed)? {
            return Err(OpenError::OlderServers { place });
        }
        self.lock(&mut connection).await.map_err(|error| self.open_error(&error))?;
        schema::prepare(&mut connection, &place).await?;
        if is_older {
            sqlx::query(UNLOCK).bind(LOCK).execute(&mut connection).await.map_err(failed)?;
        }
        sqlx::query(END_TURN).bind(TURN).execute(&mut connection).await.map_err(failed)?;
        Ok(connection)
    }

    /// Returns what the database lacks.
    pub(super) async fn migration_plan(&self) -> Result<MigrationPlan, OpenError> {
        let mut connection = self.look().await?;
        schema::plan(&mut connection, &self.place()).await
    }

    /// Tries to migrate the database, and rolls everything back. Does nothing while servers are using
    /// it, because they would have to wait.
    pub(super) async fn dry_run_migration(&self) -> Result<DryRun, OpenError> {
        let mut connection = self.look().await?;
        let plan = schema::plan(&mut connection, &self.place()).await?;
        let failed = |error| self.open_error(&ConnectError::Failed(error));
        let is_free = locked(&mut connection, TRY_LOCK).await.map_err(failed)?;
        let was_tried = is_free && !plan.steps.is_empty();
        if was_tried {
            schema::dry_run(&mut connection, plan.found).await.map_err(failed)?;
        }
        // The end of the connection releases the lock.
        connection.close().await.map_err(failed)?;
        Ok(DryRun { plan, was_tried })
    }

    /// Opens a connection without a lock.
    async fn look(&self) -> Result<PgConnection, OpenError> {
        let connecting = tokio::time::timeout(self.timeout, self.address.connect());
        let connected = match connecting.await {
            Ok(connected) => connected.map_err(ConnectError::Failed),
            Err(_) => Err(ConnectError::TimedOut(self.timeout)),
        };
        connected.map_err(|error| self.open_error(&error))
    }

    /// Opens a connection that may migrate: alone, or without a lock if others share the database.
    async fn start(&self) -> Result<PgConnection, ConnectError> {
        let mut connection = self.address.connect().await.map_err(ConnectError::Failed)?;
        if !self.is_shared {
            self.lock(&mut connection).await?;
        }
        self.check(&mut connection).await?;
        Ok(connection)
    }

    fn open_error(&self, error: &ConnectError) -> OpenError {
        let place = self.place();
        match error {
            ConnectError::InUse => {
                OpenError::InUse { place, holder: "another Castellan server".to_owned() }
            }
            other => OpenError::Unusable { place, why: other.store_error().to_string() },
        }
    }

    /// Waits within a transaction for the turn to write, which lasts until the transaction ends.
    /// Every later statement sees what other processes have committed.
    pub(super) async fn take_turn_to_write(
        &self,
        connection: &mut PgConnection,
    ) -> Result<(), Error> {
        if self.is_shared {
            sqlx::query(TAKE_TURN_TO_WRITE).bind(TURN).execute(connection).await?;
        }
        Ok(())
    }

    /// Opens a connection that may write, or fails when the time limit has passed.
    pub(super) async fn connect(&self) -> Result<PgConnection, ConnectError> {
        let attempt = tokio::time::timeout(self.timeout, self.attempt());
        attempt.await.unwrap_or(Err(ConnectError::TimedOut(self.timeout)))
    }

    async fn attempt(&self) -> Result<PgConnection, ConnectError> {
        let mut connection = self.address.connect().await.map_err(ConnectError::Failed)?;
        self.lock(&mut connection).await?;
        self.check(&mut connection).await?;
        if !schema::is_current(&mut connection).await.map_err(ConnectError::Failed)? {
            let why = "a newer version of the program has migrated it; start that version";
            return Err(ConnectError::Unsuitable(why.to_owned()));
        }
        Ok(connection)
    }

    /// Takes the lock. The server may need a moment to notice that the last holder is gone.
    async fn lock(&self, connection: &mut PgConnection) -> Result<(), ConnectError> {
        let start = Instant::now();
        let sql = if self.is_shared { TRY_LOCK_SHARED } else { TRY_LOCK };
        while start.elapsed() < self.timeout / 2 {
            if locked(connection, sql).await.map_err(ConnectError::Failed)? {
                return Ok(());
            }
            tokio::time::sleep(LOCK_RETRY_INTERVAL).await;
        }
        Err(ConnectError::InUse)
    }

    /// Rejects servers that could lose or corrupt acknowledged writes.
    async fn check(&self, connection: &mut PgConnection) -> Result<(), ConnectError> {
        let unsuitable = |what: &str| Err(ConnectError::Unsuitable(what.to_owned()));
        if setting(connection, "SHOW fsync").await? != "on" {
            return unsuitable("fsync is off, so it may lose acknowledged writes");
        }
        if setting(connection, "SHOW server_encoding").await? != "UTF8" {
            return unsuitable("its encoding is not UTF-8");
        }
        for (name, value) in KEEPALIVE {
            let set = sqlx::query(SET).bind(name).bind(value);
            set.execute(&mut *connection).await.map_err(ConnectError::Failed)?;
        }
        if self.is_shared {
            let limit = sqlx::query(LIMIT_TURN).bind(self.timeout.as_millis().to_string());
            limit.execute(&mut *connection).await.map_err(ConnectError::Failed)?;
        }
        if setting(connection, "SHOW synchronous_commit").await? == "off" {
            let on = sqlx::query("SET synchronous_commit = on").execute(connection).await;
            on.map_err(ConnectError::Failed)?;
        }
        Ok(())
    }
}

/// Tries to take the lock of a writer, and returns `true` if it succeeds.
async fn locked(connection: &mut PgConnection, sql: &'static str) -> Result<bool, Error> {
    sqlx::query_scalar(sql).bind(LOCK).fetch_one(connection).await
}

async fn setting(connection: &mut PgConnection, show: &str) -> Result<String, ConnectError> {
    sqlx::query_scalar(show).fetch_one(connection).await.map_err(ConnectError::Failed)
}

impl ConnectError {
    /// Returns the error for a write that needed this connection.
    pub(super) fn store_error(&self) -> StoreError {
        let why = match self {
            ConnectError::InUse => "another server is using it".to_owned(),
            ConnectError::Unsuitable(why) => why.clone(),
            ConnectError::Failed(error) => return store_error(error),
            ConnectError::TimedOut(waited) => {
                format!("no response within {} ms", waited.as_millis())
            }
        };
        StoreError::Unavailable { why }
    }
}
