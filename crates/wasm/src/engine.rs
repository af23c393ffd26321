//! The engine: a move at a level, or the best move.
//!
//! This module holds the engine and defines the form of its reports. A search cannot be
//! interrupted from outside; to stop it, the page terminates the worker that it runs in.

use core::time::Duration;
use std::collections::BTreeMap;

use castellan_engine::{
    Engine, Handicap, Level, Limits, Options, Report, Score, ScoreBound, Signals, TimeLeft,
    embedded_network,
};
use castellan_rules::{CastlingSpelling, Color, Line, Move, UciMove, san};
use serde::{Deserialize, Serialize};

use crate::api::Host;
use crate::error::{ApiError, ErrorCode};
use crate::position::parse_line;

/// The engine, created when it is first needed.
#[derive(Default)]
pub(crate) struct EngineHandle {
    engine: Option<Engine>,
}

/// A request to search a position.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct ThinkTask {
    start: String,
    moves: Vec<String>,
    /// Whether castling is written in Chess960 notation.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    is_chess960: bool,
    /// Level from 400 to 2800; `None` for full strength.
    level: Option<u16>,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    seed: u64,
    #[cfg_attr(feature = "typescript", ts(optional, type = "number | null"))]
    move_time_ms: Option<u64>,
    /// Maximum number of positions to search.
    #[cfg_attr(feature = "typescript", ts(optional, type = "number | null"))]
    nodes: Option<u64>,
    clock: Option<ClockLeft>,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<usize>"))]
    lines: usize,
    /// Whether to report each line as it is found.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    is_telling: bool,
}

/// A draw offered to the computer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct DrawOffer {
    start: String,
    moves: Vec<String>,
    /// Whether the computer plays White.
    is_white: bool,
    /// Level from 400 to 2800; `None` for full strength.
    level: Option<u16>,
}

/// The clock of the side to move.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct ClockLeft {
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    remaining_ms: u64,
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    increment_ms: u64,
}

/// The result of a search.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Thought {
    /// The best move, in UCI; `null` if there is none.
    #[serde(rename = "move")]
    mv: Option<String>,
    san: Option<String>,
    score: ScoreView,
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    nodes: u64,
    /// The best line, in SAN.
    line: Vec<String>,
    lines: Vec<ThoughtLine>,
}

/// A line that the engine found.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct ThoughtLine {
    depth: u32,
    /// 1 for the best line.
    rank: usize,
    score: ScoreView,
    /// The moves in UCI, and in SAN.
    moves: Vec<String>,
    line: Vec<String>,
}

/// A line found by a search that is still running.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct ThoughtReport {
    #[serde(flatten)]
    line: ThoughtLine,
    /// Positions searched so far, and the time that took.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    nodes: u64,
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    time_ms: u64,
}

/// A score from White's point of view: centipawns, or mate in so many moves.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(rename = "Score"))]
enum ScoreView {
    Cp(i32),
    Mate(i32),
}

impl EngineHandle {
    /// Returns whether the computer accepts a draw.
    pub(crate) fn consider_draw(
        &mut self,
        offer: &DrawOffer,
        host: &dyn Host,
    ) -> Result<bool, ApiError> {
        let line = parse_line(&offer.start, &offer.moves)?;
        let color = if offer.is_white { Color::White } else { Color::Black };
        let level = offer.level.map(parse_level).transpose()?;
        let clock = || now(host);
        let engine = self.engine();
        Ok(engine.accepts_draw(&line, color, level, &clock, &Signals::default()))
    }

    pub(crate) fn engine(&mut self) -> &mut Engine {
        self.engine.get_or_insert_with(new_engine)
    }

    pub(crate) fn think(&mut self, task: &ThinkTask, host: &dyn Host) -> Result<Thought, ApiError> {
        let line = parse_line(&task.start, &task.moves)?;
        let castling = CastlingSpelling::for_game(task.is_chess960 || line.start().is_chess960());
        let uci = |mv| UciMove::from_move(mv, castling).to_string();
        let limits = limits(task, line.turn())?;
        let engine = self.engine();
        let clock = || now(host);
        let mut found: BTreeMap<usize, Report> = BTreeMap::new();
        let answer = engine.go(&line, &limits, &clock, &Signals::default(), &mut |report| {
            if task.is_telling && report.bound == ScoreBound::Exact {
                tell(&line, report, castling, host);
            }
            found.insert(report.rank, report.clone());
        });
        let best = found.get(&1).map(|report| report.line.as_slice()).unwrap_or_default();
        Ok(Thought {
            mv: answer.mv.map(uci),
            san: answer.mv.map(|mv| san::write(line.position(), mv)),
            score: score(answer.score, line.turn()),
            nodes: answer.nodes,
            line: sans(&line, best),
            lines: found.values().map(|report| line_view(&line, report, castling)).collect(),
        })
    }
}

/// Sends a line to the page while the search goes on.
fn tell(line: &Line, report: &Report, castling: CastlingSpelling, host: &dyn Host) {
    let report = ThoughtReport {
        line: line_view(line, report, castling),
        nodes: report.nodes,
        time_ms: u64::try_from(report.time.as_millis()).unwrap_or(u64::MAX),
    };
    if let Ok(text) = serde_json::to_string(&report) {
        host.tell(&text);
    }
}

fn now(host: &dyn Host) -> Duration {
    Duration::from_secs_f64(host.now_ms().max(0.0) / 1000.0)
}

fn parse_level(points: u16) -> Result<Level, ApiError> {
    Level::new(points)
        .ok_or_else(|| ApiError::new(ErrorCode::BadLevel, format!("{points} is not a level")))
}

fn new_engine() -> Engine {
    let mut engine = Engine::new(Options { hash_mb: 32, threads: 1 });
    engine.set_network(embedded_network());
    engine
}

fn limits(task: &ThinkTask, turn: Color) -> Result<Limits, ApiError> {
    let handicap = match task.level {
        Some(points) => Some(Handicap { level: parse_level(points)?, seed: task.seed }),
        None => None,
    };
    let mut clocks = [None; 2];
    clocks[turn.index()] = task.clock.as_ref().map(|clock| TimeLeft {
        remaining: Duration::from_millis(clock.remaining_ms),
        increment: Duration::from_millis(clock.increment_ms),
    });
    Ok(Limits {
        nodes: task.nodes,
        move_time: task.move_time_ms.map(Duration::from_millis),
        clocks,
        lines: task.lines.min(5),
        overhead: Duration::from_millis(40),
        handicap,
        ..Limits::default()
    })
}

/// Returns the view of a report.
fn line_view(line: &Line, report: &Report, castling: CastlingSpelling) -> ThoughtLine {
    let uci = |mv: &Move| UciMove::from_move(*mv, castling).to_string();
    ThoughtLine {
        depth: report.depth,
        rank: report.rank,
        score: score(report.score, line.turn()),
        moves: report.line.iter().map(uci).collect(),
        line: sans(line, &report.line),
    }
}

/// Returns the score from White's point of view.
fn score(score: Score, turn: Color) -> ScoreView {
    let sign = turn.fold(1, -1);
    match score {
        Score::Centipawns(value) => ScoreView::Cp(sign * value),
        Score::Mate(moves) => ScoreView::Mate(sign * moves),
    }
}

/// Returns a line of moves in SAN.
fn sans(line: &Line, moves: &[Move]) -> Vec<String> {
    let mut position = *line.position();
    let mut written = Vec::new();
    for &mv in moves {
        let Ok(next) = position.play(mv) else { break };
        written.push(san::write(&position, mv));
        position = next;
    }
    written
}
