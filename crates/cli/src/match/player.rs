//! An engine in a match: started on demand, and restarted after a crash.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use castellan_rules::{Line, Move};
use castellan_uci::{Driver, DriverError, Go, Program, Report, Score, SearchEvent, Timeouts};

use super::ending::Fault;

/// One of the two engines of a match.
#[derive(Clone, Debug)]
pub(super) struct EngineConfig {
    pub(super) name: String,
    pub(super) program: Program,
    /// Options to set, which the engine must have.
    pub(super) options: Vec<(String, String)>,
    /// Options to set only if the engine has them.
    pub(super) usual_options: Vec<(String, String)>,
    pub(super) is_chess960: bool,
}

/// An engine process at one of the boards.
#[derive(Debug)]
pub(super) struct EnginePlayer<'a> {
    config: &'a EngineConfig,
    driver: Option<Driver>,
}

/// A move, and what the engine reported about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct EngineMove {
    pub(super) mv: Move,
    pub(super) time: Duration,
    /// The last score, from the point of view of the side to move.
    pub(super) score: Option<Score>,
    pub(super) depth: Option<u32>,
}

/// Why there is no move.
#[derive(Debug)]
pub(super) enum MoveFailure {
    /// The match was interrupted.
    Interrupted,
    /// The engine made an error and loses the game.
    Fault(Fault, String),
}

/// How often to check whether the match was interrupted.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

impl EngineConfig {
    /// Starts the engine and sets its options.
    pub(super) fn start(&self) -> anyhow::Result<Driver> {
        let start = || -> Result<Driver, DriverError> {
            let mut driver = Driver::start(&self.program, Timeouts::default())?;
            for (name, value) in &self.usual_options {
                let is_given =
                    self.options.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
                if !is_given && driver.option(name).is_some() {
                    driver.set_option(name, value)?;
                }
            }
            for (name, value) in &self.options {
                driver.set_option(name, value)?;
            }
            driver.set_chess960(self.is_chess960)?;
            driver.ready()?;
            Ok(driver)
        };
        start().with_context(|| format!("engine {}", self.program))
    }
}

impl<'a> EnginePlayer<'a> {
    pub(super) fn new(config: &'a EngineConfig) -> EnginePlayer<'a> {
        EnginePlayer { config, driver: None }
    }

    /// Prepares the engine for a new game, with a new process if the old one is gone. Fails if
    /// the engine cannot be started; an engine that does not become ready loses.
    pub(super) fn prepare(&mut self) -> anyhow::Result<Result<(), MoveFailure>> {
        if !self.driver.as_mut().is_some_and(Driver::is_alive) {
            self.driver = Some(self.config.start()?);
        }
        let ready = self.driver.as_mut().map_or(Ok(()), Driver::new_game);
        Ok(ready.map_err(|error| self.classify(&error)))
    }

    /// Lets the engine search the last position of a line.
    pub(super) fn think(
        &mut self,
        line: &Line,
        go: &Go,
        limit: Duration,
        is_over: &AtomicBool,
    ) -> Result<EngineMove, MoveFailure> {
        let Some(driver) = &mut self.driver else {
            return Err(MoveFailure::Fault(Fault::Crash, "the engine is not running".to_owned()));
        };
        let found = search(driver, line, go, limit, is_over);
        found.map_err(|failure| match failure {
            Failure::Interrupted => {
                self.driver = None;
                MoveFailure::Interrupted
            }
            Failure::Late(took) => self.stop(took, limit),
            Failure::Engine(error) => self.classify(&error),
        })
    }

    /// Stops an engine that has lost on time, unless its move has arrived by now. An engine that
    /// does not stop is restarted for the next game.
    fn stop(&mut self, took: Option<Duration>, limit: Duration) -> MoveFailure {
        let took = took.or_else(|| {
            let stopped = self.driver.as_mut()?.stop();
            stopped.ok().map(|answer| answer.time)
        });
        if self.driver.as_mut().is_some_and(|driver| !driver.is_alive()) {
            self.driver = None;
        }
        let limit = limit.as_secs_f64();
        let what = match took {
            Some(took) => {
                format!("no move within {limit:.3} s; it took {:.3} s", took.as_secs_f64())
            }
            None => format!("no move within {limit:.3} s"),
        };
        MoveFailure::Fault(Fault::TimeLoss, what)
    }

    /// Converts an engine error into the fault that loses the game.
    fn classify(&mut self, error: &DriverError) -> MoveFailure {
        let fault = match error {
            DriverError::IllegalMove { .. }
            | DriverError::UnreadableMove { .. }
            | DriverError::NoMove => Fault::IllegalMove,
            _ => {
                self.driver = None;
                Fault::Crash
            }
        };
        MoveFailure::Fault(fault, error.to_string())
    }
}

impl Drop for EnginePlayer<'_> {
    fn drop(&mut self) {
        if let Some(driver) = self.driver.take() {
            driver.quit();
        }
    }
}

/// Why a search produced no move.
enum Failure {
    Interrupted,
    /// The engine exceeded its limit. Contains the time it took, if its move has arrived.
    Late(Option<Duration>),
    Engine(DriverError),
}

fn search(
    driver: &mut Driver,
    line: &Line,
    go: &Go,
    limit: Duration,
    is_over: &AtomicBool,
) -> Result<EngineMove, Failure> {
    let begin = Instant::now();
    driver.begin(line, go).map_err(Failure::Engine)?;
    let (mut score, mut depth) = (None, None);
    loop {
        let left = limit.saturating_sub(begin.elapsed());
        let event = driver.next_event(left.min(POLL_INTERVAL)).map_err(Failure::Engine)?;
        let is_quiet = event.is_none();
        match event {
            Some(SearchEvent::Report(report)) if is_main(&report) => {
                score = report.score.or(score);
                depth = report.depth.or(depth);
            }
            Some(SearchEvent::Finished(answer)) => {
                let Some(mv) = answer.mv else {
                    return Err(Failure::Engine(DriverError::NoMove));
                };
                if answer.time > limit {
                    return Err(Failure::Late(Some(answer.time)));
                }
                return Ok(EngineMove { mv, time: answer.time, score, depth });
            }
            _ => {}
        }
        if is_over.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted);
        }
        // The engine is late only when no line is waiting to be read: we may be slow ourselves,
        // and what counts is when the move arrived.
        let timeout = if is_quiet { limit } else { limit + FLOOD_GRACE };
        if begin.elapsed() >= timeout {
            return Err(Failure::Late(None));
        }
    }
}

/// Extra time for an engine that sends so many lines that its move does not come through.
const FLOOD_GRACE: Duration = Duration::from_secs(1);

/// Returns whether a report is about the best line.
fn is_main(report: &Report) -> bool {
    report.multi_pv.is_none_or(|rank| rank == 1)
}
