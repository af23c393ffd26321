//! `castellan migrate`, with and without `--dry-run`.

use crate::crash::cluster::Cluster;
use crate::serve::Server;
use crate::shell::castellan;

#[track_caller]
fn migrate(words: &[&str]) -> String {
    let ran = castellan(&[&["migrate"], words].concat(), b"");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{words:?}: {}", ran.out);
    ran.out
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_migration_is_tried_and_then_done() {
    let Some(cluster) = Cluster::start().await else { return };
    let url = cluster.create_schema("migrate").await;
    // Nothing is changed, so the second attempt finds the same.
    for _ in 0..2 {
        let told = migrate(&["--database", &url, "--dry-run"]);
        assert!(told.starts_with("the database has schema 0, and this version uses "), "{told}");
        assert!(told.contains("\n  1  games, ") && told.contains("\n  6  deletion"), "{told}");
        assert!(told.contains("tried and rolled back: it works"), "{told}");
    }
    let told = migrate(&["--database", &url]);
    assert!(told.ends_with("\nmigrated\n"), "{told}");
    for words in [&["--database", &url][..], &["--database", &url, "--dry-run"]] {
        assert!(migrate(words).contains("there is nothing to do"));
    }
}

#[test]
fn a_database_that_a_server_uses_can_be_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let _server = Server::start("serve", &data);
    let data = data.to_str().unwrap();
    for words in [&["--data", data][..], &["--data", data, "--dry-run"]] {
        assert!(migrate(words).contains("there is nothing to do"));
    }
}

#[test]
fn the_password_of_the_database_is_not_repeated() {
    let url = "postgres://castellan:hunter2@127.0.0.1:1/castellan";
    for words in [&["migrate", "--database", url][..], &["migrate", "--dry-run", "--database", url]]
    {
        let ran = castellan(words, b"");
        assert_eq!((ran.code, ran.out.as_str()), (2, ""));
        assert!(!ran.err.contains("hunter2"), "{}", ran.err);
    }
}
