//! The engine: a move at a level, or the best move.
//!
//! This module runs the searches that the page asks for. A search cannot be
//! interrupted from outside; to stop it, the page terminates the worker that it runs in.

use core::time::Duration;
use std::collections::BTreeMap;

use castellan_engine::{
    Engine, Handicap, Level, Limits, Options, Report, Score, ScoreBound, Signals, TimeLeft,
    embedded_network,
};
use castellan_protocol::{
    MAX_SEARCH_LINES, SearchLine, SearchReport, SearchResult, SearchScore, SearchTask,
};
use castellan_rules::{CastlingSpelling, Color, Line, Move, UciMove, san};
use serde::Deserialize;

use crate::api::Host;
use crate::error::{ApiError, ErrorCode};
use crate::position::parse_line;

/// The engine, created when it is first needed.
#[derive(Default)]
pub(crate) struct EngineHandle {
    engine: Option<Engine>,
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

    /// Searches a position, and reports lines to the page meanwhile if it wants them.
    pub(crate) fn search(
        &mut self,
        task: &SearchTask,
        host: &dyn Host,
    ) -> Result<SearchResult, ApiError> {
        let line = parse_line(&task.start, &task.moves)?;
        let castling = CastlingSpelling::for_game(task.is_chess960 || line.start().is_chess960());
        let uci = |mv| UciMove::from_move(mv, castling).to_string();
        let limits = limits(task, line.turn())?;
        let engine = self.engine();
        let clock = || now(host);
        let mut found: BTreeMap<usize, Report> = BTreeMap::new();
        let answer = engine.go(&line, &limits, &clock, &Signals::default(), &mut |report| {
            if task.wants_reports && report.bound == ScoreBound::Exact {
                send_report(&line, report, castling, host);
            }
            found.insert(report.rank, report.clone());
        });
        Ok(SearchResult {
            mv: answer.mv.map(uci),
            san: answer.mv.map(|mv| san::write(line.position(), mv)),
            score: Some(white_score(answer.score, line.turn())),
            nodes: answer.nodes,
            lines: found.values().map(|report| search_line(&line, report, castling)).collect(),
        })
    }
}

/// Sends a line to the page while the search goes on.
fn send_report(line: &Line, report: &Report, castling: CastlingSpelling, host: &dyn Host) {
    let report = SearchReport {
        line: search_line(line, report, castling),
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

fn limits(task: &SearchTask, turn: Color) -> Result<Limits, ApiError> {
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
        depth: task.depth,
        nodes: task.nodes,
        move_time: task.move_time_ms.map(Duration::from_millis),
        clocks,
        lines: task.lines.min(MAX_SEARCH_LINES).into(),
        overhead: Duration::from_millis(40),
        handicap,
        ..Limits::default()
    })
}

/// Returns the line of a report, in both notations.
fn search_line(line: &Line, report: &Report, castling: CastlingSpelling) -> SearchLine {
    let uci = |mv: &Move| UciMove::from_move(*mv, castling).to_string();
    SearchLine {
        depth: report.depth,
        rank: u32::try_from(report.rank).unwrap_or(u32::MAX),
        score: white_score(report.score, line.turn()),
        moves: report.line.iter().map(uci).collect(),
        line: sans(line, &report.line),
    }
}

/// Returns the score from White's point of view.
fn white_score(score: Score, turn: Color) -> SearchScore {
    let sign = turn.fold(1, -1);
    match score {
        Score::Centipawns(value) => SearchScore::Cp(sign * value),
        Score::Mate(moves) => SearchScore::Mate(sign * moves),
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
