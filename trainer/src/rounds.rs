//! Reads games files on several threads, with results in the order of the games.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;

use anyhow::Context;

use crate::game::Game;
use crate::games_file::{Batch, GamesReader, is_incomplete};

/// The size of a batch in bytes. A thread decodes one batch at a time.
const BATCH_BYTES: usize = 1 << 20;
/// The number of batches in a round for each thread. All threads wait for the end of a round, which
/// bounds the memory and keeps the order.
const BATCHES_PER_THREAD: usize = 4;

/// How to treat a file whose last game is incomplete.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum IncompleteGame {
    /// Use the games before it and print a warning.
    Accepted,
    /// Fail with an error.
    Refused,
}

/// Decodes all games of files. `work` folds the games of a batch into a value, on any thread, and
/// `sink` receives these values in the order of the files.
pub(crate) fn fold_games<T: Default + Send>(
    files: &[PathBuf],
    incomplete: IncompleteGame,
    work: impl Fn(&Game, &mut T) + Sync,
    mut sink: impl FnMut(T) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let threads = available_parallelism().map_or(1, NonZeroUsize::get);
    for path in files {
        let mut reader = GamesReader::open(path)?;
        loop {
            let (round, end) = read_round(&mut reader, threads * BATCHES_PER_THREAD);
            for value in map_in_order(&round, |batch| decode(batch, &work)) {
                sink(value.with_context(|| name(path))?)?;
            }
            match end {
                Ok(false) => {}
                Ok(true) => break,
                Err(error) if incomplete == IncompleteGame::Accepted && is_incomplete(&error) => {
                    eprintln!("{}: {error}; the game was skipped", path.display());
                    break;
                }
                Err(error) => return Err(error).with_context(|| name(path)),
            }
        }
    }
    Ok(())
}

fn name(path: &Path) -> String {
    path.display().to_string()
}

/// Reads up to `count` batches. Returns them, and either whether the file has ended or the error
/// that came after them.
fn read_round(
    reader: &mut GamesReader<impl std::io::Read>,
    count: usize,
) -> (Vec<Batch>, anyhow::Result<bool>) {
    let mut round = Vec::new();
    while round.len() < count {
        let (batch, end) = reader.read_batch(BATCH_BYTES);
        round.extend(batch);
        match end {
            Ok(false) => {}
            end => return (round, end),
        }
    }
    (round, Ok(false))
}

/// Works on all items, on as many threads as there are cores. The values are in the order of the
/// items.
pub(crate) fn map_in_order<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let threads = available_parallelism().map_or(1, NonZeroUsize::get);
    let next = AtomicUsize::new(0);
    let values = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads.min(items.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let value = work(item);
                    values.lock().unwrap_or_else(PoisonError::into_inner).push((index, value));
                }
            });
        }
    });
    let mut values = values.into_inner().unwrap_or_else(PoisonError::into_inner);
    values.sort_by_key(|&(index, _)| index);
    values.into_iter().map(|(_, value)| value).collect()
}

fn decode<T: Default>(batch: &Batch, work: &impl Fn(&Game, &mut T)) -> anyhow::Result<T> {
    let mut value = T::default();
    for game in batch.games() {
        work(&game?, &mut value);
    }
    Ok(value)
}
