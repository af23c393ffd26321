//! What happens when the disk of a store in a file fails, fills up or hangs.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use castellan_store::sqlite::{Hook, SqliteOptions, open};
use castellan_store::{Batch, FormerPlayer, HistoryQuery, OpenError, Store, StoreError};
use rusqlite::Connection;
use tokio::sync::Notify;

use crate::fixtures::*;
use crate::rig::{Rig, database_in, soon, wait_until};

async fn version(store: &dyn Store) -> u32 {
    let stored = store.load_game(game(1)).await.expect("no error").expect("the game");
    stored.events.len() as u32
}

#[tokio::test]
async fn a_full_disk_is_told_and_loses_nothing() {
    let rig = Rig::sqlite();
    let small = SqliteOptions { max_bytes: Some(160 << 10), ..SqliteOptions::default() };
    let store = open(rig.path(), small).expect("the store opens");
    store.create_game(new_game(1)).await.expect("a game");
    let mut kept = 0;
    let error = loop {
        let events = (1..=30).map(|step| moved(kept + step)).collect();
        match store.append(Batch::new(game(1), events)).await {
            Ok(()) => kept += 30,
            Err(error) => break error,
        }
        assert!(kept < 100_000, "the disk never fills up");
    };
    assert_eq!(error, StoreError::DiskFull);
    assert!(kept > 0);
    assert_eq!(version(&*store).await, kept, "what can be read is what was acknowledged");
    let again =
        store.append(Batch::new(game(1), (1..=30).map(|n| moved(kept + n)).collect())).await;
    assert_eq!(again, Err(StoreError::DiskFull));
    store.close().await.expect("it closes");
    drop(store);

    // The operator frees disk space.
    let store = rig.open().await;
    assert_eq!(version(&*store).await, kept);
    store.append(Batch::new(game(1), vec![moved(kept + 1)])).await.expect("there is room again");
}

#[tokio::test]
async fn a_store_that_cannot_be_made_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = |path: &Path, words: &str| {
        let error = open(path, SqliteOptions::default()).expect_err("no store can be there");
        assert!(matches!(error, OpenError::Unusable { .. }), "{error:?}");
        let text = error.to_string();
        assert!(text.contains(words), "{text}");
    };
    check(&folder.path().join("missing").join("games.db"), "folder");
    check(folder.path(), "cannot open the database");
    let file = folder.path().join("file");
    std::fs::write(&file, "no folder").expect("a file");
    check(&file.join("games.db"), "games.db");
    // Not even root may write there.
    if cfg!(target_os = "linux") {
        check(Path::new("/proc/games.db"), "/proc/games.db");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_folder_that_is_read_only_is_refused() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().expect("a folder");
    set_permissions(folder.path(), Permissions::from_mode(0o555)).expect("read-only");
    let is_obeyed = std::fs::write(folder.path().join("probe"), "").is_err();
    let opened = open(database_in(folder.path()), SqliteOptions::default());
    set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("as it was");
    // Root may write wherever it likes.
    if is_obeyed {
        let error = opened.expect_err("nothing can be written");
        assert!(matches!(error, OpenError::Unusable { .. }), "{error:?}");
    }
}

/// A disk that hangs until it is told to go on.
#[derive(Default)]
struct Gate {
    is_shut: AtomicBool,
    reached: Notify,
}

impl Gate {
    fn hook(self: &Arc<Gate>) -> Hook {
        let gate = Arc::clone(self);
        Hook::new(move || {
            gate.reached.notify_one();
            while gate.is_shut.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(1));
            }
        })
    }

    fn shut(&self, is_shut: bool) {
        self.is_shut.store(is_shut, Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_acknowledged_while_the_disk_hangs() {
    let rig = Rig::sqlite();
    let gate = Arc::new(Gate::default());
    let options = SqliteOptions {
        timeout: Duration::from_secs(3600),
        before_commit: Some(gate.hook()),
        ..SqliteOptions::default()
    };
    let store = open(rig.path(), options).expect("the store opens");
    for number in 0..40 {
        store.create_game(new_game(number)).await.expect("a game");
    }
    gate.reached.notified().await;
    gate.shut(true);
    let acknowledged = Arc::new(AtomicU64::new(0));
    let append = |number| {
        let (store, acknowledged) = (Arc::clone(&store), Arc::clone(&acknowledged));
        tokio::spawn(async move {
            store.append(Batch::new(game(number), vec![moved(1)])).await.expect("a move");
            acknowledged.fetch_add(1, Ordering::SeqCst);
        })
    };
    let mut appends = vec![append(0)];
    soon("the disk is reached", gate.reached.notified()).await;
    appends.extend((1..40).map(append));
    wait_until("all others wait", || store.metrics().queued == 39).await;
    // Readers are not held up, and see nothing of what is not kept.
    for number in 0..40 {
        let stored = store.load_game(game(number)).await.expect("no error").expect("the game");
        assert!(stored.events.is_empty());
    }
    assert_eq!(acknowledged.load(Ordering::SeqCst), 0);
    let commits = store.metrics().commits;
    gate.shut(false);
    for append in appends {
        soon("all moves", append).await.expect("no panic");
    }
    assert_eq!(acknowledged.load(Ordering::SeqCst), 40);
    assert_eq!(store.metrics().commits - commits, 2, "what had gathered went in one commit");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_waits_too_long_is_refused_and_never_stored() {
    const TIMEOUT: Duration = Duration::from_secs(2);
    let rig = Rig::sqlite();
    let gate = Arc::new(Gate::default());
    let options = SqliteOptions {
        queue: 4,
        timeout: TIMEOUT,
        before_commit: Some(gate.hook()),
        ..SqliteOptions::default()
    };
    let store = open(rig.path(), options).expect("the store opens");
    for number in 0..20 {
        store.create_game(new_game(number)).await.expect("a game");
    }
    gate.reached.notified().await;
    gate.shut(true);
    let append = |number| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.append(Batch::new(game(number), vec![moved(1)])).await })
    };
    // One hangs in the commit, four wait in the queue, the others wait for a place in it.
    let first = append(0);
    soon("the disk is reached", gate.reached.notified()).await;
    let others: Vec<_> = (1..20).map(append).collect();
    // A write that finds the queue full is refused while the disk still hangs.
    wait_until("no place for fifteen", || store.metrics().failures == 15).await;
    assert_eq!(store.metrics().queued, 4);
    // Those in the queue may have come last; by then their time is up as well.
    tokio::time::sleep(TIMEOUT).await;
    assert!(!first.is_finished(), "what is being committed waits for the truth");
    gate.shut(false);
    assert_eq!(soon("the first", first).await.expect("no panic"), Ok(()));
    for other in others {
        let result = soon("an answer", other).await.expect("no panic");
        assert!(matches!(result, Err(StoreError::Overloaded { .. })), "{result:?}");
    }
    for number in 0..20 {
        let stored = store.load_game(game(number)).await.expect("no error").expect("the game");
        assert_eq!(stored.events.len(), usize::from(number == 0), "game {number}");
    }
    store.append(Batch::new(game(1), vec![moved(1)])).await.expect("it has caught up");
}

#[tokio::test]
async fn one_process_has_the_file_at_a_time() {
    let rig = Rig::sqlite();
    let store = rig.open().await;
    let error = rig.try_open().await.expect_err("it is open");
    let holder = format!("process {}", std::process::id());
    assert!(matches!(&error, OpenError::InUse { holder: found, .. } if *found == holder));
    assert!(error.to_string().contains("stop that process"), "{error}");
    store.create_game(new_game(1)).await.expect("the first goes on");
    store.close().await.expect("it closes");
    let store = rig.open().await;
    assert!(store.load_game(game(1)).await.expect("no error").is_some());
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_to_the_file_is_the_same_file() {
    let rig = Rig::sqlite();
    let _store = rig.open().await;
    let link = rig.path().with_extension("link");
    std::os::unix::fs::symlink(rig.path(), &link).expect("a link");
    let error = open(&link, SqliteOptions::default()).expect_err("it is open");
    assert!(matches!(error, OpenError::InUse { .. }), "{error:?}");
}

#[tokio::test]
async fn another_program_that_locks_the_file_is_waited_for_and_reported() {
    let rig = Rig::sqlite();
    let options = SqliteOptions { timeout: Duration::from_secs(1), ..SqliteOptions::default() };
    let store = open(rig.path(), options).expect("the store opens");
    let other = Connection::open(rig.path()).expect("another program");
    other.execute_batch("BEGIN IMMEDIATE").expect("its lock");
    let refused = store.create_game(new_game(1)).await;
    assert!(matches!(refused, Err(StoreError::Unavailable { .. })), "{refused:?}");
    other.execute_batch("ROLLBACK").expect("its end");
    store.create_game(new_game(1)).await.expect("the file is free again");
}

#[tokio::test]
async fn a_newer_database_is_refused_with_words() {
    let rig = Rig::sqlite();
    rig.open().await.close().await.expect("it closes");
    let raw = Connection::open(rig.path()).expect("the file");
    raw.pragma_update(None, "user_version", 99).expect("a number");
    drop(raw);
    let error = rig.try_open().await.expect_err("it is newer");
    assert!(matches!(error, OpenError::NewerDatabase { found: 99, known: 6, .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("schema version 99") && text.contains("up to 6"), "{text}");
    assert!(text.contains("use the newer program"), "{text}");
}

#[tokio::test]
async fn files_of_others_are_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = database_in(folder.path());
    let check = || {
        let before = std::fs::read(&path).expect("the file");
        let error = open(&path, SqliteOptions::default()).expect_err("not ours");
        assert!(matches!(error, OpenError::NotOurDatabase { .. }), "{error:?}");
        assert_eq!(std::fs::read(&path).expect("the file"), before);
    };
    std::fs::write(&path, "1. e4 e5 2. Nf3 and so on, which is no database").expect("a file");
    check();
    std::fs::remove_file(&path).expect("it goes");
    let raw = Connection::open(&path).expect("a database");
    raw.execute_batch("CREATE TABLE games (id INTEGER)").expect("a table");
    drop(raw);
    check();
}

#[tokio::test]
async fn a_missing_event_is_damage_for_every_read_that_needs_it() {
    let rig = Rig::sqlite();
    let store = rig.open().await;
    store.create_game(new_game(1)).await.expect("a game");
    store.append(Batch::new(game(1), (1..=3).map(moved).collect())).await.expect("events");
    store.close().await.expect("it closes");
    let raw = Connection::open(rig.path()).expect("the database");
    raw.execute("DELETE FROM events WHERE version = 2", []).expect("an event goes");
    drop(raw);
    let store = rig.open().await;
    let is_damaged = |error| matches!(error, StoreError::Damaged { .. });
    assert!(store.load_game(game(1)).await.is_err_and(is_damaged));
    assert!(store.events_after(game(1), 0).await.is_err_and(is_damaged));
    assert!(store.events_after(game(1), 1).await.is_err_and(is_damaged));
    assert_eq!(store.events_after(game(1), 2).await, Ok(Some(vec![moved(3)])));
}

/// Replaces the text of an event, as a bad disk or a hasty hand would.
fn overwrite_event(path: &Path, version: u32, text: &[u8]) {
    let raw = Connection::open(path).expect("the database");
    let sql = "UPDATE events SET event = CAST(?2 AS TEXT) WHERE version = ?1";
    assert_eq!(raw.execute(sql, rusqlite::params![version, text]), Ok(1));
}

#[tokio::test]
async fn text_that_is_not_utf_8_damages_one_game() {
    let rig = Rig::sqlite();
    let store = rig.open().await;
    store.create_game(new_game(1)).await.expect("a game");
    store.append(Batch::new(game(1), (1..=3).map(moved).collect())).await.expect("events");
    overwrite_event(&rig.path(), 2, b"{\"moved\": \xff");
    for result in
        [store.load_game(game(1)).await.map(drop), store.events_after(game(1), 1).await.map(drop)]
    {
        assert!(matches!(result, Err(StoreError::Damaged { .. })), "{result:?}");
    }
    assert_eq!(store.unfinished().await, Ok(vec![game(1)]));
}

/// The owner of an account wants to be forgotten, and the disk has damaged one of their games.
#[tokio::test]
async fn a_name_is_forgotten_in_a_game_that_cannot_be_read() {
    let rig = Rig::sqlite();
    let store = rig.open().await;
    let end = castellan_game::End::without_winner(castellan_game::EndReason::Agreement);
    finished_game(&*store, 1, ["Anna", "Boris"], summary(end, 9, 1)).await.expect("a game");
    overwrite_event(&rig.path(), 2, b"{\"seated\": {\"name\": \"Boris\", \xff");
    overwrite_event(&rig.path(), 3, b"{\"ended");
    let former = FormerPlayer {
        player: castellan_game::PlayerId(2),
        name: "Boris".to_owned(),
        replacement: "Former player".to_owned(),
    };
    store.moderation().forget_player(game(1), former).await.expect("no error");
    let is_damaged = |error| matches!(error, StoreError::Damaged { .. });
    assert!(store.load_game(game(1)).await.is_err_and(is_damaged), "as before");
    let found = async |name: &str| {
        let query = HistoryQuery { name: name.to_owned(), limit: 5, after: None };
        store.history(query).await.expect("a page").games.len()
    };
    assert_eq!((found("boris").await, found("anna").await, found("former").await), (0, 1, 1));
    let raw = Connection::open(rig.path()).expect("the database");
    let texts = "SELECT group_concat(CAST(event AS BLOB)) FROM events";
    let texts: Vec<u8> = raw
        .query_row(texts, [], |row| {
            row.get_ref(0)?.as_bytes().map(<[u8]>::to_vec).map_err(Into::into)
        })
        .expect("the events");
    let texts = String::from_utf8_lossy(&texts);
    assert!(texts.contains("Anna") && texts.contains("{\"ended"), "{texts}");
    assert!(!texts.contains("Boris"), "{texts}");
}

#[tokio::test]
async fn a_damaged_row_hides_no_other_game() {
    let rig = Rig::sqlite();
    let store = rig.open().await;
    let end = castellan_game::End::without_winner(castellan_game::EndReason::Agreement);
    for number in 1..=5 {
        finished_game(&*store, number, ["Anna", "Boris"], summary(end, 9, number.into()))
            .await
            .expect("a game");
    }
    for number in 6..=8 {
        store.create_game(new_game(number)).await.expect("a game");
    }
    let raw = Connection::open(rig.path()).expect("the database");
    for (number, damage) in [
        (2, "reason = 'boredom'"),
        (4, "white_name = CAST(X'FF' AS TEXT)"),
        (7, "id = 'not an id'"),
    ] {
        let sql = format!("UPDATE games SET {damage} WHERE id = ?1");
        assert_eq!(raw.execute(&sql, [game(number).to_string()]), Ok(1));
    }
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let query = HistoryQuery { name: String::new(), limit: 2, after };
        let page = store.history(query).await.expect("a page");
        found.extend(page.games.iter().map(|game| game.id));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(found, [5, 3, 1].map(game));
    assert_eq!(store.longest(9).await.expect("a list").len(), 3);
    assert_eq!(store.unfinished().await, Ok(vec![game(6), game(8)]));
}
