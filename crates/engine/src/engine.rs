//! The public interface: an engine that takes positions and returns moves.

use core::time::Duration;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread::Builder;

use castellan_nnue::Network;
use castellan_rules::{Line, Move};

use crate::eval::SharedNetwork;
use crate::history::Histories;
use crate::level::{Handicap, Visibility};
use crate::limits::Limits;
use crate::margins::Margins;
use crate::root::{Report, RootMove};
use crate::score::{MAX_PLY, Score, Value};
use crate::table::Table;
use crate::worker::{SharedSearch, Worker};

/// The options for creating an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The size of the transposition table in megabytes, within [`Options::HASH_MB`].
    pub hash_mb: usize,
    /// The number of search threads, within [`Options::THREADS`].
    pub threads: usize,
}

impl Options {
    /// The smallest and the largest transposition table, in megabytes.
    pub const HASH_MB: [usize; 2] = [1, 32 << 10];
    /// The minimum and the maximum number of threads.
    pub const THREADS: [usize; 2] = [1, 256];
}

impl Default for Options {
    fn default() -> Options {
        Options { hash_mb: 16, threads: 1 }
    }
}

/// Signals from the caller to a running search.
#[derive(Debug, Default)]
pub struct Signals {
    /// Ends the search.
    pub stop: AtomicBool,
    /// The opponent is still to move, so no clock is running yet.
    pub pondering: AtomicBool,
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The best move, or `None` if there is no legal move.
    pub mv: Option<Move>,
    /// The expected reply, if known.
    pub ponder: Option<Move>,
    /// The score of the position for the side to move.
    pub score: Score,
    /// The number of nodes searched.
    pub nodes: u64,
}

/// A clock provided by the caller, which returns the time since some fixed moment.
pub type Clock<'a> = dyn Fn() -> Duration + Sync + 'a;

/// Unpacks the network embedded in this build, if there is one, to be shared by any number of
/// engines. This takes a few milliseconds, so a program should do it only once.
pub fn embedded_network() -> Option<Arc<Network>> {
    castellan_nnue::embedded().map(Arc::new)
}

/// A chess engine: a transposition table, history tables and search threads.
pub struct Engine {
    options: Options,
    table: Table,
    histories: Vec<Histories>,
    network: Option<SharedNetwork>,
    /// The parameters that replace those for the evaluation in use.
    margins: Option<Margins>,
}

impl Engine {
    /// Creates an engine. Options outside their limits are clamped.
    pub fn new(options: Options) -> Engine {
        let options = Options {
            hash_mb: options.hash_mb.clamp(Options::HASH_MB[0], Options::HASH_MB[1]),
            threads: options.threads.clamp(Options::THREADS[0], most_threads()),
        };
        let histories = (0..options.threads).map(|_| Histories::new()).collect();
        let table = Table::new(options.hash_mb);
        Engine { options, table, histories, network: None, margins: None }
    }

    /// Returns the options in effect.
    pub fn options(&self) -> Options {
        self.options
    }

    /// Evaluates with a network from now on, or with the hand-written evaluation if `None`. This
    /// clears everything learned with the previous evaluation. Levels always use the hand-written
    /// evaluation.
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        self.network = network;
        self.clear();
    }

    /// Searches with other parameters from now on. Levels always use their own.
    pub fn set_margins(&mut self, margins: Margins) {
        self.margins = Some(margins);
    }

    /// Returns the network that evaluates positions, if any.
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.network.as_ref()
    }

    /// Clears the transposition table and the histories, for a new game.
    pub fn clear(&mut self) {
        self.table.clear();
        for histories in &mut self.histories {
            histories.clear();
        }
    }

    /// Searches the last position of a line until a limit or a signal ends the search.
    ///
    /// `clock` provides the time for limits and reports. Reports are passed to `sink`.
    pub fn go(
        &mut self,
        line: &Line,
        limits: &Limits,
        clock: &Clock<'_>,
        signals: &Signals,
        sink: &mut dyn FnMut(&Report),
    ) -> Answer {
        let io = SearchIo { clock, signals, sink };
        if let Some(handicap) = limits.handicap {
            return search_at_level(handicap, line, limits, io);
        }
        self.table.advance_age();
        let network = self.network.as_ref();
        let usual = if network.is_some() { &Margins::NETWORK } else { &Margins::HAND_WRITTEN };
        let margins = self.margins.as_ref().unwrap_or(usual);
        let task = Task { line, limits, nodes: limits.nodes, visibility: None, network, margins };
        search(&task, &self.table, &mut self.histories, io)
    }
}

/// What to search, and with which restrictions.
struct Task<'a> {
    line: &'a Line,
    limits: &'a Limits,
    nodes: Option<u64>,
    visibility: Option<Visibility>,
    network: Option<&'a SharedNetwork>,
    margins: &'a Margins,
}

/// The caller's side of a search: its clock, its signals and its callback for reports.
struct SearchIo<'a> {
    clock: &'a Clock<'a>,
    signals: &'a Signals,
    sink: &'a mut dyn FnMut(&Report),
}

/// Searches at a level. Nothing is kept from one search to the next, so that the answer depends
/// only on the moves and the handicap.
fn search_at_level(handicap: Handicap, line: &Line, limits: &Limits, io: SearchIo<'_>) -> Answer {
    // A move from the book is still searched, for its score and the reports.
    let book = handicap.book_move(line).filter(|_| limits.moves.is_empty() && limits.lines <= 1);
    let moves = book.map_or_else(|| limits.moves.clone(), |mv| vec![mv]);
    let limits = &Limits { moves, ..limits.clone() };
    let (nodes, visibility) = handicap.search(line);
    let nodes = limits.nodes.map_or(nodes, |most| most.min(nodes));
    let table = Table::new(Handicap::table_mb(nodes));
    let task = Task {
        line,
        limits,
        nodes: Some(nodes),
        visibility,
        network: None,
        margins: &Margins::HAND_WRITTEN,
    };
    search(&task, &table, &mut [Histories::new()], io)
}

fn search(task: &Task<'_>, table: &Table, histories: &mut [Histories], io: SearchIo<'_>) -> Answer {
    let SearchIo { clock, signals, sink } = io;
    let position = task.line.position();
    let root_moves = root_moves(task);
    if root_moves.is_empty() {
        let mate = Score::Mate(0);
        let score = if position.is_check() { mate } else { Score::Centipawns(0) };
        return Answer { mv: None, ponder: None, score, nodes: 0 };
    }
    let start = clock();
    let elapsed = move || clock().saturating_sub(start);
    let shared = SharedSearch {
        table,
        limits: task.limits,
        max_nodes: task.nodes,
        budget: task.limits.budget(position.turn()),
        elapsed: &elapsed,
        stop: &signals.stop,
        pondering: &signals.pondering,
        halt: AtomicBool::new(false),
        nodes: (0..histories.len()).map(|_| AtomicU64::new(0)).collect(),
        network: task.network,
        margins: task.margins,
        visibility: task.visibility,
    };
    let results = run(&shared, histories, task.line, &root_moves, sink);
    let best = best_thread(&results);
    Answer {
        mv: Some(best.mv),
        ponder: best.line.get(1).copied(),
        score: Score::from_value(best.known_value()),
        nodes: shared.total_nodes(),
    }
}

/// Returns the maximum number of threads: one in a browser, where this code cannot start others.
const fn most_threads() -> usize {
    if cfg!(target_family = "wasm") { 1 } else { Options::THREADS[1] }
}

/// The result of one thread: the depth it reached and its best root move.
struct ThreadResult {
    depth: i32,
    root: RootMove,
}

/// Runs the search on every thread: the first on the calling thread, the others beside it.
fn run(
    shared: &SharedSearch<'_>,
    histories: &mut [Histories],
    line: &Line,
    root_moves: &[RootMove],
    sink: &mut dyn FnMut(&Report),
) -> Vec<ThreadResult> {
    let work = |index: usize, histories: &mut Histories, sink: &mut dyn FnMut(&Report)| {
        let positions = line.positions();
        let mut worker = Worker::new(shared, histories, index, positions, root_moves.to_vec());
        worker.deepen(line.position(), sink);
        let root = worker.root_moves.swap_remove(0);
        ThreadResult { depth: worker.root_depth, root }
    };
    let Some((first, others)) = histories.split_first_mut() else { return Vec::new() };
    if others.is_empty() {
        return vec![work(0, first, sink)];
    }
    std::thread::scope(|scope| {
        let work = &work;
        let handles: Vec<_> = others
            .iter_mut()
            .enumerate()
            .filter_map(|(index, histories)| {
                let search = move || work(index + 1, histories, &mut |_: &Report| {});
                // If the system cannot start more threads, the search runs with those it has.
                Builder::new().spawn_scoped(scope, search).ok()
            })
            .collect();
        let mut results = vec![work(0, first, sink)];
        // Results of panicked threads are skipped; the first thread's result is always there.
        results.extend(handles.into_iter().filter_map(|handle| handle.join().ok()));
        results
    })
}

/// Returns the first thread's move, unless another thread has searched deeper and scores its own
/// move higher.
fn best_thread(results: &[ThreadResult]) -> &RootMove {
    let mut best = &results[0];
    for found in &results[1..] {
        let is_better = found.depth > best.depth && found.root.value > best.root.value
            || found.depth == best.depth && found.root.value > best.root.value + 1
            || is_sooner_mate(found.root.value, best.root.value);
        if is_better && found.root.value > -Value::from(i16::MAX) {
            best = found;
        }
    }
    &best.root
}

fn is_sooner_mate(value: Value, other: Value) -> bool {
    value >= crate::score::MATE_BOUND && value > other
}

/// Returns the moves to choose from: all legal moves, or those named by the limits, reduced to
/// those that a level sees.
fn root_moves(task: &Task<'_>) -> Vec<RootMove> {
    let position = task.line.position();
    let named = &task.limits.moves;
    let legal = position.legal_moves();
    let is_allowed = |mv: &Move| named.is_empty() || named.contains(mv);
    let allowed: Vec<Move> = legal.iter().copied().filter(is_allowed).collect();
    let seen = match task.visibility {
        Some(visibility) => visibility.seen_at_root(position, &allowed),
        None => allowed,
    };
    seen.into_iter().map(RootMove::new).collect()
}

const _: () = assert!(MAX_PLY < i16::MAX as usize);
