//! Databases of every older schema are migrated, and their contents are preserved.

use std::fs;
use std::path::Path;

use castellan_game::PlayerId;
use castellan_rules::Color;
use castellan_store::postgres::{self, PostgresOptions};
use castellan_store::{
    BanTarget, HistoryQuery, MigrationPlan, OpenError, SCHEMA_VERSION, Store, sqlite,
};
use rusqlite::Connection as SqliteConnection;
use sqlx::Connection;
use sqlx::postgres::PgConnection;

use crate::cluster::Cluster;
use crate::fixtures::*;
use crate::rig::Rig;

macro_rules! migrations {
    ($database:literal) => {
        [
            include_str!(concat!("../../src/", $database, "/migrations/0001.sql")),
            include_str!(concat!("../../src/", $database, "/migrations/0002.sql")),
            include_str!(concat!("../../src/", $database, "/migrations/0003.sql")),
            include_str!(concat!("../../src/", $database, "/migrations/0004.sql")),
            include_str!(concat!("../../src/", $database, "/migrations/0005.sql")),
        ]
    };
}

const OF_SQLITE: [&str; SCHEMA_VERSION as usize - 1] = migrations!("sqlite");
const OF_POSTGRES: [&str; SCHEMA_VERSION as usize - 1] = migrations!("postgres");

/// Returns the rows that a program with a schema version stores. `digest` is 32 bytes as a literal.
fn rows(version: usize, digest: &str) -> Vec<String> {
    let id = game(1);
    let settings = serde_json::to_string(&settings()).expect("JSON");
    let event = serde_json::to_string(&seated(1, Color::White, "Anna").event).expect("JSON");
    let of_version: [&[String]; OF_SQLITE.len()] = [
        &[
            format!(
                "INSERT INTO games (id, settings, created, white_player, white_name, \
                 white_folded, plies, reason, finished) \
                 VALUES ('{id}', '{settings}', 0, 1, 'Anna', 'anna', 1, 'agreement', 5)"
            ),
            format!(
                "INSERT INTO events (game, version, at, event) \
                 SELECT number, 1, 5, '{event}' FROM games"
            ),
            "INSERT INTO accounts (player, name, folded, password_hash, created) \
             VALUES (1, 'Anna', 'anna', 'hash', 7)"
                .to_owned(),
            format!(
                "INSERT INTO sessions (digest, player, account, name, created, seen, expires, \
                 device) VALUES ({digest}, 1, 1, 'Anna', 1, 2, 3, 'a browser')"
            ),
            "INSERT INTO chat (game, at, player, name, text) \
             SELECT number, 5, 1, 'Anna', 'hello' FROM games"
                .to_owned(),
        ],
        &[format!("INSERT INTO claims (name, game, expires) VALUES ('seek', '{id}', 9)")],
        &["INSERT INTO name_endings (ending, folded) VALUES ('nna', 'anna')".to_owned()],
        &[
            "INSERT INTO bans (kind, target, label, reason, banned_by, since) \
             VALUES ('name', 'boris', 'Boris', 'rude', 'operator', 1)"
                .to_owned(),
            "INSERT INTO audit (at, actor, action, target, details) \
             VALUES (1, 'operator', 'ban', 'Boris', 'rude')"
                .to_owned(),
            format!("INSERT INTO recovery_codes (player, digest) VALUES (1, {digest})"),
        ],
        &["INSERT INTO emails (player, address, confirmed) VALUES (1, 'anna@example.org', 1)"
            .to_owned()],
    ];
    of_version[..version].concat()
}

/// Checks that everything in [`rows`] can be read.
async fn check_rows(store: &dyn Store, version: usize) {
    let stored = store.load_game(game(1)).await.expect("no error").expect("the game");
    assert_eq!((stored.settings, stored.events.len()), (settings(), 1), "from {version}");
    let query = HistoryQuery { name: "nn".to_owned(), limit: 5, after: None };
    let found = store.history(query).await.expect("a page").games;
    assert_eq!(found.iter().map(|game| game.id).collect::<Vec<_>>(), [game(1)], "from {version}");
    let player = PlayerId(1);
    let account = store.account_by_name("ANNA").await.expect("no error").expect("the account");
    assert_eq!((account.player, account.password_hash.as_str()), (player, "hash"));
    assert_eq!(store.sessions_of(player).await.expect("sessions").len(), 1);
    assert_eq!(store.chat(game(1), 9).await.expect("chat")[0].text, "hello");
    let claimed = store.claimed_by("seek").await.expect("no error");
    assert_eq!(claimed, (version >= 2).then_some(game(1)));
    let moderation = store.moderation();
    assert_eq!(moderation.is_admin(player).await, Ok(false));
    let bans = moderation.bans(at(0)).await.expect("bans");
    let banned = bans.into_iter().map(|ban| ban.ban.target).collect::<Vec<_>>();
    let has_moderation = version >= 4;
    assert_eq!(banned.contains(&BanTarget::Name("boris".to_owned())), has_moderation);
    let log = moderation.audit(u64::MAX, 9).await.expect("the log");
    assert_eq!(log.len(), usize::from(has_moderation));
    assert_eq!(moderation.recovery_codes_left(player).await, Ok(has_moderation.into()));
    let emails = store.emails().expect("addresses");
    let address = emails.email_of(player).await.expect("no error");
    assert_eq!(address.as_deref(), (version >= 5).then_some("anna@example.org"));
}

#[track_caller]
fn check_plan(plan: &MigrationPlan, version: usize) {
    let steps: Vec<u32> = plan.steps.iter().map(|step| step.version).collect();
    let expected: Vec<u32> = (version as u32 + 1..=SCHEMA_VERSION).collect();
    assert_eq!((plan.found as usize, steps), (version, expected));
}

/// Creates a database as an older program leaves it.
fn old_sqlite(path: &Path, version: usize) {
    let raw = SqliteConnection::open(path).expect("the file");
    raw.pragma_update(None, "journal_mode", "WAL").expect("the mode");
    for migration in &OF_SQLITE[..version] {
        raw.execute_batch(migration).expect("a migration");
    }
    raw.pragma_update(None, "application_id", 0x4361_7374).expect("a number");
    raw.pragma_update(None, "user_version", version).expect("a number");
    for row in rows(version, "zeroblob(32)") {
        raw.execute(&row, []).expect(&row);
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).expect("the folder");
    let name = |file: std::io::Result<fs::DirEntry>| file.expect("a file").file_name();
    let mut names: Vec<String> =
        files.map(|file| name(file).into_string().expect("text")).collect();
    names.sort();
    names
}

/// Returns the definitions of all tables, indexes and triggers.
fn sqlite_schema(path: &Path) -> Vec<(String, Option<String>)> {
    let raw = SqliteConnection::open(path).expect("the file");
    let mut all = raw.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name").expect("SQL");
    let rows = all.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    rows.collect::<Result<_, _>>().expect("rows")
}

/// An upgrade that went wrong can be undone: the database of the older program is kept.
#[tokio::test]
async fn databases_of_all_older_versions_are_copied_and_migrated() {
    let new = Rig::sqlite();
    new.open().await.close().await.expect("it closes");
    for version in 1..=OF_SQLITE.len() {
        let rig = Rig::sqlite();
        old_sqlite(&rig.path(), version);
        for _ in 0..2 {
            let store = rig.open().await;
            check_rows(&*store, version).await;
            store.close().await.expect("it closes");
        }
        let copy = format!("games.db.schema-{version}");
        let folder = rig.path().parent().expect("a folder").to_owned();
        assert_eq!(names_in(&folder), ["games.db", "games.db.lock", copy.as_str()]);
        let raw = SqliteConnection::open(folder.join(copy)).expect("the copy");
        let number = raw.query_row("PRAGMA user_version", [], |row| row.get::<_, usize>(0));
        assert_eq!(number, Ok(version));
        let games = raw.query_row("SELECT COUNT(*) FROM games", [], |row| row.get::<_, i64>(0));
        assert_eq!(games, Ok(1));
        assert_eq!(sqlite_schema(&rig.path()), sqlite_schema(&new.path()), "from {version}");
    }
}

#[tokio::test]
async fn a_rehearsal_leaves_the_file_as_it_is() {
    for version in 1..=OF_SQLITE.len() {
        let rig = Rig::sqlite();
        old_sqlite(&rig.path(), version);
        let before = fs::read(rig.path()).expect("the file");
        check_plan(&sqlite::migration_plan(&rig.path()).expect("a plan"), version);
        let dry_run = sqlite::dry_run_migration(&rig.path()).expect("it works");
        assert!(dry_run.was_tried);
        check_plan(&dry_run.plan, version);
        assert_eq!(fs::read(rig.path()).expect("the file"), before, "from {version}");
        let folder = rig.path().parent().expect("a folder").to_owned();
        let left: Vec<String> = names_in(&folder);
        let own = ["games.db", "games.db-shm", "games.db-wal"];
        assert!(left.iter().all(|name| own.contains(&name.as_str())), "{left:?}");
    }
}

#[tokio::test]
async fn a_rehearsal_tells_what_would_go_wrong() {
    let rig = Rig::sqlite();
    old_sqlite(&rig.path(), 4);
    let raw = SqliteConnection::open(rig.path()).expect("the file");
    raw.execute_batch("CREATE TABLE emails (x INTEGER)").expect("a table of somebody else");
    drop(raw);
    let error = sqlite::dry_run_migration(&rig.path()).expect_err("the table exists");
    assert!(error.to_string().contains("emails already exists"), "{error}");
    check_plan(&sqlite::migration_plan(&rig.path()).expect("a plan"), 4);
    let missing = rig.path().with_file_name("missing.db");
    assert!(sqlite::dry_run_migration(&missing).is_err());
    assert!(!missing.exists());
    let current = Rig::sqlite();
    let store = current.open().await;
    let dry_run = sqlite::dry_run_migration(&current.path()).expect("a server may run");
    assert!(!dry_run.was_tried && dry_run.plan.steps.is_empty());
    store.close().await.expect("it closes");
}

/// Creates a schema as an older program leaves it. Returns its address.
async fn old_postgres(cluster: &Cluster, version: usize) -> String {
    let schema = format!("from_{version}");
    let url = cluster.create_schema(&schema).await;
    let mut raw = PgConnection::connect(&url).await.expect("a connection");
    let table = "CREATE TABLE castellan_schema (version BIGINT PRIMARY KEY)".to_owned();
    let noted = format!("INSERT INTO castellan_schema SELECT generate_series(1, {version})");
    let migrations = OF_POSTGRES[..version].iter().flat_map(|file| file.split(";\n"));
    let statements = migrations.filter(|it| !it.trim().is_empty()).map(str::to_owned);
    let digest = r"decode(repeat('00', 32), 'hex')";
    for sql in [table, noted].into_iter().chain(statements).chain(rows(version, digest)) {
        sqlx::query(&sql).execute(&mut raw).await.expect(&sql);
    }
    raw.close().await.expect("it closes");
    url
}

/// Returns the definitions of all columns, indexes, constraints and triggers.
async fn postgres_schema(url: &str) -> Vec<String> {
    let mut raw = PgConnection::connect(url).await.expect("a connection");
    let schema: String =
        sqlx::query_scalar("SELECT current_schema()").fetch_one(&mut raw).await.expect("a name");
    let all = "\
        SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable
          || ' ' || COALESCE(column_default, '')
        FROM information_schema.columns WHERE table_schema = current_schema()
        UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()
        UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
        UNION ALL SELECT pg_get_triggerdef(pg_trigger.oid) FROM pg_trigger
        JOIN pg_class ON pg_class.oid = tgrelid
        WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal
        UNION ALL SELECT proname || ' ' || prosrc FROM pg_proc
        WHERE pronamespace = current_schema()::regnamespace
        ORDER BY 1";
    let rows: Vec<String> = sqlx::query_scalar(all).fetch_all(&mut raw).await.expect("rows");
    raw.close().await.expect("it closes");
    rows.into_iter().map(|row| row.replace(&format!("{schema}."), "")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_migrates_from_every_older_version() {
    let Some(cluster) = Cluster::start().await else {
        return;
    };
    let new = cluster.create_schema("new").await;
    let dry_run = postgres::dry_run_migration(&new).await.expect("it works");
    check_plan(&dry_run.plan, 0);
    let store = postgres::connect(&new, PostgresOptions::default()).await.expect("a store");
    store.close().await.expect("it closes");
    let newest = postgres_schema(&new).await;
    assert!(newest.len() > 100, "{newest:?}");
    for version in 1..=OF_POSTGRES.len() {
        let url = old_postgres(&cluster, version).await;
        let before = postgres_schema(&url).await;
        let dry_run = postgres::dry_run_migration(&url).await.expect("it works");
        assert!(dry_run.was_tried);
        check_plan(&dry_run.plan, version);
        assert_eq!(postgres_schema(&url).await, before, "nothing was changed");
        let store = postgres::connect(&url, PostgresOptions::default()).await.expect("a store");
        check_rows(&*store, version).await;
        // Nothing is tried while a server is running, which would have to wait.
        let dry_run = postgres::dry_run_migration(&url).await.expect("a plan");
        assert!(!dry_run.was_tried && dry_run.plan.steps.is_empty());
        store.close().await.expect("it closes");
        assert_eq!(postgres_schema(&url).await, newest, "from {version}");
    }
    nothing_is_tried_under_an_old_server(&cluster).await;
}

async fn nothing_is_tried_under_an_old_server(cluster: &Cluster) {
    let url = cluster.create_schema("in_use").await;
    cluster.say_in("in_use", "CREATE TABLE castellan_schema (version BIGINT PRIMARY KEY)").await;
    cluster.say_in("in_use", "INSERT INTO castellan_schema VALUES (3)").await;
    let mut old_node = PgConnection::connect(&url).await.expect("a connection");
    let lock = "SELECT pg_advisory_lock_shared(1130460020, hashtext(current_schema()))";
    sqlx::query(lock).execute(&mut old_node).await.expect("a lock");
    let dry_run = postgres::dry_run_migration(&url).await.expect("a plan");
    assert!(!dry_run.was_tried);
    check_plan(&dry_run.plan, 3);
    old_node.close().await.expect("the old node stops");
    cluster.say_in("in_use", "INSERT INTO castellan_schema VALUES (99)").await;
    let error = postgres::dry_run_migration(&url).await.expect_err("it is newer");
    assert!(matches!(error, OpenError::NewerDatabase { found: 99, .. }), "{error:?}");
}
