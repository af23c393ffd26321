//! Searches with an engine.

use std::time::{Duration, Instant};

use castellan_rules::{Line, Move};

use super::{Driver, DriverError, ExpectedReply, Searching};
use crate::{BestMove, EngineReply, Go, GuiCommand, PositionCommand, Report};

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchResult {
    /// The move, which is legal; `None` only if there is no legal move.
    pub mv: Option<Move>,
    /// The engine's reply.
    pub best: BestMove,
    /// The time from the `go` command to the reply.
    pub time: Duration,
}

/// An event during a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchEvent {
    /// The engine reports its progress.
    Report(Box<Report>),
    /// The search has ended.
    Finished(SearchResult),
}

impl Driver {
    /// Starts a search of the last position of a line.
    pub fn begin(&mut self, line: &Line, go: &Go) -> Result<(), DriverError> {
        if self.searching.is_some() {
            return Err(DriverError::Busy);
        }
        self.send(&GuiCommand::Position(PositionCommand::from_line(line, self.castling)))?;
        let go = GuiCommand::Go(Box::new(go.clone()));
        self.searching = Some(Searching { since: Instant::now(), position: *line.position() });
        self.send(&go)
    }

    /// Waits for the next event of the search. Returns `None` if nothing happens within `wait`.
    pub fn next_event(&mut self, wait: Duration) -> Result<Option<SearchEvent>, DriverError> {
        if self.searching.is_none() {
            return Err(DriverError::Idle);
        }
        match self.event_until(Instant::now() + wait) {
            Ok(event) => Ok(Some(event)),
            Err(DriverError::Silent { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Tells the engine that the move it is pondering on was played.
    pub fn ponder_hit(&mut self) -> Result<(), DriverError> {
        if self.searching.is_none() {
            return Err(DriverError::Idle);
        }
        self.send(&GuiCommand::PonderHit)
    }

    /// Stops the search. An engine that does not reply is killed.
    pub fn stop(&mut self) -> Result<SearchResult, DriverError> {
        if self.searching.is_none() {
            return Err(DriverError::Idle);
        }
        let stopped = self.send(&GuiCommand::Stop).and_then(|()| {
            let deadline = Instant::now() + self.timeouts.stop;
            self.answer_until(deadline, &mut |_| ())
        });
        let is_unresponsive =
            matches!(stopped, Err(DriverError::Silent { .. } | DriverError::NotReading));
        if is_unresponsive {
            self.process.kill();
        }
        stopped
    }

    /// Searches for at most `limit`, and passes every report to `report`.
    ///
    /// The engine remains usable after an [`Overtime`](DriverError::Overtime) in which it obeyed
    /// `stop`, after an illegal move, and after a move that could not be parsed.
    pub fn search(
        &mut self,
        line: &Line,
        go: &Go,
        limit: Duration,
        mut report: impl FnMut(&Report),
    ) -> Result<SearchResult, DriverError> {
        self.begin(line, go)?;
        match self.answer_until(Instant::now() + limit, &mut report) {
            Err(DriverError::Silent { .. }) => {
                let is_stopped = match self.stop() {
                    Err(DriverError::Silent { .. } | DriverError::NotReading) => false,
                    Err(died @ DriverError::Died { .. }) => return Err(died),
                    _ => true,
                };
                Err(DriverError::Overtime { limit, is_stopped })
            }
            end => end,
        }
    }

    /// Passes reports on until the search has ended.
    fn answer_until(
        &mut self,
        deadline: Instant,
        report: &mut dyn FnMut(&Report),
    ) -> Result<SearchResult, DriverError> {
        loop {
            match self.event_until(deadline)? {
                SearchEvent::Report(progress) => report(&progress),
                SearchEvent::Finished(answer) => return Ok(answer),
            }
        }
    }

    fn event_until(&mut self, deadline: Instant) -> Result<SearchEvent, DriverError> {
        loop {
            let (reply, at) = self.reply(deadline, ExpectedReply::BestMove)?;
            // A reply that arrived before the search started does not belong to it.
            if self.searching.as_ref().is_some_and(|searching| at < searching.since) {
                continue;
            }
            match reply {
                EngineReply::Info(report) => return Ok(SearchEvent::Report(report)),
                EngineReply::BestMove(best) => {
                    return self.finish_search(best, at).map(SearchEvent::Finished);
                }
                _ => {}
            }
        }
    }

    /// Turns the engine's reply into a result, if its move is legal.
    fn finish_search(&mut self, best: BestMove, at: Instant) -> Result<SearchResult, DriverError> {
        let Searching { since, position } = self.searching.take().ok_or(DriverError::Idle)?;
        let time = at.saturating_duration_since(since);
        match best.mv {
            Some(uci_move) => match uci_move.resolve(&position) {
                Ok(mv) => Ok(SearchResult { mv: Some(mv), best, time }),
                Err(_) if !position.has_legal_move() => Ok(SearchResult { mv: None, best, time }),
                Err(reason) => Err(DriverError::IllegalMove { mv: uci_move, reason }),
            },
            None if position.has_legal_move() => Err(DriverError::NoMove),
            None => Ok(SearchResult { mv: None, best, time }),
        }
    }
}
