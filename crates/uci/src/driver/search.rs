//! Letting an engine think.

use std::time::{Duration, Instant};

use castellan_rules::{Line, Move};

use super::{Awaited, Driver, DriverError, Searching};
use crate::{BestMove, EngineReply, Go, GuiCommand, PositionCommand, Report};

/// The end of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The move, which is legal; none only where there is no legal move.
    pub mv: Option<Move>,
    /// What the engine said.
    pub best: BestMove,
    /// From when it was told to when it had answered.
    pub time: Duration,
}

/// What happens during a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchEvent {
    /// It tells how it goes.
    Report(Box<Report>),
    /// It is over.
    Answer(Answer),
}

impl Driver {
    /// Begins to think about the end of a line.
    pub fn begin(&mut self, line: &Line, go: &Go) -> Result<(), DriverError> {
        if self.searching.is_some() {
            return Err(DriverError::Busy);
        }
        self.say(&GuiCommand::Position(PositionCommand::from_line(line, self.castling)))?;
        let go = GuiCommand::Go(Box::new(go.clone()));
        self.searching = Some(Searching { since: Instant::now(), position: *line.position() });
        self.say(&go)
    }

    /// The next thing that happens in the search, or nothing if nothing happens for so long.
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

    /// Says that the move it ponders on was played.
    pub fn ponder_hit(&mut self) -> Result<(), DriverError> {
        if self.searching.is_none() {
            return Err(DriverError::Idle);
        }
        self.say(&GuiCommand::PonderHit)
    }

    /// Ends the search. An engine that does not answer is killed.
    pub fn stop(&mut self) -> Result<Answer, DriverError> {
        if self.searching.is_none() {
            return Err(DriverError::Idle);
        }
        let stopped = self.say(&GuiCommand::Stop).and_then(|()| {
            let deadline = Instant::now() + self.patience.stop;
            self.answer_until(deadline, &mut |_| ())
        });
        let is_deaf = matches!(stopped, Err(DriverError::Silent { .. } | DriverError::NotReading));
        if is_deaf {
            self.process.kill();
        }
        stopped
    }

    /// Lets it think, no longer than the limit, and tells of its reports.
    ///
    /// After an [`Overtime`](DriverError::Overtime) that was stopped, after an illegal move and
    /// after one that could not be read, the engine can go on.
    pub fn search(
        &mut self,
        line: &Line,
        go: &Go,
        limit: Duration,
        mut report: impl FnMut(&Report),
    ) -> Result<Answer, DriverError> {
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

    fn answer_until(
        &mut self,
        deadline: Instant,
        report: &mut dyn FnMut(&Report),
    ) -> Result<Answer, DriverError> {
        loop {
            match self.event_until(deadline)? {
                SearchEvent::Report(news) => report(&news),
                SearchEvent::Answer(answer) => return Ok(answer),
            }
        }
    }

    fn event_until(&mut self, deadline: Instant) -> Result<SearchEvent, DriverError> {
        loop {
            let (reply, at) = self.reply(deadline, Awaited::BestMove)?;
            // What came before the question is no answer to it.
            if self.searching.as_ref().is_some_and(|searching| at < searching.since) {
                continue;
            }
            match reply {
                EngineReply::Info(report) => return Ok(SearchEvent::Report(report)),
                EngineReply::BestMove(best) => {
                    return self.judge(best, at).map(SearchEvent::Answer);
                }
                _ => {}
            }
        }
    }

    /// The answer that a move is, if it is legal.
    fn judge(&mut self, best: BestMove, at: Instant) -> Result<Answer, DriverError> {
        let Searching { since, position } = self.searching.take().ok_or(DriverError::Idle)?;
        let time = at.saturating_duration_since(since);
        match best.mv {
            Some(said) => match said.resolve(&position) {
                Ok(mv) => Ok(Answer { mv: Some(mv), best, time }),
                Err(_) if !position.has_legal_move() => Ok(Answer { mv: None, best, time }),
                Err(refusal) => Err(DriverError::IllegalMove { mv: said, refusal }),
            },
            None if position.has_legal_move() => Err(DriverError::NoMove),
            None => Ok(Answer { mv: None, best, time }),
        }
    }
}
