//! Searches by external engines: a request in, and a stream of JSON lines out until the search
//! ends.
//!
//! Each line is `{"told": …}` for progress, and the last one is `{"thought": …}` or
//! `{"error": …}`. If the client disconnects, the search ends. Scores are from White's point of
//! view.

use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;
use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use castellan_protocol::ServerCode;
use castellan_rules::{CastlingSpelling, Color, Line, Move, Position, UciMove, san};
use castellan_uci::{DriverError, Go, Report, Score, ScoreValue, SearchEvent};
use futures_util::Stream;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::spawn_blocking;

use super::engine_list::ExternalEngine;
use super::engine_pool::{RunningEngine, set_near, set_strength, start};
use super::{EngineError, Owner, local};
use crate::error::ApiError;
use crate::extract::{JsonBody, Segment};
use crate::state::{AppState, Services};

/// Maximum size of a request in bytes. A long game has thousands of moves.
const REQUEST_BYTES: usize = 64 * 1024;
/// Maximum time of a search.
const LONGEST: Duration = Duration::from_secs(180);
/// Default time of a search.
const USUAL: Duration = Duration::from_secs(2);
/// Maximum number of queued lines. A slow client misses some.
const QUEUE: usize = 64;
/// Interval at which the search checks whether the client is still connected.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
const MAX_LINES: i64 = 5;
const MAX_DEPTH: u32 = 100;
/// Maximum number of moves reported from a line.
const MAX_TOLD_MOVES: usize = 30;

/// What to search, and for how long.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchRequest {
    start: String,
    moves: Vec<String>,
    /// `true` if castling is written as in Chess960.
    #[serde(default)]
    is_chess960: bool,
    /// Elo rating to which the engine is limited, if it supports that. `None` for full strength.
    elo: Option<i64>,
    move_time_ms: Option<u64>,
    depth: Option<u32>,
    clock: Option<ClockLeft>,
    #[serde(default)]
    lines: i64,
    #[serde(default)]
    is_telling: bool,
}

/// The clock of the side to move.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClockLeft {
    remaining_ms: u64,
    increment_ms: u64,
}

/// Starts a search.
pub(super) async fn start_search(
    _: Owner,
    State(state): State<AppState>,
    Segment(id): Segment,
    JsonBody(request): JsonBody<SearchRequest, REQUEST_BYTES>,
) -> Result<Response, ApiError> {
    let id = id.parse().map_err(|_| EngineError::Unknown)?;
    let engine = local(&state)?.engines.get(id).ok_or(EngineError::Unknown)?;
    let line = read_line(&request)?;
    let (lines, told) = channel(QUEUE);
    let services = Arc::clone(&state.services);
    drop(spawn_blocking(move || run(&services, &engine, &Search { request, line, lines })));
    let body = Body::from_stream(Lines(told));
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], body).into_response())
}

fn read_line(request: &SearchRequest) -> Result<Line, EngineError> {
    let refuse = |why: String| EngineError::Position(why);
    let start = Position::from_fen(&request.start).map_err(|error| refuse(error.to_string()))?;
    let mut line = Line::new(start);
    for text in &request.moves {
        let read = UciMove::parse(text).map_err(|error| refuse(error.to_string()))?;
        let mv = read.resolve(line.position()).map_err(|error| refuse(error.to_string()))?;
        line.play(mv).map_err(|error| refuse(error.to_string()))?;
    }
    Ok(line)
}

/// The response body: one line for each message of the search.
struct Lines(Receiver<String>);

impl Stream for Lines {
    type Item = Result<Bytes, core::convert::Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|line| line.map(|line| Ok(Bytes::from(line + "\n"))))
    }
}

struct Search {
    request: SearchRequest,
    line: Line,
    lines: Sender<String>,
}

/// Gets or starts the engine, runs the search, and keeps the engine for the next one if it is
/// alive.
fn run(services: &Services, engine: &ExternalEngine, search: &Search) {
    let Some(local) = &services.local else { return };
    let running = match local.pool.take(engine.id) {
        Some(running) => Ok(running),
        None => match local.pool.permit() {
            Some(permit) => start(&engine.path, permit).map_err(|error| failure(&error)),
            None => Err(failure_line(ServerCode::EngineBusy, ServerCode::EngineBusy.message())),
        },
    };
    let result = running.and_then(|mut running| {
        let thought = search.think(&mut running, || local.pool.is_closing());
        let is_well = running.driver.is_alive();
        if is_well {
            local.pool.put(engine.id, running);
        }
        thought.map_err(|error| failure(&error))
    });
    let last = result.map_or_else(|failure| failure, |thought| json!({ "thought": thought }));
    // A client that has disconnected does not need the result.
    let _ = search.lines.blocking_send(last.to_string());
}

/// Returns the response for a failed search. Chess960 is the only required option that an engine
/// may lack.
fn failure(error: &DriverError) -> Value {
    let code = match error {
        DriverError::UnknownOption { .. } => ServerCode::EngineNoChess960,
        _ => ServerCode::EngineFailed,
    };
    failure_line(code, &error.to_string())
}

fn failure_line(code: ServerCode, words: &str) -> Value {
    json!({ "error": { "code": code.code(), "words": words } })
}

impl Search {
    fn think(
        &self,
        running: &mut RunningEngine,
        is_closing: impl Fn() -> bool,
    ) -> Result<Value, DriverError> {
        let driver = &mut running.driver;
        set_near(driver, "MultiPV", self.request.lines.clamp(1, MAX_LINES))?;
        set_strength(driver, self.request.elo)?;
        driver.set_chess960(self.is_chess960())?;
        driver.ready()?;
        let (go, limit) = self.limits();
        driver.begin(&self.line, &go)?;
        let end = Instant::now() + limit;
        let mut best = Report::default();
        let answer = loop {
            if self.lines.is_closed() || is_closing() || Instant::now() > end {
                break driver.stop()?;
            }
            match driver.next_event(POLL_INTERVAL)? {
                Some(SearchEvent::Report(report)) => self.hear(*report, &mut best),
                Some(SearchEvent::Finished(answer)) => break answer,
                None => {}
            }
        };
        Ok(json!({
            "move": answer.mv.map(|mv| self.uci(mv)),
            "san": answer.mv.map(|mv| san::write(self.line.position(), mv)),
            "score": best.score.map(|score| white_score(score, self.line.turn())),
            "nodes": best.nodes.unwrap_or(0),
            "line": self.moves(&best).0,
        }))
    }

    /// Returns the limits for the engine, and the time after which it is stopped in any case.
    fn limits(&self) -> (Go, Duration) {
        let request = &self.request;
        let mut go = Go { depth: request.depth.map(|depth| depth.min(MAX_DEPTH)), ..Go::default() };
        if let Some(clock) = &request.clock {
            let left = Some(Duration::from_millis(clock.remaining_ms));
            let step = Some(Duration::from_millis(clock.increment_ms));
            // The request does not contain the other clock, so assume that it is equal.
            (go.white_time, go.black_time) = (left, left);
            (go.white_increment, go.black_increment) = (step, step);
        } else if request.move_time_ms.is_some() || go.depth.is_none() {
            let wished = request.move_time_ms.map_or(USUAL, Duration::from_millis);
            go.move_time = Some(wished.min(LONGEST));
        }
        let limit = go.move_time.map_or(LONGEST, |time| time + Duration::from_secs(1));
        (go, limit.min(LONGEST))
    }

    fn hear(&self, report: Report, best: &mut Report) {
        if report.pv.is_empty() {
            return;
        }
        if self.request.is_telling {
            let (line, moves) = self.moves(&report);
            let told = json!({ "told": {
                "depth": report.depth,
                "rank": report.multi_pv.unwrap_or(1),
                "score": report.score.map(|score| white_score(score, self.line.turn())),
                "nodes": report.nodes.unwrap_or(0),
                "moves": moves,
                "line": line,
            } });
            // A slow client misses some lines.
            let _ = self.lines.try_send(told.to_string());
        }
        if report.multi_pv.unwrap_or(1) == 1 {
            *best = report;
        }
    }

    /// Returns the line of a report in SAN and in UCI notation, up to the first illegal move.
    fn moves(&self, report: &Report) -> (Vec<String>, Vec<String>) {
        let mut position = *self.line.position();
        let mut written = (Vec::new(), Vec::new());
        for said in report.pv.iter().take(MAX_TOLD_MOVES) {
            let Ok(mv) = said.resolve(&position) else { break };
            let Ok(next) = position.play(mv) else { break };
            written.0.push(san::write(&position, mv));
            written.1.push(self.uci(mv));
            position = next;
        }
        written
    }

    fn is_chess960(&self) -> bool {
        self.request.is_chess960 || self.line.start().is_chess960()
    }

    fn uci(&self, mv: Move) -> String {
        UciMove::from_move(mv, CastlingSpelling::for_game(self.is_chess960())).to_string()
    }
}

/// Returns a score from White's point of view.
fn white_score(score: Score, turn: Color) -> Value {
    let sign = turn.fold(1, -1);
    match score.value {
        ScoreValue::Centipawns(value) => json!({ "cp": sign * value }),
        ScoreValue::Mate(moves) => json!({ "mate": sign * moves }),
    }
}
