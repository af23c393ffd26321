//! Applies events to a game.
//!
//! This is the only place where a game changes. Events are facts: times and clocks are taken as
//! they were recorded, so that a later change to a rule does not rewrite old games. An event that
//! could not have happened is rejected before anything changes.

use castellan_rules::{Move, UciMove};

use super::{Game, MAX_GAME_PLIES, Played};
use crate::clock::Charge;
use crate::{EndReason, Event, Moment, Proposal, Recorded, ReplayError};

/// Why an event does not fit the state of the game.
pub(super) enum ApplyError {
    Illegal(castellan_rules::IllegalMoveReason),
    Impossible(&'static str),
}

impl From<&'static str> for ApplyError {
    fn from(why: &'static str) -> ApplyError {
        ApplyError::Impossible(why)
    }
}

fn ensure(holds: bool, why: &'static str) -> Result<(), ApplyError> {
    if holds { Ok(()) } else { Err(ApplyError::Impossible(why)) }
}

impl Game {
    /// Applies the next event of the record. If the event does not fit, the game stays unchanged.
    pub fn evolve(&mut self, recorded: &Recorded) -> Result<(), ReplayError> {
        self.apply_next(recorded, |game| game.apply(&recorded.event, recorded.at))
    }

    /// Checks that an event is the next one, and counts it if `apply` succeeds.
    pub(super) fn apply_next(
        &mut self,
        recorded: &Recorded,
        apply: impl FnOnce(&mut Game) -> Result<(), ApplyError>,
    ) -> Result<(), ReplayError> {
        let Recorded { version, at, .. } = *recorded;
        let expected = self.state.version.saturating_add(1);
        if version != expected {
            return Err(ReplayError::Version { expected, found: version });
        }
        if at < self.state.last_at {
            return Err(ReplayError::TimeGoesBack { version });
        }
        apply(self).map_err(|error| match error {
            ApplyError::Illegal(reason) => ReplayError::Illegal { version, reason },
            ApplyError::Impossible(why) => ReplayError::Impossible { version, why },
        })?;
        self.state.version = version;
        self.state.last_at = at;
        Ok(())
    }

    /// Applies an event. Every arm makes all its checks before it changes anything.
    fn apply(&mut self, event: &Event, at: Moment) -> Result<(), ApplyError> {
        self.check_phase(event)?;
        match *event {
            Event::Seated { color, ref player } => {
                ensure(self.state.seats.get(color).is_none(), "the seat is taken")?;
                self.state.seats.set(color, player.clone());
            }
            Event::Started {} => self.start(at)?,
            Event::Moved { ply, mv, spent_ms, compensated_ms, remaining_ms } => {
                let mv = self.check_moved(ply, mv, remaining_ms)?;
                self.play(mv, Charge { spent_ms, compensated_ms, remaining_ms }, at);
            }
            Event::Touched { square } => {
                let is_piece = self.line.position().piece_at(square).is_some();
                ensure(
                    is_piece && !self.state.touched.contains(&square),
                    "the square is empty or already touched",
                )?;
                self.state.touched.push(square);
                if self.obligation().is_some() {
                    self.state.offers.decline_draw_by_moving(self.line.turn());
                }
            }
            Event::Offered { by, what } => {
                ensure(self.offer(what).is_none(), "this has already been offered")?;
                self.state.offers.offer(by, what, self.ply());
            }
            Event::Declined { what, .. } => {
                ensure(self.offer(what).is_some(), "this has not been offered")?;
                self.state.offers.withdraw(what);
            }
            Event::TakenBack { ply } => self.take_back(ply, at)?,
            Event::TimeAdded { to, added_ms } => {
                ensure(self.state.timing.is_countdown(), "no clock is counting down")?;
                self.state.timing.add(to, added_ms);
                self.state.gifts[(!to).index()] += 1;
            }
            Event::Resumed { credited_ms } => {
                let running_ms = self.state.timing.running_ms(at);
                ensure(running_ms >= Some(credited_ms), "the clock has not run that long")?;
                self.state.timing.credit(credited_ms);
            }
            Event::Ended(end) => {
                ensure(end.is_consistent(), "the winner does not match the reason")?;
                self.state.timing.stop(at);
                self.state.offers.clear();
                self.state.touched.clear();
                self.state.end = Some(end);
                self.state.ended_at = Some(at);
            }
            Event::RematchAgreed {} => {
                ensure(self.offer(Proposal::Rematch).is_some(), "no rematch has been offered")?;
                self.state.offers.clear();
                self.state.is_rematch_agreed = true;
            }
        }
        Ok(())
    }

    /// Checks that an event fits the phase of the game. Before the start, players can take seats
    /// or abort; after the end, they can agree on a rematch; all other events belong to the
    /// running game.
    pub(super) fn check_phase(&self, event: &Event) -> Result<(), ApplyError> {
        let is_over = self.state.end.is_some();
        if is_about_rematch(event) {
            return ensure(is_over && self.is_started(), "the game is not over");
        }
        ensure(!is_over, "the game is over")?;
        let may_precede_start = match event {
            Event::Seated { .. } | Event::Started {} => true,
            Event::Ended(end) => end.reason == EndReason::Aborted,
            Event::Moved { .. }
            | Event::Touched { .. }
            | Event::Offered { .. }
            | Event::Declined { .. }
            | Event::TakenBack { .. }
            | Event::TimeAdded { .. }
            | Event::Resumed { .. }
            | Event::RematchAgreed {} => false,
        };
        ensure(self.is_started() || may_precede_start, "the game has not started")
    }

    fn start(&mut self, at: Moment) -> Result<(), ApplyError> {
        ensure(!self.is_started(), "the game has already started")?;
        ensure(self.state.seats.are_taken(), "a seat is empty")?;
        self.state.started_at = Some(at);
        if self.is_clock_due() {
            self.state.timing.start(self.line.turn(), at);
        }
        Ok(())
    }

    fn check_moved(
        &self,
        ply: u32,
        mv: UciMove,
        remaining_ms: Option<u64>,
    ) -> Result<Move, ApplyError> {
        ensure(ply == self.ply(), "another ply comes next")?;
        ensure(ply < MAX_GAME_PLIES, "the game has reached its maximum length")?;
        let is_countdown = self.state.timing.is_countdown();
        ensure(
            remaining_ms.is_some() == is_countdown,
            "the remaining time does not match the clock",
        )?;
        mv.resolve(self.line.position()).map_err(ApplyError::Illegal)
    }

    fn play(&mut self, mv: Move, charge: Charge, at: Moment) {
        let mover = self.line.turn();
        self.line.play(mv).expect("a move that was resolved here is legal and the line short");
        let state = &mut self.state;
        state.clocks_before_ply.push(state.timing.player_clocks());
        state.timing.press(mover, charge, at);
        let Charge { spent_ms, compensated_ms, remaining_ms } = charge;
        state.played.push(Played { mv, at, spent_ms, compensated_ms, remaining_ms });
        state.touched.clear();
        state.offers.moved(mover);
        state.have_both_moved |= state.played.len() >= 2;
    }

    /// Takes back all moves from `ply` on, and resets the clocks with them. The interrupted turn is not charged to either
    /// player, as if the moves had never been made.
    fn take_back(&mut self, ply: u32, at: Moment) -> Result<(), ApplyError> {
        ensure(ply < self.ply(), "the move to take back does not exist")?;
        let kept = ply as usize;
        while self.line.moves().len() > kept {
            self.line.undo();
        }
        let state = &mut self.state;
        state.timing.restore(state.clocks_before_ply[kept]);
        state.clocks_before_ply.truncate(kept);
        state.played.truncate(kept);
        state.touched.clear();
        state.offers.taken_back();
        if self.is_clock_due() {
            self.state.timing.start(self.line.turn(), at);
        }
        Ok(())
    }
}

fn is_about_rematch(event: &Event) -> bool {
    matches!(
        event,
        Event::RematchAgreed {}
            | Event::Offered { what: Proposal::Rematch, .. }
            | Event::Declined { what: Proposal::Rematch, .. }
    )
}
