//! Searches by external engines: a request in, and a stream of JSON lines out until the search
//! ends.
//!
//! Each line is a [`SearchMessage`]: reports, and at the end a result or an error. If the client
//! disconnects, the search ends.

use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use castellan_protocol::{
    MAX_SEARCH_LINES, SearchError, SearchLine, SearchMessage, SearchReport, SearchResult,
    SearchScore, SearchTask, ServerCode,
};
use castellan_rules::{CastlingSpelling, Color, Line, Move, Position, UciMove, san};
use castellan_uci::{DriverError, Go, Report, Score, ScoreValue, SearchEvent};
use futures_util::Stream;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::spawn_blocking;

use super::engine_list::{EngineSetup, ExternalEngine};
use super::engine_pool::{RunningEngine, set_near, set_strength, start};
use super::{EngineError, Owner, local};
use crate::error::ApiError;
use crate::extract::{JsonBody, Segment};
use crate::state::{AppState, Services};

/// Maximum size of a request in bytes. A long game has thousands of moves.
const REQUEST_BYTES: usize = 64 * 1024;
/// Maximum time of a search. It ends sooner if the client disconnects.
const LONGEST: Duration = Duration::from_secs(3600);
/// Default time of a search.
const USUAL: Duration = Duration::from_secs(2);
/// Maximum number of queued lines. A slow client misses some.
const QUEUE: usize = 64;
/// Interval at which the search checks whether the client is still connected.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
const MAX_DEPTH: u32 = 100;
/// Maximum number of moves reported from a line.
const MAX_LINE_MOVES: usize = 30;

/// Starts a search.
pub(super) async fn start_search(
    _: Owner,
    State(state): State<AppState>,
    Segment(id): Segment,
    JsonBody(task): JsonBody<SearchTask, REQUEST_BYTES>,
) -> Result<Response, ApiError> {
    let id = id.parse().map_err(|_| EngineError::Unknown)?;
    let engine = local(&state)?.engine(id).ok_or(EngineError::Unknown)?;
    let line = read_line(&task)?;
    let (sender, messages) = channel(QUEUE);
    let services = Arc::clone(&state.services);
    drop(spawn_blocking(move || run(&services, &engine, &Search { task, line, sender })));
    let body = Body::from_stream(Lines(messages));
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], body).into_response())
}

fn read_line(task: &SearchTask) -> Result<Line, EngineError> {
    let refuse = |why: String| EngineError::Position(why);
    let start = Position::from_fen(&task.start).map_err(|error| refuse(error.to_string()))?;
    let mut line = Line::new(start);
    for text in &task.moves {
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
    task: SearchTask,
    line: Line,
    sender: Sender<String>,
}

/// Gets or starts the engine, runs the search, and keeps the engine for the next one if it is
/// alive.
fn run(services: &Services, engine: &ExternalEngine, search: &Search) {
    let Some(local) = &services.local else { return };
    let running = match local.pool.take(engine.id) {
        Some(running) => Ok(running),
        None => match local.pool.permit() {
            Some(permit) => start(&engine.setup, permit).map_err(|error| search_error(&error)),
            None => Err(refusal(ServerCode::EngineBusy, ServerCode::EngineBusy.message())),
        },
    };
    let result = running.and_then(|mut running| {
        let result = search.run(&mut running, &engine.setup, || local.pool.is_closing());
        let is_well = running.driver.is_alive();
        if is_well {
            local.pool.put(engine.id, running);
        }
        result.map_err(|error| search_error(&error))
    });
    let last = result.map_or_else(SearchMessage::Error, SearchMessage::Result);
    if let Ok(text) = serde_json::to_string(&last) {
        // A client that has disconnected does not need the result.
        let _ = search.sender.blocking_send(text);
    }
}

/// Returns the response for a failed search. Chess960 is the only required option that an engine
/// may lack.
fn search_error(error: &DriverError) -> SearchError {
    let code = match error {
        DriverError::UnknownOption { .. } => ServerCode::EngineNoChess960,
        _ => ServerCode::EngineFailed,
    };
    refusal(code, &error.to_string())
}

fn refusal(code: ServerCode, message: &str) -> SearchError {
    SearchError { code, message: message.to_owned() }
}

impl Search {
    fn run(
        &self,
        running: &mut RunningEngine,
        setup: &EngineSetup,
        is_closing: impl Fn() -> bool,
    ) -> Result<SearchResult, DriverError> {
        running.set_threads(setup, self.task.threads)?;
        let driver = &mut running.driver;
        set_near(driver, "MultiPV", self.task.lines.clamp(1, MAX_SEARCH_LINES).into())?;
        set_strength(driver, self.task.level.map(i64::from))?;
        driver.set_chess960(self.is_chess960())?;
        driver.ready()?;
        let (go, limit) = self.limits();
        driver.begin(&self.line, &go)?;
        let begin = Instant::now();
        let mut nodes = 0;
        let mut found = BTreeMap::new();
        let answer = loop {
            if self.sender.is_closed() || is_closing() || begin.elapsed() > limit {
                break driver.stop()?;
            }
            match driver.next_event(POLL_INTERVAL)? {
                Some(SearchEvent::Report(report)) => {
                    nodes = report.nodes.unwrap_or(nodes);
                    if let Some(line) = self.search_line(&report) {
                        self.send(&report, &line, begin.elapsed());
                        found.insert(line.rank, line);
                    }
                }
                Some(SearchEvent::Finished(answer)) => break answer,
                None => {}
            }
        };
        Ok(SearchResult {
            mv: answer.mv.map(|mv| self.uci(mv)),
            san: answer.mv.map(|mv| san::write(self.line.position(), mv)),
            score: found.get(&1).map(|line| line.score),
            nodes,
            lines: found.into_values().collect(),
        })
    }

    /// Returns the limits for the engine, and the time after which it is stopped in any case.
    fn limits(&self) -> (Go, Duration) {
        let task = &self.task;
        let depth = task.depth.map(|depth| depth.min(MAX_DEPTH));
        let mut go = Go { depth, nodes: task.nodes, ..Go::default() };
        if let Some(clock) = &task.clock {
            let left = Some(Duration::from_millis(clock.remaining_ms));
            let step = Some(Duration::from_millis(clock.increment_ms));
            // The request does not contain the other clock, so assume that it is equal.
            (go.white_time, go.black_time) = (left, left);
            (go.white_increment, go.black_increment) = (step, step);
        } else if task.move_time_ms.is_some() || (go.depth.is_none() && go.nodes.is_none()) {
            let wished = task.move_time_ms.map_or(USUAL, Duration::from_millis);
            go.move_time = Some(wished.min(LONGEST));
        }
        let limit = go.move_time.map_or(LONGEST, |time| time + Duration::from_secs(1));
        (go, limit.min(LONGEST))
    }

    /// Sends a report, if the client wants reports.
    fn send(&self, report: &Report, line: &SearchLine, elapsed: Duration) {
        if !self.task.wants_reports {
            return;
        }
        let time = report.time.unwrap_or(elapsed);
        let message = SearchMessage::Report(SearchReport {
            line: line.clone(),
            nodes: report.nodes.unwrap_or(0),
            time_ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
        });
        if let Ok(text) = serde_json::to_string(&message) {
            // A slow client misses some lines.
            let _ = self.sender.try_send(text);
        }
    }

    /// Returns the line of a report up to the first illegal move. `None` if the report has no moves
    /// or no score.
    fn search_line(&self, report: &Report) -> Option<SearchLine> {
        let mut position = *self.line.position();
        let (mut moves, mut line) = (Vec::new(), Vec::new());
        for said in report.pv.iter().take(MAX_LINE_MOVES) {
            let Ok(mv) = said.resolve(&position) else { break };
            let Ok(next) = position.play(mv) else { break };
            line.push(san::write(&position, mv));
            moves.push(self.uci(mv));
            position = next;
        }
        let score = white_score(report.score?, self.line.turn());
        let (depth, rank) = (report.depth.unwrap_or(0), report.multi_pv.unwrap_or(1));
        (!moves.is_empty()).then_some(SearchLine { depth, rank, score, moves, line })
    }

    fn is_chess960(&self) -> bool {
        self.task.is_chess960 || self.line.start().is_chess960()
    }

    fn uci(&self, mv: Move) -> String {
        UciMove::from_move(mv, CastlingSpelling::for_game(self.is_chess960())).to_string()
    }
}

/// Returns a score from White's point of view.
fn white_score(score: Score, turn: Color) -> SearchScore {
    let sign = turn.fold(1, -1);
    match score.value {
        ScoreValue::Centipawns(value) => SearchScore::Cp(sign * value),
        ScoreValue::Mate(moves) => SearchScore::Mate(sign * moves),
    }
}
