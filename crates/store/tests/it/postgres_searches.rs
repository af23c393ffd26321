//! What searches cost in PostgreSQL. `postgres_faults` runs these checks with its server.

use std::sync::Arc;
use std::time::Duration;

use castellan_store::postgres::{PostgresOptions, connect};
use castellan_store::{HistoryQuery, Results, StoreError};
use sqlx::Connection;
use sqlx::postgres::PgConnection;

use crate::cluster::Cluster;
use crate::fixtures::*;
use crate::rig::soon;

/// An administrator has locked the table of games for hours.
pub(crate) async fn nothing_waits_for_searches_and_they_end(cluster: &Cluster) {
    let url = cluster.create_schema("searches").await;
    let search_timeout = Duration::from_millis(300);
    let options = PostgresOptions { search_timeout, ..PostgresOptions::default() };
    let store = connect(&url, options).await.expect("a store");
    store.create_account(account(1, "Anna")).await.expect("an account");
    let mut locking = PgConnection::connect(&url).await.expect("a connection");
    sqlx::query("BEGIN").execute(&mut locking).await.expect("a transaction");
    sqlx::query("LOCK TABLE games").execute(&mut locking).await.expect("a lock");
    let searches: Vec<_> = (0..4)
        .map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.history(HistoryQuery::default()).await.map(drop) })
        })
        .collect();
    let found = soon("a lookup", store.account_by_name("anna")).await.expect("no error");
    assert_eq!(found, Some(account(1, "Anna")));
    for search in searches {
        let ended = soon("a search ends", search).await.expect("it does not panic");
        assert_eq!(ended, Err(StoreError::SearchTimeout));
    }
    sqlx::query("ROLLBACK").execute(&mut locking).await.expect("the lock is gone");
    store.history(HistoryQuery::default()).await.expect("searches work again");
    store.close().await.expect("it closes");
}

/// Number of finished games, far more than fit on the pages of an index that a lookup reads.
const MANY_GAMES: u32 = 20_000;

/// Number of searches. PostgreSQL plans a statement for its arguments five times, and then for any.
const SEARCHES: i64 = 8;

/// PostgreSQL counts the rows that it reads, so this depends on no clock.
pub(crate) async fn a_search_for_an_absent_name_reads_no_games(cluster: &Cluster) {
    let url = cluster.create_schema("absent").await;
    let store = connect(&url, PostgresOptions::default()).await.expect("a store");
    let games = format!(
        "INSERT INTO games (id, settings, created, white_player, white_name, white_folded, \
         black_player, black_name, black_folded, plies, reason, finished) \
         SELECT 'g' || n, '', 0, n, '', 'anna' || n % 900, n, '', 'ben' || n % 900, 1, 'agreement', n \
         FROM generate_series(1, {MANY_GAMES}) AS n"
    );
    let endings = "INSERT INTO name_endings SELECT substr('anna' || n, k), 'anna' || n \
         FROM generate_series(0, 899) AS n, generate_series(1, 5) AS k";
    for sql in [games.as_str(), endings, "ANALYZE games", "ANALYZE name_endings"] {
        cluster.say_in("absent", sql).await;
    }
    let mut admin = PgConnection::connect(&url).await.expect("a connection");
    for _ in 0..SEARCHES {
        let query = HistoryQuery { name: "zoe".to_owned(), limit: 50, after: None };
        assert!(store.history(query).await.expect("a page").games.is_empty());
        assert_eq!(store.results_of("zoe").await, Ok(Results::default()));
    }
    store.close().await.expect("it closes");
    // The pool keeps a connection that comes back to it too late.
    drop(store);
    // A session reports what it has counted before it leaves the list of sessions.
    let sessions = "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'castellan'";
    let ending = async {
        while count(&mut admin, sessions).await > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    soon("the sessions end", ending).await;
    let lookups = "SELECT CAST(SUM(idx_scan) AS BIGINT) FROM pg_stat_user_tables \
        WHERE schemaname = 'absent' AND relname = 'name_endings'";
    assert!(count(&mut admin, lookups).await >= SEARCHES, "the searches are counted");
    let rows = "SELECT CAST(SUM(seq_tup_read) AS BIGINT) FROM pg_stat_user_tables \
        WHERE schemaname = 'absent' AND relname = 'games'";
    assert_eq!(count(&mut admin, rows).await, 0, "rows of games");
    let entries = "SELECT CAST(SUM(idx_tup_read) AS BIGINT) FROM pg_stat_user_indexes \
        WHERE schemaname = 'absent' AND relname = 'games'";
    assert_eq!(count(&mut admin, entries).await, 0, "entries of the indexes of games");
    admin.close().await.expect("it closes");
}

async fn count(admin: &mut PgConnection, sql: &str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(admin).await.expect("a count")
}
