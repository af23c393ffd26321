//! Connections that may write.
//!
//! Owns: how the writer connects, and what a connection must promise first. Leaves to `schema`:
//! what is in the database. Invariant: a connection from here holds the lock that makes it the
//! only writer, or one of those who share the database and take turns; and its commits are
//! durable when they return.

use core::time::Duration;
use std::time::Instant;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Error};

use crate::error::{OpenError, StoreError};
use crate::postgres::errors::store_error;

/// The advisory lock of the one writer, of which every schema has its own. The number is the
/// beginning of "Castellan" in ASCII.
const LOCK: i32 = 0x4361_7374;

const TRY_LOCK: &str = "SELECT pg_try_advisory_lock($1, hashtext(COALESCE(current_schema(), '')))";

/// The same for one of several writers: it keeps only those out who want to be alone.
const TRY_LOCK_SHARED: &str =
    "SELECT pg_try_advisory_lock_shared($1, hashtext(COALESCE(current_schema(), '')))";

/// The lock of whoever writes just now among several. "TURN" in ASCII.
const TURN: i32 = 0x5455_524e;

const TAKE_TURN: &str = "SELECT pg_advisory_lock($1, hashtext(COALESCE(current_schema(), '')))";
const END_TURN: &str = "SELECT pg_advisory_unlock($1, hashtext(COALESCE(current_schema(), '')))";
/// The same until the end of the transaction.
const TAKE_TURN_TO_WRITE: &str =
    "SELECT pg_advisory_xact_lock($1, hashtext(COALESCE(current_schema(), '')))";

/// A writer that vanishes in its turn is ended by the server after this setting.
const LIMIT_TURN: &str = "SELECT set_config('idle_in_transaction_session_timeout', $1, false)";

/// How long to wait between two attempts to get the lock.
const PAUSE: Duration = Duration::from_millis(50);

/// Where the database is, and how long to wait for it.
#[derive(Debug, Clone)]
pub(super) struct Server {
    address: PgConnectOptions,
    patience: Duration,
    is_shared: bool,
}

/// Why there is no connection that may write.
pub(super) enum Denied {
    /// Another process writes.
    InUse,
    /// The server is not fit for this.
    Unfit(String),
    /// The server cannot be reached, or said something else.
    Failed(Error),
    /// The server did not answer in time.
    Silent(Duration),
}

impl Server {
    pub(super) fn new(address: PgConnectOptions, patience: Duration, is_shared: bool) -> Server {
        Server { address, patience, is_shared }
    }

    pub(super) fn address(&self) -> &PgConnectOptions {
        &self.address
    }

    pub(super) fn patience(&self) -> Duration {
        self.patience
    }

    /// Which database it is, without the password.
    pub(super) fn place(&self) -> String {
        let database = self.address.get_database().unwrap_or(self.address.get_username());
        match self.address.get_socket() {
            Some(socket) => format!("{database} at {}", socket.display()),
            None => {
                format!("{database} at {}:{}", self.address.get_host(), self.address.get_port())
            }
        }
    }

    /// A connection for the first time.
    pub(super) async fn open(&self) -> Result<PgConnection, OpenError> {
        let place = self.place();
        self.connect().await.map_err(|denied| match denied {
            Denied::InUse => {
                OpenError::InUse { place, holder: "another Castellan server".to_owned() }
            }
            other => OpenError::Unusable { place, why: other.store_error().to_string() },
        })
    }

    /// Waits until nobody else of those who share the database writes to it.
    pub(super) async fn take_turn(&self, connection: &mut PgConnection) -> Result<(), OpenError> {
        self.turn(connection, TAKE_TURN).await
    }

    /// Lets others write again.
    pub(super) async fn end_turn(&self, connection: &mut PgConnection) -> Result<(), OpenError> {
        self.turn(connection, END_TURN).await
    }

    async fn turn(
        &self,
        connection: &mut PgConnection,
        sql: &'static str,
    ) -> Result<(), OpenError> {
        if !self.is_shared {
            return Ok(());
        }
        let done = sqlx::query(sql).bind(TURN).execute(connection).await;
        done.map(|_| ()).map_err(|error| OpenError::Unusable {
            place: self.place(),
            why: store_error(&error).to_string(),
        })
    }

    /// Waits within a transaction for the turn to write, which lasts until its end. What others
    /// have committed is seen by every statement after that.
    pub(super) async fn take_turn_to_write(
        &self,
        connection: &mut PgConnection,
    ) -> Result<(), Error> {
        if self.is_shared {
            sqlx::query(TAKE_TURN_TO_WRITE).bind(TURN).execute(connection).await?;
        }
        Ok(())
    }

    /// A connection that may write, within the patience.
    pub(super) async fn connect(&self) -> Result<PgConnection, Denied> {
        let attempt = tokio::time::timeout(self.patience, self.attempt());
        attempt.await.unwrap_or(Err(Denied::Silent(self.patience)))
    }

    async fn attempt(&self) -> Result<PgConnection, Denied> {
        let mut connection = self.address.connect().await.map_err(Denied::Failed)?;
        self.lock(&mut connection).await?;
        self.check(&mut connection).await?;
        Ok(connection)
    }

    /// Takes the lock. The server may need a moment to notice that its last holder is gone.
    async fn lock(&self, connection: &mut PgConnection) -> Result<(), Denied> {
        let start = Instant::now();
        let sql = if self.is_shared { TRY_LOCK_SHARED } else { TRY_LOCK };
        while start.elapsed() < self.patience / 2 {
            let attempt = sqlx::query_scalar(sql).bind(LOCK);
            if attempt.fetch_one(&mut *connection).await.map_err(Denied::Failed)? {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err(Denied::InUse)
    }

    /// Refuses servers that would lose what they have acknowledged, or garble it.
    async fn check(&self, connection: &mut PgConnection) -> Result<(), Denied> {
        let unfit = |what: &str| Err(Denied::Unfit(what.to_owned()));
        if setting(connection, "SHOW fsync").await? != "on" {
            return unfit("its fsync is off, so it may lose what it has acknowledged");
        }
        if setting(connection, "SHOW server_encoding").await? != "UTF8" {
            return unfit("its encoding is not UTF8");
        }
        if self.is_shared {
            let limit = sqlx::query(LIMIT_TURN).bind(self.patience.as_millis().to_string());
            limit.execute(&mut *connection).await.map_err(Denied::Failed)?;
        }
        if setting(connection, "SHOW synchronous_commit").await? == "off" {
            let on = sqlx::query("SET synchronous_commit = on").execute(connection).await;
            on.map_err(Denied::Failed)?;
        }
        Ok(())
    }
}

async fn setting(connection: &mut PgConnection, show: &str) -> Result<String, Denied> {
    sqlx::query_scalar(show).fetch_one(connection).await.map_err(Denied::Failed)
}

impl Denied {
    /// What a write is told that would have needed the connection.
    pub(super) fn store_error(&self) -> StoreError {
        let why = match self {
            Denied::InUse => "another server writes to it".to_owned(),
            Denied::Unfit(why) => why.clone(),
            Denied::Failed(error) => return store_error(error),
            Denied::Silent(waited) => format!("no answer within {} ms", waited.as_millis()),
        };
        StoreError::Unavailable { why }
    }
}
