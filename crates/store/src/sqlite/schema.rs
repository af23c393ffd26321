//! Opens the file, validates it, and migrates its schema.
//!
//! This module holds the migrations and every reason to reject a file; `guard` handles the lock.
//! Invariant: a rejected file is left unchanged.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::error::OpenError;
use crate::migrations::STEPS;
use crate::sqlite::SqliteOptions;
use crate::sqlite::backup::keep_old_schema;
use crate::sqlite::errors::{open_error, unusable};
use crate::sqlite::guard::{Record, record_path};

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

/// Marks the file as a Castellan database, so that other programs' files are recognized: "Cast"
/// in ASCII.
const APPLICATION_ID: i64 = 0x4361_7374;

/// Largest file that is checked in full at every start, in bytes.
const CHECKED_BYTES: u64 = 1 << 30;

/// Opens the database for writing, or creates it.
pub(super) fn open(
    path: &Path,
    record: Option<Record>,
    options: &SqliteOptions,
) -> Result<Connection, OpenError> {
    let fault = |error: rusqlite::Error| open_error(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let has_log = log_path(path).exists();
    let mut connection = Connection::open_with_flags(path, flags).map_err(fault)?;
    connection.busy_timeout(options.timeout).map_err(fault)?;
    // Closing the connection would otherwise checkpoint the log into a file that is rejected.
    let keep_log = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
    connection.set_db_config(keep_log, true).map_err(fault)?;
    validate(&connection, path, record).map_err(|error| reclassify(error, record))?;
    connection.set_db_config(keep_log, false).map_err(fault)?;
    configure(&connection, path)?;
    let version = number(&connection, "PRAGMA user_version").map_err(fault)?;
    if (1..MIGRATIONS.len() as i64).contains(&version) {
        keep_old_schema(path, version)?;
    }
    migrate(&mut connection, &MIGRATIONS).map_err(fault)?;
    if mark_open(&connection).map_err(fault)? && !has_log {
        tracing::warn!(
            "{} was copied while a server used it, and the file ending in -wal is missing: if it \
             is a plain copy, it lacks the latest moves; `castellan backup` makes complete copies",
            path.display()
        );
    }
    if let Some(max_bytes) = options.max_bytes {
        limit(&connection, max_bytes).map_err(fault)?;
    }
    Ok(connection)
}

/// Returns the path of SQLite's write-ahead log.
fn log_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// Marks the database as being in use, in the file itself and not only in its log. A copy of the
/// file alone then shows that the log is missing. Returns `true` if it was marked already, because
/// its last user did not close it.
fn mark_open(connection: &Connection) -> rusqlite::Result<bool> {
    let before = connection.query_row(crate::sql::COUNTER, ["open"], |row| row.get::<_, i64>(0));
    let was_open = before.optional()? == Some(1);
    connection.execute(crate::sql::SET_COUNTER, ("open", 1))?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(was_open)
}

/// Marks the database as complete.
pub(super) fn mark_closed(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute(crate::sql::SET_COUNTER, ("open", 0)).map(drop)
}

/// Reads the identity of the database and its number of commits.
pub(super) fn record(connection: &Connection) -> rusqlite::Result<Record> {
    let counter =
        |name: &str| connection.query_row(crate::sql::COUNTER, [name], |row| row.get::<_, i64>(0));
    Ok(Record { identity: counter("identity")?, commits: counter("commits")?.cast_unsigned() })
}

/// Checks whether this file may be used, without changing it.
fn validate(connection: &Connection, path: &Path, known: Option<Record>) -> Result<(), OpenError> {
    let fault = |error: rusqlite::Error| open_error(path, &error);
    let place = || path.display().to_string();
    let lost = |found, promised| {
        let record = record_path(path);
        Err(OpenError::LostWrites { place: place(), found, promised, record })
    };
    if number(connection, "SELECT COUNT(*) FROM sqlite_schema").map_err(fault)? == 0 {
        let promised = known.map_or(0, |known| known.commits);
        return if promised == 0 { Ok(()) } else { lost(0, promised) };
    }
    identify(connection, path)?;
    check(connection, path)?;
    let found = record(connection).map_err(fault)?;
    match known {
        Some(known) if known.identity == found.identity && known.commits > found.commits => {
            lost(found.commits, known.commits)
        }
        _ => Ok(()),
    }
}

/// Checks that a database is ours and that this program knows its schema.
pub(super) fn identify(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let fault = |error: rusqlite::Error| open_error(path, &error);
    let place = || path.display().to_string();
    if number(connection, "PRAGMA application_id").map_err(fault)? != APPLICATION_ID {
        let why = "it was created by another program".to_owned();
        return Err(OpenError::NotOurDatabase { place: place(), why });
    }
    let found = number(connection, "PRAGMA user_version").map_err(fault)?;
    if found > MIGRATIONS.len() as i64 {
        let found = u32::try_from(found).unwrap_or(u32::MAX);
        let known = MIGRATIONS.len() as u32;
        return Err(OpenError::NewerDatabase { place: place(), found, known });
    }
    Ok(())
}

/// Reads the schema version of a database that a server may be using.
pub(super) fn version_of(path: &Path) -> Result<i64, OpenError> {
    let fault = |error: rusqlite::Error| open_error(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(fault)?;
    // Closing the connection would otherwise change the file if no server has it open.
    let keep_log = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
    connection.set_db_config(keep_log, true).map_err(fault)?;
    identify(&connection, path)?;
    number(&connection, "PRAGMA user_version").map_err(fault)
}

/// Migrates a file that nothing else uses, and checks it.
pub(super) fn migrate_file(path: &Path) -> Result<(), OpenError> {
    let fault = |error: rusqlite::Error| open_error(path, &error);
    let mut connection = Connection::open(path).map_err(fault)?;
    migrate(&mut connection, &MIGRATIONS).map_err(fault)?;
    check_integrity(&connection, path)
}

/// Reports a foreign file as damaged if we recorded commits next to it: then it is ours, even if
/// it no longer looks like it.
fn reclassify(error: OpenError, record: Option<Record>) -> OpenError {
    match error {
        OpenError::NotOurDatabase { place, why } if record.is_some() => {
            OpenError::Damaged { place, why }
        }
        other => other,
    }
}

/// Runs SQLite's integrity check, unless the file is too large.
fn check(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let size_bytes = fs::metadata(path).map_err(|error| unusable(path, &error))?.len();
    if size_bytes > CHECKED_BYTES {
        tracing::info!(size_bytes, "the database is large; skipping the integrity check");
        return Ok(());
    }
    check_integrity(connection, path)
}

/// Runs SQLite's integrity check.
pub(super) fn check_integrity(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let fault = |error: rusqlite::Error| open_error(path, &error);
    let verdict: String =
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(fault)?;
    if verdict == "ok" {
        return Ok(());
    }
    Err(OpenError::Damaged { place: path.display().to_string(), why: verdict })
}

fn configure(connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let fault = |error: rusqlite::Error| open_error(path, &error);
    let mode: String =
        connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)).map_err(fault)?;
    if mode != "wal" {
        return Err(unusable(path, &format!("it supports only the journal mode {mode}")));
    }
    // FULL syncs the log at every commit, which makes the commit durable.
    connection.pragma_update(None, "synchronous", "FULL").map_err(fault)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(fault)?;
    connection.pragma_update(None, "cache_size", -32_000).map_err(fault)?;
    // The checkpointer moves commits into the database.
    connection.pragma_update(None, "wal_autocheckpoint", 0).map_err(fault)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Runs the pending migrations, each in its own transaction.
fn migrate(connection: &mut Connection, migrations: &[&str]) -> rusqlite::Result<()> {
    let done = number(connection, "PRAGMA user_version")?;
    let open = migrations.iter().zip(1i64..).filter(|(_, number)| *number > done);
    for (migration, number) in open {
        let transaction = connection.transaction()?;
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", number)?;
        transaction.commit()?;
        // In a new database there was nothing to migrate.
        if done > 0 {
            tracing::info!(number, "migrated the database to a new schema");
        }
    }
    Ok(())
}

fn limit(connection: &Connection, max_bytes: u64) -> rusqlite::Result<()> {
    let page_bytes = number(connection, "PRAGMA page_size")?.cast_unsigned().max(1);
    let pages = i64::try_from(max_bytes / page_bytes).unwrap_or(i64::MAX).max(1);
    connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
}

fn number(connection: &Connection, sql: &str) -> rusqlite::Result<i64> {
    connection.query_row(sql, [], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "CREATE TABLE a (x INTEGER)";
    const SECOND: &str = "ALTER TABLE a ADD COLUMN y INTEGER DEFAULT 7";

    #[test]
    fn migrations_go_forward_and_run_once() {
        let mut connection = Connection::open_in_memory().expect("memory");
        migrate(&mut connection, &[FIRST]).expect("one");
        connection.execute("INSERT INTO a (x) VALUES (1)", []).expect("a row of the old schema");
        migrate(&mut connection, &[FIRST, SECOND]).expect("two");
        migrate(&mut connection, &[FIRST, SECOND]).expect("nothing to do");
        assert_eq!(number(&connection, "SELECT y FROM a WHERE x = 1"), Ok(7));
        assert_eq!(number(&connection, "PRAGMA user_version"), Ok(2));
    }

    #[test]
    fn a_migration_that_fails_leaves_the_schema_before_it() {
        let mut connection = Connection::open_in_memory().expect("memory");
        let broken = "CREATE TABLE b (x INTEGER); CREATE TABLE a (x INTEGER)";
        migrate(&mut connection, &[FIRST, broken]).expect_err("a exists");
        assert_eq!(number(&connection, "PRAGMA user_version"), Ok(1));
        let tables = "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table'";
        assert_eq!(number(&connection, tables), Ok(1));
    }

    #[test]
    fn the_audit_log_only_grows() {
        let mut connection = Connection::open_in_memory().expect("memory");
        migrate(&mut connection, &MIGRATIONS).expect("the schema");
        let entry = "INSERT INTO audit (at, actor, action, target, details)
            VALUES (1, 'a', 'b', 'c', 'd')";
        connection.execute(entry, []).expect("an entry");
        for sql in ["DELETE FROM audit", "UPDATE audit SET actor = 'x'"] {
            let error = connection.execute(sql, []).expect_err(sql);
            assert!(error.to_string().contains("cannot be changed"), "{error}");
        }
    }

    /// Returns the plan of a statement, one step on each line.
    fn plan(connection: &Connection, sql: &str) -> String {
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect(sql);
        let nothing = vec![rusqlite::types::Null; statement.parameter_count()];
        let nothing = rusqlite::params_from_iter(nothing);
        let steps = statement.query_map(nothing, |row| row.get::<_, String>(3)).expect("a plan");
        steps.collect::<Result<Vec<_>, _>>().expect("steps").join("\n")
    }

    #[test]
    fn a_search_reads_ranges_of_indexes() {
        let mut connection = Connection::open_in_memory().expect("memory");
        migrate(&mut connection, &MIGRATIONS).expect("the schema");
        for sql in [crate::sql::NAMES_WITH, crate::sql::HISTORY_OF_FEW, crate::sql::RESULTS] {
            let plan = plan(&connection, sql);
            let scans = plan.lines().filter(|step| step.contains("SCAN"));
            // The results of earlier steps, which are short, have no index.
            let scans: Vec<&str> =
                scans.filter(|step| !step.contains("named") && !step.contains("found")).collect();
            assert!(scans.is_empty(), "{sql}\n{plan}");
        }
        assert!(plan(&connection, crate::sql::HISTORY).contains("USING INDEX games_finished"));
        assert!(plan(&connection, crate::sql::LONGEST).contains("USING INDEX games_longest"));
    }

    /// Returns the steps of SQLite's machine that the search for a name takes.
    fn search_steps(connection: &Connection, name: &str) -> i32 {
        let (end, newest) = (crate::names::end_of_range(name), i64::MAX);
        let mut names = connection.prepare(crate::sql::NAMES_WITH).expect("a statement");
        let found = names.query_map((name, &end, 501), |_| Ok(())).expect("names").count();
        let mut games = connection.prepare(crate::sql::HISTORY_OF_FEW).expect("a statement");
        let args = (newest, newest, 50, name, &end);
        assert_eq!(games.query_map(args, |_| Ok(())).expect("games").count(), found);
        [names, games].map(|it| it.get_status(rusqlite::StatementStatus::VmStep)).iter().sum()
    }

    #[test]
    fn a_search_for_an_absent_name_costs_the_same_however_many_games_there_are() {
        let mut connection = Connection::open_in_memory().expect("memory");
        migrate(&mut connection, &MIGRATIONS).expect("the schema");
        let add = |from: u32, to: u32| {
            let games = "WITH RECURSIVE n (n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM n WHERE n < ?2)
                INSERT INTO games (id, settings, created, white_folded, black_folded, reason, finished)
                SELECT 'g' || n, '', 0, 'anna' || n, 'ben', 'agreement', n FROM n";
            connection.execute(games, (from, to)).expect("games");
            let names =
                "INSERT OR IGNORE INTO name_endings SELECT white_folded, white_folded FROM games";
            connection.execute(names, []).expect("names");
        };
        add(1, 10);
        let few = search_steps(&connection, "zoe");
        assert!(search_steps(&connection, "anna7") > few, "steps are counted");
        add(11, 10_000);
        assert_eq!(search_steps(&connection, "zoe"), few);
    }

    #[test]
    fn names_of_an_older_database_are_found() {
        let mut connection = Connection::open_in_memory().expect("memory");
        migrate(&mut connection, &MIGRATIONS[..2]).expect("the schema before");
        let game = "INSERT INTO games (id, settings, created, white_folded, black_folded)
            VALUES (?1, '', 0, ?2, ?3)";
        for (id, white, black) in
            [("a", Some("anna"), Some("łöw")), ("b", Some("anna"), None), ("c", None, None)]
        {
            connection.execute(game, (id, white, black)).expect("a game");
        }
        migrate(&mut connection, &MIGRATIONS).expect("the schema of today");
        let endings = "SELECT group_concat(ending || '/' || folded, ' ') FROM \
            (SELECT * FROM name_endings ORDER BY folded, ending)";
        let endings: String =
            connection.query_row(endings, [], |row| row.get(0)).expect("the endings");
        assert_eq!(endings, "a/anna anna/anna na/anna nna/anna w/łöw öw/łöw łöw/łöw");
    }
}
