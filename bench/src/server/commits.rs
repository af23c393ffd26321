//! The limit that the disk sets: the time of an fsync, and the number of rows that a bare loop of
//! group commits writes.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use rusqlite::{Connection, params};

use super::latency::Latencies;

const FSYNCS: usize = 100;
const BLOCK_BYTES: usize = 4096;

/// A row of the same length as a stored move.
const ROW: &str = r#"{"type":"moved","ply":42,"mv":"g1f3","spent_ms":1000,"compensated_ms":0,"remaining_ms":86400000}"#;

/// Measures how long the disk takes to sync a block that is appended to a file.
pub(super) fn measure_fsync(folder: &Path) -> Result<Latencies> {
    let mut file =
        tempfile::tempfile_in(folder).context("cannot create a file for the fsync test")?;
    let block = [7; BLOCK_BYTES];
    let mut all = Vec::new();
    for _ in 0..FSYNCS {
        all.push(one_fsync(&mut file, &block)?);
    }
    Ok(Latencies::new(all))
}

fn one_fsync(file: &mut File, block: &[u8]) -> Result<Duration> {
    let start = Instant::now();
    file.seek(SeekFrom::End(0))?;
    file.write_all(block)?;
    file.sync_data()?;
    Ok(start.elapsed())
}

/// A row that waits for its commit, and the channel to notify.
struct Waiting {
    game: usize,
    done: Sender<usize>,
}

/// Returns the rows per second if each of `games` games waits for its row before it sends the next.
///
/// All games share one thread, because only the loop that commits is measured.
pub(super) fn max_rate(folder: &Path, games: usize, time: Duration) -> Result<f64> {
    let data = tempfile::Builder::new().prefix("bench-commits-").tempdir_in(folder)?;
    let connection = open(&data.path().join("rows.sqlite"))?;
    let (rows, queue) = sync_channel(games);
    let writer = thread::spawn(move || write(connection, &queue));
    let count = drive_games(&rows, games, time);
    drop(rows);
    let written = writer.join().map_err(|_| anyhow!("the writer thread panicked"))?;
    written?;
    Ok(count as f64 / time.as_secs_f64())
}

fn open(path: &Path) -> Result<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute(
        "CREATE TABLE row (game INTEGER, version INTEGER, event TEXT, PRIMARY KEY (game, version)) \
         WITHOUT ROWID",
        [],
    )?;
    Ok(connection)
}

/// Commits all waiting rows at once and notifies their games, until the queue is closed.
fn write(mut connection: Connection, queue: &Receiver<Waiting>) -> Result<()> {
    let mut version = 0_i64;
    while let Ok(first) = queue.recv() {
        version += 1;
        let batch: Vec<Waiting> = std::iter::once(first).chain(queue.try_iter()).collect();
        let transaction = connection.transaction()?;
        {
            let mut insert = transaction.prepare_cached("INSERT INTO row VALUES (?1, ?2, ?3)")?;
            for waiting in &batch {
                insert.execute(params![waiting.game as i64, version, ROW])?;
            }
        }
        transaction.commit()?;
        for waiting in batch {
            // The games may have stopped in the meantime.
            let _ = waiting.done.send(waiting.game);
        }
    }
    Ok(())
}

/// Keeps one row of every game in the queue until the time is over, and returns the number of rows.
fn drive_games(rows: &SyncSender<Waiting>, games: usize, time: Duration) -> usize {
    let (done, completions) = channel();
    let submit = |game| rows.send(Waiting { game, done: done.clone() }).is_ok();
    if !(0..games).all(submit) {
        return 0;
    }
    let until = Instant::now() + time;
    let mut count = 0;
    while Instant::now() < until {
        match completions.recv() {
            Ok(game) if submit(game) => count += 1,
            _ => break,
        }
    }
    count
}
