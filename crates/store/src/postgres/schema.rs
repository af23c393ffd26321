//! Validates the database and migrates its schema.
//!
//! This module holds the migrations and the reasons to reject a database; `session` takes the
//! locks under which this happens. Invariant: a rejected database is left unchanged.

use sqlx::{Connection, Error, PgConnection};

use crate::error::OpenError;
use crate::migrations::{MigrationPlan, STEPS};
use crate::postgres::errors::store_error;

/// The migrations from each schema version to the next; the first one starts from an empty
/// database.
const MIGRATIONS: [&str; STEPS.len()] = [
    include_str!("migrations/0001.sql"),
    include_str!("migrations/0002.sql"),
    include_str!("migrations/0003.sql"),
    include_str!("migrations/0004.sql"),
    include_str!("migrations/0005.sql"),
    include_str!("migrations/0006.sql"),
];

/// Validates the database and migrates it.
pub(super) async fn prepare(connection: &mut PgConnection, place: &str) -> Result<(), OpenError> {
    let found = validate(connection, place).await?;
    migrate(connection, found, &MIGRATIONS).await.map_err(|error| unusable(place, &error))
}

/// Validates the database and returns what it lacks.
pub(super) async fn plan(
    connection: &mut PgConnection,
    place: &str,
) -> Result<MigrationPlan, OpenError> {
    Ok(MigrationPlan::from(validate(connection, place).await?))
}

/// Runs the pending migrations in a transaction that is rolled back.
pub(super) async fn dry_run(connection: &mut PgConnection, done: u32) -> Result<(), Error> {
    let mut transaction = connection.begin().await?;
    for (migration, number) in MIGRATIONS.iter().zip(1u32..) {
        if number > done {
            step(&mut transaction, migration, number.into()).await?;
        }
    }
    transaction.rollback().await
}

fn unusable(place: &str, error: &Error) -> OpenError {
    OpenError::Unusable { place: place.to_owned(), why: store_error(error).to_string() }
}

/// Checks that the database is ours and that this program knows its schema. Returns its version.
async fn validate(connection: &mut PgConnection, place: &str) -> Result<i64, OpenError> {
    let fault = |error: Error| unusable(place, &error);
    let found = version(connection).await.map_err(fault)?;
    if found == 0 && exists(connection, "games").await.map_err(fault)? {
        let why = "its games table was created by another program".to_owned();
        return Err(OpenError::NotOurDatabase { place: place.to_owned(), why });
    }
    if found > MIGRATIONS.len() as i64 {
        let found = u32::try_from(found).unwrap_or(u32::MAX);
        let known = MIGRATIONS.len() as u32;
        return Err(OpenError::NewerDatabase { place: place.to_owned(), found, known });
    }
    Ok(found)
}

/// Returns `true` if the database has an older schema, which running servers may be using.
pub(super) async fn is_older(connection: &mut PgConnection) -> Result<bool, Error> {
    Ok((1..MIGRATIONS.len() as i64).contains(&version(connection).await?))
}

/// Returns `true` if the database has the schema that this program uses.
pub(super) async fn is_current(connection: &mut PgConnection) -> Result<bool, Error> {
    Ok(version(connection).await? == MIGRATIONS.len() as i64)
}

async fn exists(connection: &mut PgConnection, table: &str) -> Result<bool, Error> {
    sqlx::query_scalar("SELECT to_regclass($1) IS NOT NULL").bind(table).fetch_one(connection).await
}

/// Returns the schema version; 0 if there is none.
async fn version(connection: &mut PgConnection) -> Result<i64, Error> {
    if !exists(connection, "castellan_schema").await? {
        return Ok(0);
    }
    let newest = sqlx::query_scalar("SELECT COALESCE(MAX(version), 0) FROM castellan_schema");
    newest.fetch_one(connection).await
}

/// Runs the pending migrations, each in its own transaction.
async fn migrate(
    connection: &mut PgConnection,
    done: i64,
    migrations: &[&'static str],
) -> Result<(), Error> {
    let open = migrations.iter().zip(1i64..).filter(|(_, number)| *number > done);
    for (migration, number) in open {
        let mut transaction = connection.begin().await?;
        step(&mut transaction, migration, number).await?;
        transaction.commit().await?;
        // In a new database there was nothing to migrate.
        if done > 0 {
            tracing::info!(number, "migrated the database to a new schema");
        }
    }
    Ok(())
}

/// Runs one migration within a transaction.
async fn step(
    connection: &mut PgConnection,
    migration: &'static str,
    number: i64,
) -> Result<(), Error> {
    let table = "CREATE TABLE IF NOT EXISTS castellan_schema (version BIGINT PRIMARY KEY)";
    sqlx::query(table).execute(&mut *connection).await?;
    for statement in statements(migration) {
        sqlx::query(statement).execute(&mut *connection).await?;
    }
    let note = sqlx::query("INSERT INTO castellan_schema (version) VALUES ($1)").bind(number);
    note.execute(connection).await.map(drop)
}

/// Splits a migration file into statements. Ours end with a semicolon at the end of a line and
/// contain none elsewhere. The simple query protocol would take whole files, but its futures are
/// not `Send`.
fn statements(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.split(";\n").filter(|statement| !statement.trim().is_empty())
}
