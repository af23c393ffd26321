//! The engine: a move at a level, or the best move.
//!
//! This module holds the engine and defines the form of its reports. A search cannot be
//! interrupted from outside; to stop it, the page terminates the worker that it runs in.

use core::time::Duration;
use std::collections::BTreeMap;

use castellan_engine::{
    Engine, Handicap, Level, Limits, Options, Report, Score, Signals, TimeLeft, embedded_network,
};
use castellan_rules::{CastlingSpelling, Color, Line, Move, UciMove, san};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::World;
use crate::desk::{Answer, Failure, told};
use crate::position::parse_line;

/// The engine, created when it is first needed.
#[derive(Default)]
pub(crate) struct Thinker {
    engine: Option<Engine>,
}

/// A request to search a position.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Task {
    start: String,
    moves: Vec<String>,
    /// Whether castling is written in Chess960 notation.
    #[serde(default)]
    is_chess960: bool,
    /// Level from 400 to 2800; `None` for full strength.
    level: Option<u16>,
    #[serde(default)]
    seed: u64,
    move_time_ms: Option<u64>,
    depth: Option<u32>,
    /// Maximum number of positions to search.
    nodes: Option<u64>,
    clock: Option<ClockLeft>,
    #[serde(default)]
    lines: usize,
    /// Whether each deeper line is sent as soon as it is found.
    #[serde(default)]
    is_telling: bool,
}

/// A draw offered to the computer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
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
struct ClockLeft {
    remaining_ms: u64,
    increment_ms: u64,
}

impl Thinker {
    /// Returns whether the computer accepts a draw.
    pub(crate) fn consider_draw(&mut self, offer: &DrawOffer, world: &dyn World) -> Answer {
        let line = parse_line(&offer.start, &offer.moves)?;
        let color = if offer.is_white { Color::White } else { Color::Black };
        let level = offer.level.map(parse_level).transpose()?;
        let clock = || now(world);
        let engine = self.engine();
        told(engine.accepts_draw(&line, color, level, &clock, &Signals::default()))
    }

    fn engine(&mut self) -> &mut Engine {
        self.engine.get_or_insert_with(new_engine)
    }

    pub(crate) fn think(&mut self, task: &Task, world: &dyn World) -> Answer {
        let line = parse_line(&task.start, &task.moves)?;
        let castling =
            CastlingSpelling::of_chess960(task.is_chess960 || line.start().is_chess960());
        let uci = |mv| UciMove::from_move(mv, castling).to_string();
        let limits = limits(task, line.turn())?;
        let engine = self.engine();
        let clock = || now(world);
        let mut found: BTreeMap<usize, Report> = BTreeMap::new();
        let answer = engine.go(&line, &limits, &clock, &Signals::default(), &mut |report| {
            if task.is_telling {
                world.tell(&shown(&line, report, castling).to_string());
            }
            found.insert(report.rank, report.clone());
        });
        let best = found.get(&1).map(|report| report.line.as_slice()).unwrap_or_default();
        told(json!({
            "move": answer.mv.map(uci),
            "san": answer.mv.map(|mv| san::write(line.position(), mv)),
            "score": score(answer.score, line.turn()),
            "nodes": answer.nodes,
            "line": sans(&line, best),
            "lines": found.values().map(|report| shown(&line, report, castling)).collect::<Vec<_>>(),
        }))
    }
}

fn now(world: &dyn World) -> Duration {
    Duration::from_secs_f64(world.now_ms().max(0.0) / 1000.0)
}

fn parse_level(points: u16) -> Result<Level, Failure> {
    Level::new(points).ok_or_else(|| Failure::new("bad_level", format!("{points} is not a level")))
}

fn new_engine() -> Engine {
    let mut engine = Engine::new(Options { hash_mb: 32, threads: 1 });
    engine.set_network(embedded_network());
    engine
}

fn limits(task: &Task, turn: Color) -> Result<Limits, Failure> {
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
        lines: task.lines.min(5),
        overhead: Duration::from_millis(40),
        handicap,
        ..Limits::default()
    })
}

/// Returns the view of a report.
fn shown(line: &Line, report: &Report, castling: CastlingSpelling) -> Value {
    let uci = |mv: &Move| UciMove::from_move(*mv, castling).to_string();
    json!({
        "depth": report.depth,
        "rank": report.rank,
        "score": score(report.score, line.turn()),
        "nodes": report.nodes,
        "moves": report.line.iter().map(uci).collect::<Vec<_>>(),
        "line": sans(line, &report.line),
    })
}

/// Returns the score from White's point of view.
fn score(score: Score, turn: Color) -> Value {
    let sign = turn.fold(1, -1);
    match score {
        Score::Centipawns(value) => json!({ "cp": sign * value }),
        Score::Mate(moves) => json!({ "mate": sign * moves }),
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
