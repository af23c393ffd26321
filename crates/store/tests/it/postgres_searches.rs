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
    let endings = "INSERT INTO name_endings SELECT substr(name, k), name FROM (\
         SELECT DISTINCT white_folded AS name FROM games) AS names, generate_series(1, 5) AS k";
    for sql in [games.as_str(), endings, "ANALYZE games", "ANALYZE name_endings"] {
        cluster.say_in("absent", sql).await;
    }
    let mut admin = PgConnection::connect(&url).await.expect("a connection");
    let before = rows_read(&mut admin).await;
    // PostgreSQL plans a statement for its arguments a few times, and then for any.
    for _ in 0..8 {
        let query = HistoryQuery { name: "zoe".to_owned(), limit: 50, after: None };
        assert!(store.history(query).await.expect("a page").games.is_empty());
        assert_eq!(store.results_of("zoe").await, Ok(Results::default()));
    }
    // A connection reports what it has counted when it ends, if not before.
    store.close().await.expect("it closes");
    let counting = async {
        loop {
            let after = rows_read(&mut admin).await;
            if after.lookups >= before.lookups + 8 {
                return after;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let after = soon("the lookups are counted", counting).await;
    assert_eq!(after.games, before.games, "rows of games or entries of their indexes");
    admin.close().await.expect("it closes");
}

/// What PostgreSQL has counted.
struct RowsRead {
    /// Rows of the table of games and entries of its indexes that were read.
    games: i64,
    /// Number of lookups in the index of names.
    lookups: i64,
}

async fn rows_read(admin: &mut PgConnection) -> RowsRead {
    let games = "SELECT CAST(COALESCE(SUM(seq_tup_read), 0) + \
        (SELECT COALESCE(SUM(idx_tup_read), 0) FROM pg_stat_user_indexes \
         WHERE schemaname = 'absent' AND relname = 'games') AS BIGINT) \
        FROM pg_stat_user_tables WHERE schemaname = 'absent' AND relname = 'games'";
    let lookups = "SELECT CAST(COALESCE(SUM(idx_scan), 0) AS BIGINT) FROM pg_stat_user_tables \
        WHERE schemaname = 'absent' AND relname = 'name_endings'";
    let mut count = async |sql| -> i64 {
        sqlx::query_scalar(sql).fetch_one(&mut *admin).await.expect("a count")
    };
    RowsRead { games: count(games).await, lookups: count(lookups).await }
}
