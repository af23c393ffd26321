//! What happens when the PostgreSQL server fails, is stopped, or has unsuitable settings.
//!
//! This is a single test because its parts stop and restart the same server one after another.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use castellan_store::postgres::{PostgresOptions, connect};
use castellan_store::{
    Batch, HistoryQuery, ModerationAct, NewAuditEntry, OpenError, Store, StoreError,
};
use sqlx::Connection;
use sqlx::postgres::PgConnection;

use crate::cluster::Cluster;
use crate::fixtures::*;
use crate::postgres_network::{
    a_login_needs_its_password, connections_over_a_network_are_encrypted_and_watched,
};
use crate::postgres_searches::{
    a_search_for_an_absent_name_reads_no_games, nothing_waits_for_searches_and_they_end,
};
use crate::rig::{soon, wait_until};

const GAMES: u32 = 12;

/// The timeout for attempts that must fail: shorter than the default, and a hundred times as long as
/// a connection takes.
const TIMEOUT: Duration = Duration::from_secs(3);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failing_server_loses_nothing_that_was_acknowledged() {
    let Some(mut cluster) = Cluster::start().await else {
        return;
    };
    one_server_writes_at_a_time(&cluster).await;
    processes_that_share_a_database_take_turns(&cluster).await;
    newer_and_foreign_databases_are_refused(&cluster).await;
    errors_for_wrong_addresses_do_not_contain_the_password(&cluster).await;
    names_of_an_older_database_are_found(&cluster).await;
    the_audit_log_only_grows(&cluster).await;
    nothing_waits_for_searches_and_they_end(&cluster).await;
    a_search_for_an_absent_name_reads_no_games(&cluster).await;
    nothing_is_migrated_under_a_running_server(&cluster).await;
    cut_connections_lose_nothing(&cluster).await;
    a_stopped_server_is_reported_and_waited_for(&mut cluster).await;
    connections_over_a_network_are_encrypted_and_watched(&mut cluster).await;
    a_login_needs_its_password(&cluster).await;
    a_server_that_does_not_sync_is_refused(&mut cluster).await;
}

/// Runs the migrations of an older program.
async fn migrate_to_version_2(cluster: &Cluster, schema: &str) -> String {
    let url = cluster.create_schema(schema).await;
    let files = [
        include_str!("../../src/postgres/migrations/0001.sql"),
        include_str!("../../src/postgres/migrations/0002.sql"),
        "CREATE TABLE castellan_schema (version BIGINT PRIMARY KEY);\n\
         INSERT INTO castellan_schema (version) VALUES (1), (2);\n",
    ];
    for file in files {
        for statement in file.split(";\n").filter(|statement| !statement.trim().is_empty()) {
            cluster.say_in(schema, statement).await;
        }
    }
    url
}

async fn names_of_an_older_database_are_found(cluster: &Cluster) {
    let url = migrate_to_version_2(cluster, "older").await;
    let id = game(1);
    let row = format!(
        "INSERT INTO games (id, settings, created, white_player, white_name, white_folded, plies, \
         reason, finished) VALUES ('{id}', '', 0, 1, 'Łöw', 'low', 1, 'agreement', 5)"
    );
    cluster.say_in("older", &row).await;
    let store = connect(&url, PostgresOptions::default()).await.expect("it is migrated");
    for name in ["low", "Ö", "W"] {
        let query = HistoryQuery { name: name.to_owned(), limit: 5, after: None };
        let page = store.history(query).await.expect("a page");
        assert_eq!(page.games.iter().map(|game| game.id).collect::<Vec<_>>(), [id], "{name}");
    }
    store.close().await.expect("it closes");
}

async fn the_audit_log_only_grows(cluster: &Cluster) {
    let url = cluster.create_schema("audit_log").await;
    let store = connect(&url, PostgresOptions::default()).await.expect("a store");
    let entry = NewAuditEntry {
        at: at(1),
        actor: "operator".to_owned(),
        action: "message",
        target: String::new(),
        details: "hello".to_owned(),
    };
    store.moderation().act(ModerationAct::Note, entry).await.expect("an entry");
    let mut hasty = PgConnection::connect(&url).await.expect("a connection");
    for sql in ["DELETE FROM audit", "UPDATE audit SET actor = 'x'", "TRUNCATE audit"] {
        let error = sqlx::query(sql).execute(&mut hasty).await.expect_err(sql);
        assert!(error.to_string().contains("cannot be changed"), "{error}");
    }
    assert_eq!(store.moderation().audit(u64::MAX, 9).await.expect("the log").len(), 1);
    hasty.close().await.expect("it closes");
    store.close().await.expect("it closes");
}

/// An operator upgrades one node of a cluster while another still runs.
async fn nothing_is_migrated_under_a_running_server(cluster: &Cluster) {
    let url = migrate_to_version_2(cluster, "upgrade").await;
    // What a node of the old version holds as long as it runs.
    let mut old_node = PgConnection::connect(&url).await.expect("a connection");
    let lock = "SELECT pg_advisory_lock_shared(1130460020, hashtext(current_schema()))";
    sqlx::query(lock).execute(&mut old_node).await.expect("a lock");
    let sharing = PostgresOptions { is_shared: true, ..PostgresOptions::default() };
    let error = connect(&url, sharing.clone()).await.expect_err("an old node is running");
    assert!(matches!(error, OpenError::OlderServers { .. }), "{error:?}");
    assert!(error.to_string().contains("stop all of them"), "{error}");
    let versions = "SELECT MAX(version) FROM castellan_schema";
    let version: i64 = sqlx::query_scalar(versions).fetch_one(&mut old_node).await.expect("one");
    assert_eq!(version, 2, "the database is as it was");
    old_node.close().await.expect("the old node stops");
    let opening = (0..3).map(|_| {
        let (url, sharing) = (url.clone(), sharing.clone());
        tokio::spawn(async move { connect(&url, sharing).await.expect("a store") })
    });
    // Several new nodes that start together migrate once.
    let mut stores = Vec::new();
    for opened in opening.collect::<Vec<_>>() {
        stores.push(opened.await.expect("it does not panic"));
    }
    for store in &stores {
        assert_eq!(store.unfinished().await, Ok(Vec::new()));
    }
    for store in stores {
        store.close().await.expect("it closes");
    }
}

async fn one_server_writes_at_a_time(cluster: &Cluster) {
    let url = cluster.create_schema("one_writer").await;
    let store = connect(&url, PostgresOptions::default()).await.expect("a store");
    let impatient = PostgresOptions { timeout: TIMEOUT, ..PostgresOptions::default() };
    let error = connect(&url, impatient).await.expect_err("it is in use");
    assert!(matches!(error, OpenError::InUse { .. }), "{error:?}");
    store.close().await.expect("it closes");
    let next = connect(&url, PostgresOptions::default()).await.expect("it is free again");
    next.close().await.expect("it closes");
}

/// However many processes write, every version of a game is stored once. The second process to store
/// a version gets a conflict, which does not affect the other writes of its transaction.
async fn processes_that_share_a_database_take_turns(cluster: &Cluster) {
    let url = cluster.create_schema("several_writers").await;
    let sharing = PostgresOptions { is_shared: true, ..PostgresOptions::default() };
    let opening = (0..3).map(|_| {
        let (url, sharing) = (url.clone(), sharing.clone());
        tokio::spawn(async move { connect(&url, sharing).await.expect("a store") })
    });
    let mut stores = Vec::new();
    for opened in opening.collect::<Vec<_>>() {
        stores.push(opened.await.expect("it does not panic"));
    }
    let impatient = PostgresOptions { timeout: TIMEOUT, ..PostgresOptions::default() };
    let error = connect(&url, impatient).await.expect_err("other processes share the database");
    assert!(matches!(error, OpenError::InUse { .. }), "{error:?}");
    for number in 1..=GAMES {
        stores[0].create_game(new_game(number)).await.expect("a game");
    }
    let mut racing = Vec::new();
    for store in &stores {
        for number in 1..=GAMES {
            racing.push(tokio::spawn(race(Arc::clone(store), number)));
        }
    }
    let mut won = 0;
    for racer in racing {
        won += racer.await.expect("only conflicts are lost");
    }
    assert_eq!(won, GAMES * RACE);
    for number in 1..=GAMES {
        let stored = stores[1].load_game(game(number)).await.expect("no error").expect("a game");
        let versions: Vec<u32> = stored.events.iter().map(|event| event.version).collect();
        assert_eq!(versions, (1..=RACE).collect::<Vec<_>>());
    }
    for store in stores {
        store.close().await.expect("it closes");
    }
    let store =
        connect(&url, PostgresOptions::default()).await.expect("no other process has it open");
    store.close().await.expect("it can be closed");
}

/// The number of events of each game that the processes compete to store.
const RACE: u32 = 40;

/// Appends events to a game until it has [`RACE`] of them. Returns how many of them this process
/// stored first.
async fn race(store: Arc<dyn Store>, number: u32) -> u32 {
    let (mut next, mut won) = (1, 0);
    while next <= RACE {
        match store.append(Batch::new(game(number), vec![moved(next)])).await {
            Ok(()) => (next, won) = (next + 1, won + 1),
            Err(StoreError::Conflict { stored, .. }) => next = stored + 1,
            Err(error) => panic!("game {number}: {error}"),
        }
    }
    won
}

async fn newer_and_foreign_databases_are_refused(cluster: &Cluster) {
    let url = cluster.create_schema("newer").await;
    connect(&url, PostgresOptions::default())
        .await
        .expect("a store")
        .close()
        .await
        .expect("it closes");
    cluster.say("INSERT INTO newer.castellan_schema VALUES (99)").await;
    let error = connect(&url, PostgresOptions::default()).await.expect_err("it is newer");
    assert!(matches!(error, OpenError::NewerDatabase { found: 99, known: 6, .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("schema version 99") && text.contains("use the newer program"), "{text}");

    let url = cluster.create_schema("foreign_games").await;
    cluster.say("CREATE TABLE foreign_games.games (id INT)").await;
    let error =
        connect(&url, PostgresOptions::default()).await.expect_err("the database is foreign");
    assert!(matches!(error, OpenError::NotOurDatabase { .. }), "{error:?}");
}

async fn errors_for_wrong_addresses_do_not_contain_the_password(cluster: &Cluster) {
    let nowhere = [
        "postgres://castellan:s3cret@127.0.0.1:1/games".to_owned(),
        "mysql://castellan:s3cret@127.0.0.1/games".to_owned(),
        "postgres://castellan:s3cret@[::1/games".to_owned(),
        cluster.url("missing").replace("castellan@", "castellan:s3cret@"),
    ];
    for url in nowhere {
        let error =
            connect(&url, PostgresOptions::default()).await.expect_err("no server is there");
        assert!(matches!(error, OpenError::Unusable { .. }), "{error:?}");
        assert!(!error.to_string().contains("s3cret"), "{error}");
    }
}

/// Appends moves to one game until `stop` is set. Returns how many were acknowledged and how many
/// failed.
async fn play(store: Arc<dyn Store>, number: u32, stop: Arc<AtomicBool>) -> (u32, u32) {
    let (mut acknowledged, mut failures) = (0, 0);
    while !stop.load(Ordering::SeqCst) {
        let next = moved(acknowledged + 1);
        match store.append(Batch::new(game(number), vec![next])).await {
            Ok(()) => acknowledged += 1,
            Err(StoreError::Unavailable { .. } | StoreError::Overloaded { .. }) => failures += 1,
            Err(StoreError::Uncertain { .. }) => {
                failures += 1;
                let stored = stored_moves(&*store, number).await;
                assert!(stored == acknowledged || stored == acknowledged + 1);
                acknowledged = stored;
            }
            Err(error) => panic!("game {number} after {acknowledged}: {error}"),
        }
    }
    (acknowledged, failures)
}

/// Returns how many moves are stored, as soon as the store can be read again.
async fn stored_moves(store: &dyn Store, number: u32) -> u32 {
    loop {
        match store.load_game(game(number)).await {
            Ok(stored) => return stored.expect("the game").events.len() as u32,
            Err(StoreError::Unavailable { .. } | StoreError::Overloaded { .. }) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(error) => panic!("game {number}: {error}"),
        }
    }
}

async fn cut_connections_lose_nothing(cluster: &Cluster) {
    let url = cluster.create_schema("cut").await;
    let store = connect(&url, PostgresOptions::default()).await.expect("a store");
    for number in 0..GAMES {
        store.create_game(new_game(number)).await.expect("a game");
    }
    let stop = Arc::new(AtomicBool::new(false));
    let games: Vec<_> = (0..GAMES)
        .map(|number| tokio::spawn(play(Arc::clone(&store), number, Arc::clone(&stop))))
        .collect();
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE application_name = 'castellan' AND pid <> pg_backend_pid()";
    for _ in 0..15 {
        let before = store.metrics().commits;
        cluster.say(cut).await;
        // Each cut hits a store that has resumed its work.
        wait_until("more commits", || store.metrics().commits >= before + 5).await;
    }
    stop.store(true, Ordering::SeqCst);
    check_games(&*store, games).await;
    store.close().await.expect("it closes");
}

/// Checks that every acknowledged move is stored, and nothing else.
async fn check_games(store: &dyn Store, games: Vec<tokio::task::JoinHandle<(u32, u32)>>) {
    let mut total = 0;
    for (number, played) in (0..).zip(games) {
        let (acknowledged, _) = soon("the end of a game", played).await.expect("no panic");
        let stored = store.load_game(game(number)).await.expect("no error").expect("the game");
        let expected: Vec<_> = (1..=acknowledged).map(moved).collect();
        assert_eq!(stored.events, expected, "game {number}");
        total += acknowledged;
    }
    assert!(total > 0, "nothing was played");
}

async fn a_stopped_server_is_reported_and_waited_for(cluster: &mut Cluster) {
    let url = cluster.create_schema("stopped").await;
    let options = PostgresOptions { timeout: TIMEOUT, ..PostgresOptions::default() };
    let store = connect(&url, options).await.expect("a store");
    for number in 0..GAMES {
        store.create_game(new_game(number)).await.expect("a game");
    }
    let stop = Arc::new(AtomicBool::new(false));
    let games: Vec<_> = (0..GAMES)
        .map(|number| tokio::spawn(play(Arc::clone(&store), number, Arc::clone(&stop))))
        .collect();
    wait_until("some moves", || store.metrics().writes >= 100).await;
    cluster.stop();
    let refused = soon("a refusal", store.append(Batch::new(game(500), vec![moved(1)]))).await;
    // Which error it is depends on what the writer is waiting for at the moment.
    let is_reported = matches!(
        refused,
        Err(StoreError::Unavailable { .. }
            | StoreError::Uncertain { .. }
            | StoreError::Overloaded { .. })
    );
    assert!(is_reported, "{refused:?}");
    let unread = soon("a refusal", store.unfinished()).await;
    assert!(matches!(unread, Err(StoreError::Unavailable { .. })), "{unread:?}");
    cluster.run().await;
    let writes = store.metrics().writes;
    wait_until("moves go on by themselves", || store.metrics().writes >= writes + 100).await;
    stop.store(true, Ordering::SeqCst);
    check_games(&*store, games).await;
    store.close().await.expect("it closes");
}

async fn a_server_that_does_not_sync_is_refused(cluster: &mut Cluster) {
    let url = cluster.create_schema("careless").await;
    cluster.say("ALTER SYSTEM SET fsync = off").await;
    cluster.stop();
    cluster.run().await;
    let error = connect(&url, PostgresOptions::default()).await.expect_err("it may lose moves");
    assert!(error.to_string().contains("fsync"), "{error}");
}
