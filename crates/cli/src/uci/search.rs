//! A search: a thread that runs one `go` command and reports its results.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use castellan_engine::{self as engine, Engine, Limits, ScoreBound, Signals, TimeLeft};
use castellan_rules::{CastlingSpelling, Color, Line, Move, UciMove};
use castellan_uci::{BestMove, EngineReply, Go, Report, Score, WinDrawLoss};

use crate::uci::options::UciSettings;

/// Enough stack for the deepest search in the slowest build.
const STACK_BYTES: usize = 16 << 20;
/// How often a finished search that may not reply yet checks whether it may.
const REPLY_POLL: Duration = Duration::from_millis(1);

/// A search that has been started.
pub(super) struct Search<'scope> {
    pub(super) signals: Arc<Signals>,
    is_done: Arc<AtomicBool>,
    handle: ScopedJoinHandle<'scope, Engine>,
}

impl<'scope> Search<'scope> {
    /// Starts a search. Fails if no thread can be created.
    pub(super) fn start(
        scope: &'scope Scope<'scope, '_>,
        mut engine: Engine,
        line: Line,
        go: &Go,
        settings: &UciSettings,
        send: impl Fn(EngineReply) + Send + 'scope,
    ) -> Result<Search<'scope>, String> {
        let started = Instant::now();
        let limits = limits(go, &line, settings);
        let spelling = spelling(&line, settings);
        let (shows_wdl, waits) = (settings.shows_wdl, is_endless(go));
        let signals = Arc::new(Signals::default());
        signals.pondering.store(go.is_ponder, Ordering::Relaxed);
        let is_done = Arc::new(AtomicBool::new(false));
        let (ours, done) = (Arc::clone(&signals), Arc::clone(&is_done));
        let think = move || {
            let clock = || started.elapsed();
            let answer = engine.go(&line, &limits, &clock, &ours, &mut |report| {
                send(EngineReply::Info(Box::new(to_uci(report, spelling, shows_wdl))));
            });
            // A search without a limit replies only after `stop`, and a ponder search after
            // `stop` or `ponderhit`.
            while (waits || ours.pondering.load(Ordering::Relaxed))
                && !ours.stop.load(Ordering::Relaxed)
            {
                std::thread::sleep(REPLY_POLL);
            }
            let spell = |mv: Move| UciMove::from_move(mv, spelling);
            let best = BestMove { mv: answer.mv.map(spell), ponder: answer.ponder.map(spell) };
            done.store(true, Ordering::Release);
            send(EngineReply::BestMove(best));
            engine
        };
        let handle = Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, think)
            .map_err(|error| format!("cannot start the search: {error}"))?;
        Ok(Search { signals, is_done, handle })
    }

    /// Returns whether the search is done; its `bestmove` is sent right after that.
    pub(super) fn is_done(&self) -> bool {
        self.is_done.load(Ordering::Acquire)
    }

    /// Waits for the search to end and returns the engine; `None` if the search panicked.
    pub(super) fn into_engine(self) -> Option<Engine> {
        self.handle.join().ok()
    }
}

/// Returns whether only `stop` ends the search.
fn is_endless(go: &Go) -> bool {
    let is_limited = go.depth.is_some()
        || go.nodes.is_some()
        || go.mate.is_some()
        || go.move_time.is_some()
        || go.white_time.is_some()
        || go.black_time.is_some();
    go.is_infinite || !is_limited
}

fn spelling(line: &Line, settings: &UciSettings) -> CastlingSpelling {
    CastlingSpelling::for_game(settings.is_chess960 || line.position().is_chess960())
}

fn limits(go: &Go, line: &Line, settings: &UciSettings) -> Limits {
    let clocks = Color::ALL.map(|color| {
        let remaining = go.time(color)?;
        Some(TimeLeft { remaining, increment: go.increment(color).unwrap_or_default() })
    });
    let legal = |mv: &UciMove| mv.resolve(line.position()).ok();
    Limits {
        depth: go.depth,
        nodes: go.nodes,
        soft_nodes: None,
        mate: go.mate,
        move_time: go.move_time,
        clocks: if go.is_infinite { [None; 2] } else { clocks },
        moves_to_go: go.moves_to_go,
        moves: go.search_moves.iter().filter_map(legal).collect(),
        lines: settings.lines,
        overhead: settings.overhead,
        handicap: settings.handicap(),
    }
}

/// Converts a report of the engine to an `info` line.
fn to_uci(report: &engine::Report, spelling: CastlingSpelling, shows_wdl: bool) -> Report {
    let score = match report.score {
        engine::Score::Centipawns(value) => Score::centipawns(value),
        engine::Score::Mate(moves) => Score::mate(moves),
    };
    let score = match report.bound {
        ScoreBound::Exact => score,
        ScoreBound::Lower => score.lower(),
        ScoreBound::Upper => score.upper(),
    };
    let [win, draw, loss] = report.score.chances().map(|chance| chance as u16);
    let seconds = report.time.as_secs_f64().max(1e-3);
    Report {
        depth: Some(report.depth),
        selective_depth: Some(report.selective_depth),
        multi_pv: Some(report.rank as u32),
        score: Some(score),
        win_draw_loss: shows_wdl.then_some(WinDrawLoss { win, draw, loss }),
        nodes: Some(report.nodes),
        nodes_per_second: Some((report.nodes as f64 / seconds) as u64),
        hash_full: Some(report.fullness_permille),
        time: Some(report.time),
        pv: report.line.iter().map(|&mv| UciMove::from_move(mv, spelling)).collect(),
        ..Report::default()
    }
}
