//! A PostgreSQL server on another machine: encryption, passwords, and connections that are lost.
//! `postgres_faults` runs these checks with its server.

use castellan_store::OpenError;
use castellan_store::postgres::{PostgresOptions, connect};
use sqlx::Connection;
use sqlx::postgres::PgConnection;

use crate::cluster::Cluster;
use crate::fixtures::*;
#[cfg(target_os = "linux")]
use crate::rig::wait_until;

/// For a database on another machine: connections are encrypted, and a node that loses power does
/// not hold the lock for hours.
pub(crate) async fn connections_over_a_network_are_encrypted_and_watched(cluster: &mut Cluster) {
    let (url, authority) = cluster.restart_with_tls().await;
    cluster.say("CREATE SCHEMA over_tls").await;
    let url = format!("{url}?options[search_path]=over_tls&sslmode=verify-full");
    let error = connect(&url, PostgresOptions::default()).await.expect_err("it is not trusted");
    assert!(error.to_string().to_lowercase().contains("certificate"), "{error}");
    let trusting = format!("{url}&sslrootcert={}", authority.display());
    let store = connect(&trusting, PostgresOptions::default()).await.expect("a store");
    store.create_game(new_game(1)).await.expect("a game");
    let mut admin = PgConnection::connect(&cluster.url("postgres")).await.expect("a connection");
    let plain = "SELECT COUNT(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
        WHERE application_name = 'castellan' AND NOT ssl";
    let plain: i64 = sqlx::query_scalar(plain).fetch_one(&mut admin).await.expect("a count");
    assert_eq!(plain, 0, "every connection is encrypted");
    #[cfg(target_os = "linux")]
    wait_until("the server watches the connection", || {
        let timers = keepalive_timers(cluster.port());
        !timers.is_empty() && timers.iter().all(|timer| (1..=500).contains(timer))
    })
    .await;
    store.close().await.expect("it closes");
}

/// Returns when the server's end of each connection is checked next, in hundredths of a second; 0 if
/// it is not.
#[cfg(target_os = "linux")]
fn keepalive_timers(port: u16) -> Vec<u64> {
    let (port, established, keepalive) = (format!(":{port:04X}"), "01", "02");
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(std::fs::read_to_string);
    let tables: String = tables.into_iter().flatten().collect();
    let columns = tables.lines().map(|line| line.split_ascii_whitespace().collect::<Vec<_>>());
    let own = columns.filter(|line| line[1].ends_with(&port) && line[3] == established);
    own.map(|line| match line[5].split_once(':') {
        Some((kind, time)) if kind == keepalive => u64::from_str_radix(time, 16).expect("a time"),
        _ => 0,
    })
    .collect()
}

/// As docs/OPERATIONS.md sets a database up: a user with a password, and encrypted connections only.
/// The password has characters that mean something in a URL.
pub(crate) async fn a_login_needs_its_password(cluster: &Cluster) {
    cluster.add_user("guarded", "s@cret/?#%: ü").await;
    cluster.say("CREATE SCHEMA guarded AUTHORIZATION guarded").await;
    let url = |user: &str| {
        let port = cluster.port();
        format!("postgres://{user}@localhost:{port}/postgres?sslmode=require")
    };
    let right = url("guarded:s%40cret%2F%3F%23%25%3A%20%C3%BC");
    let store = connect(&right, PostgresOptions::default()).await.expect("the right password");
    store.create_game(new_game(1)).await.expect("a game");
    assert!(store.load_game(game(1)).await.expect("no error").is_some());
    store.close().await.expect("it closes");
    for (user, words) in [
        ("guarded:wr0ng", "password authentication failed"),
        ("guarded", "password"),
        ("nobody:wr0ng", "password authentication failed"),
    ] {
        let error = connect(&url(user), PostgresOptions::default()).await.expect_err(user);
        assert!(matches!(error, OpenError::Unusable { .. }), "{error:?}");
        let text = error.to_string();
        assert!(text.contains(words) && !text.contains("wr0ng"), "{user}: {text}");
    }
    let plain = right.replace("require", "disable");
    let error = connect(&plain, PostgresOptions::default()).await.expect_err("it is not encrypted");
    assert!(error.to_string().contains("no encryption"), "{error}");
}
