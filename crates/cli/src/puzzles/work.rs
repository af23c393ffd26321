//! Finds the puzzles of many games on several threads, and delivers them in the order of the games.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use castellan_engine::{Engine, Options, Signals, embedded_network};
use castellan_nnue::Network;
use castellan_puzzles::{Effort, Puzzle, find_puzzles};

use super::End;
use super::games::{GameSource, SourceGame};
use super::output::PuzzleOutput;
use super::progress::PuzzleProgress;
use crate::limits::PUZZLE_GAMES_AHEAD;

const NO_PANIC: &str = "no thread panics while it holds the lock";

/// The settings of a run.
pub(super) struct Task {
    pub(super) effort: Effort,
    pub(super) threads: usize,
    /// Maximum number of puzzles in the output.
    pub(super) most_puzzles: u64,
    /// Maximum number of games in this run.
    pub(super) most_games: Option<u64>,
}

/// A game that is done, with its puzzles.
type Finished = (SourceGame, Vec<Puzzle>);

/// The next games, and how far the others are.
struct Queue {
    source: Mutex<GameSource>,
    /// The number of the first game that has not been delivered. No thread begins a game that is
    /// too far ahead of it, so that the results that wait have a limit.
    due: Mutex<u64>,
    moved: Condvar,
    /// The number of the first game that this run leaves to the next one.
    end: u64,
}

/// Does the task. Returns why it ended, and the number of files that could not be read.
pub(super) fn run(
    source: GameSource,
    task: &Task,
    signals: &Signals,
    output: &mut PuzzleOutput,
) -> anyhow::Result<(End, u64)> {
    let first = output.counts().games;
    let queue = Queue {
        source: Mutex::new(source),
        due: Mutex::new(first),
        moved: Condvar::new(),
        end: task.most_games.map_or(u64::MAX, |most| first.saturating_add(most)),
    };
    let network = embedded_network();
    let end = thread::scope(|scope| {
        let (sender, finished) = sync_channel(task.threads);
        for _ in 0..task.threads {
            let (sender, network, queue) = (sender.clone(), network.clone(), &queue);
            scope.spawn(move || work(queue, task.effort, network, signals, &sender));
        }
        drop(sender);
        let end = deliver(&queue, task, signals, &finished, output);
        // Threads that still have a game stop, and those that wait are woken up.
        let is_interrupted = signals.stop.swap(true, Ordering::Relaxed);
        queue.advance(u64::MAX);
        drop(finished);
        end.map(|end| if is_interrupted { End::Interrupted } else { end })
    })?;
    let source = queue.source.into_inner().expect(NO_PANIC);
    let is_cut = task.most_games.is_some_and(|_| output.counts().games >= queue.end);
    let end = if end == End::Complete && is_cut { End::Limit } else { end };
    Ok((end, source.failures()))
}

/// Finds the puzzles of one game after another, until there are no more or the run is stopped.
fn work(
    queue: &Queue,
    effort: Effort,
    network: Option<Arc<Network>>,
    signals: &Signals,
    sender: &SyncSender<Finished>,
) {
    let mut engine = Engine::new(Options { threads: 1, ..Options::default() });
    engine.set_network(network);
    while let Some(game) = queue.take() {
        let found = find_puzzles(&mut engine, &game.line(), effort, signals, &mut |_| {});
        let Ok(puzzles) = found else { return };
        if sender.send((game, puzzles)).is_err() {
            return;
        }
    }
}

/// Writes the results in the order of the games.
fn deliver(
    queue: &Queue,
    task: &Task,
    signals: &Signals,
    finished: &Receiver<Finished>,
    output: &mut PuzzleOutput,
) -> anyhow::Result<End> {
    let progress = PuzzleProgress::new(output.counts());
    let mut waiting: BTreeMap<u64, Finished> = BTreeMap::new();
    if output.counts().puzzles >= task.most_puzzles {
        return Ok(End::Limit);
    }
    while let Ok((game, puzzles)) = finished.recv() {
        waiting.insert(game.number, (game, puzzles));
        while let Some((game, puzzles)) = waiting.remove(&output.counts().games) {
            let is_whole = output.write(&game, &puzzles, task.most_puzzles)?;
            if !is_whole || output.counts().puzzles >= task.most_puzzles {
                return Ok(End::Limit);
            }
        }
        queue.advance(output.counts().games);
        progress.show(output.counts(), queue.source.lock().expect(NO_PANIC).share_read());
        if signals.stop.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(End::Complete)
}

impl Queue {
    /// Returns the next game, once it is not too far ahead of the others.
    fn take(&self) -> Option<SourceGame> {
        let game = self.source.lock().expect(NO_PANIC).next()?;
        if game.number >= self.end {
            return None;
        }
        let is_ahead = |due: &mut u64| game.number >= due.saturating_add(PUZZLE_GAMES_AHEAD);
        drop(self.moved.wait_while(self.due.lock().expect(NO_PANIC), is_ahead).expect(NO_PANIC));
        Some(game)
    }

    /// Records that all games before this one have been delivered.
    fn advance(&self, due: u64) {
        *self.due.lock().expect(NO_PANIC) = due;
        self.moved.notify_all();
    }
}
