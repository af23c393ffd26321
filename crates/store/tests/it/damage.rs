//! Files that are cut off, garbled or mixed up: a store opens with everything that was
//! acknowledged, or it refuses and says so.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use castellan_store::sqlite::{SqliteOptions, open};
use castellan_store::{Batch, OpenError, Store};
use tempfile::TempDir;

use crate::fixtures::*;
use crate::rig::{Rig, database_in};

const GAMES: u32 = 20;
const MOVES: u32 = 20;

async fn fill(store: &Arc<dyn Store>) {
    for number in 0..GAMES {
        store.create_game(new_game(number)).await.expect("a game");
    }
    for version in 1..=MOVES {
        for number in 0..GAMES {
            let batch = Batch::new(game(number), vec![moved(version)]);
            store.append(batch).await.expect("a move");
        }
    }
}

/// The files as a process leaves them that is killed: everything acknowledged, nothing tidied up.
async fn killed() -> TempDir {
    let rig = Rig::sqlite();
    let store = rig.open().await;
    fill(&store).await;
    let image = tempfile::tempdir().expect("a folder");
    let folder = rig.path();
    copy(folder.parent().expect("a folder"), image.path());
    image
}

/// The files as a store leaves them that is closed.
async fn closed() -> TempDir {
    let rig = Rig::sqlite();
    let store = rig.open().await;
    fill(&store).await;
    store.close().await.expect("it closes");
    let image = tempfile::tempdir().expect("a folder");
    copy(rig.path().parent().expect("a folder"), image.path());
    image
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("a copy");
    }
}

fn log_of(folder: &Path) -> std::path::PathBuf {
    folder.join("games.db-wal")
}

/// Opens it; if that succeeds, everything must be there.
async fn judge(folder: &Path) -> Result<(), OpenError> {
    let store = open(database_in(folder), SqliteOptions::default())?;
    for number in 0..GAMES {
        let stored = store.load_game(game(number)).await.expect("no error").expect("the game");
        assert_eq!(stored.events, (1..=MOVES).map(moved).collect::<Vec<_>>(), "game {number}");
    }
    store.close().await.expect("it closes");
    Ok(())
}

#[tokio::test]
async fn a_killed_process_leaves_everything() {
    let image = killed().await;
    assert!(log_of(image.path()).exists());
    judge(image.path()).await.expect("it opens");
    judge(image.path()).await.expect("it opens again");
}

#[tokio::test]
async fn a_half_written_commit_is_left_out() {
    let image = killed().await;
    let log = fs::read(log_of(image.path())).expect("the log");
    // The last commits once more, half a frame, zeros, and noise: what a torn write may leave.
    let noise: Vec<u8> =
        (0..5000u32).map(|byte| (byte.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let tails = [log[log.len() - 2000..].to_vec(), vec![0; 4096 + 24], noise];
    for tail in tails {
        let torn = tempfile::tempdir().expect("a folder");
        copy(image.path(), torn.path());
        fs::write(log_of(torn.path()), [&log[..], &tail[..]].concat()).expect("the log");
        judge(torn.path()).await.expect("it opens");
    }
}

#[tokio::test]
async fn a_log_that_has_lost_commits_is_noticed() {
    let image = killed().await;
    let log = fs::read(log_of(image.path())).expect("the log");
    let mut cut_logs = vec![Vec::new(), log[..log.len() - 1].to_vec(), log[..40].to_vec()];
    cut_logs.extend((1..10).map(|part| log[..log.len() * part / 10].to_vec()));
    for position in [24, 4000, log.len() / 2, log.len() - 4100] {
        let mut garbled = log.clone();
        garbled[position] ^= 0x55;
        cut_logs.push(garbled);
    }
    for cut_log in cut_logs {
        let folder = tempfile::tempdir().expect("a folder");
        copy(image.path(), folder.path());
        fs::write(log_of(folder.path()), &cut_log).expect("the log");
        let database = fs::read(database_in(folder.path())).expect("the database");
        let error = judge(folder.path()).await.expect_err("commits are missing");
        // A refused file is left as it was, so that it can still be repaired.
        assert_eq!(fs::read(database_in(folder.path())).expect("the database"), database);
        assert_eq!(fs::read(log_of(folder.path())).expect("the log"), cut_log);
        assert!(
            matches!(error, OpenError::LostWrites { .. } | OpenError::Damaged { .. }),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn a_database_without_its_log_is_noticed_and_can_be_taken_as_it_is() {
    let image = killed().await;
    fs::remove_file(log_of(image.path())).expect("a copy of only one file");
    let error = judge(image.path()).await.expect_err("commits are missing");
    let OpenError::LostWrites { record, .. } = &error else {
        panic!("{error:?}");
    };
    assert!(error.to_string().contains("-wal"), "{error}");
    // The words say how to go on without them.
    fs::remove_file(record).expect("the record");
    let store = open(database_in(image.path()), SqliteOptions::default()).expect("it opens");
    store.create_game(new_game(1000)).await.expect("and it works");
}

#[tokio::test]
async fn an_emptied_database_is_noticed() {
    let image = closed().await;
    fs::write(database_in(image.path()), "").expect("the database");
    let error = judge(image.path()).await.expect_err("everything is missing");
    assert!(matches!(error, OpenError::LostWrites { found: 0, .. }), "{error:?}");
}

#[tokio::test]
async fn a_database_that_is_cut_off_is_noticed() {
    let image = closed().await;
    let whole = fs::read(database_in(image.path())).expect("the database");
    for part in 1..8 {
        let folder = tempfile::tempdir().expect("a folder");
        copy(image.path(), folder.path());
        let length = whole.len() * part / 8;
        fs::write(database_in(folder.path()), &whole[..length]).expect("the database");
        let error = judge(folder.path()).await.expect_err("pages are missing");
        assert!(matches!(error, OpenError::Damaged { .. }), "{error:?}");
        assert!(error.to_string().contains("restore it from a backup"), "{error}");
    }
}

#[tokio::test]
async fn a_page_of_noise_is_noticed_wherever_it_is() {
    let image = closed().await;
    let whole = fs::read(database_in(image.path())).expect("the database");
    let pages = whole.len() / 4096;
    assert!(pages > 20, "the database has {pages} pages");
    let mut refused = 0;
    for page in 0..pages {
        let mut garbled = whole.clone();
        for (index, byte) in garbled[page * 4096..][..4096].iter_mut().enumerate() {
            *byte = (index.wrapping_mul(37) ^ page) as u8 | 0x80;
        }
        let folder = tempfile::tempdir().expect("a folder");
        copy(image.path(), folder.path());
        fs::write(database_in(folder.path()), &garbled).expect("the database");
        // Or everything is there, which `judge` looks after.
        refused += usize::from(judge(folder.path()).await.is_err());
    }
    assert!(refused * 10 >= pages * 9, "{refused} of {pages} were noticed");
}
