//! Decides which events a command causes.
//!
//! This module decides which commands a player may give when, and handles moves; the neighboring
//! modules handle the other commands. A player's command that arrives after a flag has fallen
//! ends the game on time, whatever it says.

use core::time::Duration;

use castellan_rules::{
    Color, EndReason as BoardReason, Line, Move, Outcome, Position, Square, UciMove,
};
use castellan_winnable::is_dead;

use super::{Game, MAX_GAME_PLIES};
use crate::clock::Charge;
use crate::{Actor, Command, End, EndReason, Event, Moment, Player, PlayerId, Proposal, Refusal};

/// How a player handles a proposal.
#[derive(Clone, Copy)]
pub(super) enum Reply {
    Offer,
    Accept,
    Decline,
}

/// The color that a command is given for, and when it arrived.
#[derive(Clone, Copy)]
pub(super) struct ActingPlayer {
    pub(super) color: Color,
    pub(super) now: Moment,
}

impl Game {
    /// Returns the events that follow from a command, or the reason for refusing it. Changes
    /// nothing.
    ///
    /// An empty list means that the command has already been carried out. `now` may be before the
    /// last event, if the command arrived before that event was decided: a move is charged until it
    /// arrived.
    pub fn decide(&self, by: Actor, command: &Command, now: Moment) -> Result<Vec<Event>, Refusal> {
        match *command {
            Command::Seat { color, ref player } => self.decide_seat(by, color, player),
            Command::Abort => self.decide_abort(by, now),
            Command::Flag => self.decide_flag(by, now),
            Command::Abandon { color } => self.decide_abandon(by, color, now),
            Command::Resume { away } => self.decide_resume(by, away, now),
            Command::Move { ply, mv, lag } => {
                self.decide_move(ActingPlayer { color: self.color_at(by, ply)?, now }, ply, mv, lag)
            }
            Command::Offer(Proposal::Rematch) => self.decide_rematch(by, Reply::Offer),
            Command::Accept(Proposal::Rematch) => self.decide_rematch(by, Reply::Accept),
            Command::Decline(Proposal::Rematch) => self.decide_rematch(by, Reply::Decline),
            Command::Claim { ply, announced, lag } => {
                let acting = ActingPlayer { color: self.running_color_at(by, ply)?, now };
                self.decide_claim(acting, ply, announced, lag)
            }
            Command::Touch { ply, square } => {
                let color = self.running_color_at(by, ply)?;
                self.unless_time_is_up(now, || self.decide_touch(color, ply, square))
            }
            Command::Resign => {
                let color = self.running_color(by, None)?;
                let end = End::win(EndReason::Resignation, !color);
                self.unless_time_is_up(now, || Ok(vec![Event::Ended(end)]))
            }
            Command::Offer(what @ (Proposal::Draw | Proposal::Takeback)) => {
                let color = self.running_color(by, None)?;
                self.unless_time_is_up(now, || self.decide_offer(color, what))
            }
            Command::Accept(what @ (Proposal::Draw | Proposal::Takeback)) => {
                let color = self.running_color(by, Some(what))?;
                self.unless_time_is_up(now, || self.decide_accept(color, what))
            }
            Command::Decline(what @ (Proposal::Draw | Proposal::Takeback)) => {
                let color = self.running_color(by, Some(what))?;
                self.unless_time_is_up(now, || self.decide_decline(color, what))
            }
            Command::AddTime => {
                let color = self.running_color(by, None)?;
                self.unless_time_is_up(now, || self.decide_add_time(color))
            }
        }
    }

    /// Returns what a command in a running game leads to, or the timeout if a flag has fallen.
    fn unless_time_is_up(
        &self,
        now: Moment,
        decide: impl FnOnce() -> Result<Vec<Event>, Refusal>,
    ) -> Result<Vec<Event>, Refusal> {
        if self.state.timing.is_up(now) { Ok(vec![self.timeout()]) } else { decide() }
    }

    fn decide_seat(&self, by: Actor, color: Color, player: &Player) -> Result<Vec<Event>, Refusal> {
        if by != Actor::Server && by != Actor::Player(player.id) {
            return Err(Refusal::NotYou);
        }
        let seats = &self.state.seats;
        if seats.has(color, player.id) {
            return Ok(Vec::new());
        }
        if self.state.end.is_some() {
            return Err(Refusal::Over);
        }
        if seats.get(color).is_some() {
            return Err(Refusal::SeatTaken(color));
        }
        if self.settings.is_rated && seats.has(!color, player.id) {
            return Err(Refusal::SamePlayer);
        }
        let mut events = vec![Event::Seated { color, player: player.clone() }];
        if seats.get(!color).is_some() {
            events.push(Event::Started {});
            events.extend(end_of(&self.line).map(Event::Ended));
        }
        Ok(events)
    }

    /// Accepts a duplicate of a move that was played, even after the end of the game, because the
    /// acknowledgment may have been lost.
    fn decide_move(
        &self,
        acting: ActingPlayer,
        ply: u32,
        mv: UciMove,
        lag: Duration,
    ) -> Result<Vec<Event>, Refusal> {
        if self.is_repeat(acting.color, ply, mv) {
            return Ok(Vec::new());
        }
        self.check_running()?;
        self.check_ply(ply)?;
        self.check_turn(acting.color)?;
        let Ok(charge) = self.state.timing.charge(acting.color, acting.now, millis(lag)) else {
            return Ok(vec![self.timeout()]);
        };
        let mv = mv.resolve(self.line.position()).map_err(Refusal::Illegal)?;
        match self.touch_consequences().objection(mv) {
            Some(obligation) => Err(Refusal::TouchedPiece(obligation)),
            None => Ok(self.moved(mv, charge)),
        }
    }

    fn is_repeat(&self, color: Color, ply: u32, mv: UciMove) -> bool {
        let at = ply as usize;
        let Some(&played) = self.line.moves().get(at) else {
            return false;
        };
        let position = &self.line.positions()[at];
        position.turn() == color && mv.resolve(position) == Ok(played)
    }

    /// Returns the events for a move, including the end of the game if the move causes it.
    pub(super) fn moved(&self, mv: Move, charge: Charge) -> Vec<Event> {
        let next = self.line.position().play_unchecked(mv);
        let mut events = vec![self.moved_event(mv, charge)];
        let plies = self.line.moves().len() + 1;
        let end = end_at(self.line.outcome_after(mv), &next, plies);
        events.extend(end.map(Event::Ended));
        events
    }

    pub(super) fn moved_event(&self, mv: Move, charge: Charge) -> Event {
        let Charge { spent_ms, compensated_ms, remaining_ms } = charge;
        let mv = UciMove::from_move(mv, self.settings.castling());
        Event::Moved { ply: self.ply(), mv, spent_ms, compensated_ms, remaining_ms }
    }

    fn decide_touch(&self, color: Color, ply: u32, square: Square) -> Result<Vec<Event>, Refusal> {
        if !self.settings.is_touch_move {
            return Err(Refusal::TouchMoveOff);
        }
        self.check_ply(ply)?;
        self.check_turn(color)?;
        if self.line.position().piece_at(square).is_none() {
            return Err(Refusal::EmptySquare(square));
        }
        if self.state.touched.contains(&square) {
            return Ok(Vec::new());
        }
        Ok(vec![Event::Touched { square }])
    }

    fn decide_abort(&self, by: Actor, now: Moment) -> Result<Vec<Event>, Refusal> {
        self.check_seated_or_server(by)?;
        if self.state.end.is_some() {
            return Err(Refusal::Over);
        }
        if by != Actor::Server && self.state.timing.is_up(now) {
            return Ok(vec![self.timeout()]);
        }
        if !self.can_abort() {
            return Err(Refusal::TooLateToAbort);
        }
        Ok(vec![Event::Ended(End::without_winner(EndReason::Aborted))])
    }

    pub(super) fn check_running(&self) -> Result<(), Refusal> {
        match (self.state.end, self.is_started()) {
            (Some(_), _) => Err(Refusal::Over),
            (None, false) => Err(Refusal::NotStarted),
            (None, true) => Ok(()),
        }
    }

    pub(super) fn check_ply(&self, ply: u32) -> Result<(), Refusal> {
        let next = self.ply();
        match ply.cmp(&next) {
            std::cmp::Ordering::Less => Err(Refusal::Stale { ply, next }),
            std::cmp::Ordering::Equal => Ok(()),
            std::cmp::Ordering::Greater => Err(Refusal::Ahead { ply, next }),
        }
    }

    pub(super) fn check_turn(&self, color: Color) -> Result<(), Refusal> {
        if self.line.turn() == color { Ok(()) } else { Err(Refusal::NotYourTurn) }
    }

    pub(super) fn check_seated_or_server(&self, by: Actor) -> Result<(), Refusal> {
        match by {
            Actor::Player(id) if !self.state.seats.is_seated(id) => Err(Refusal::NotSeated),
            Actor::Player(_) | Actor::Server => Ok(()),
        }
    }

    /// Returns the color that the sender acts for at this ply: their own color, or the color to
    /// move at that ply if they have both seats.
    fn color_at(&self, by: Actor, ply: u32) -> Result<Color, Refusal> {
        let first = self.line.start().turn();
        self.color_or(by, if ply.is_multiple_of(2) { first } else { !first })
    }

    fn running_color_at(&self, by: Actor, ply: u32) -> Result<Color, Refusal> {
        let color = self.color_at(by, ply)?;
        self.check_running().map(|()| color)
    }

    /// Returns the color that the sender acts for in a running game. A sender who has both seats
    /// answers a proposal as the player it was made to, and otherwise acts for the side to move.
    fn running_color(&self, by: Actor, answered: Option<Proposal>) -> Result<Color, Refusal> {
        let addressed = answered.and_then(|what| self.offer(what)).map(|offerer| !offerer);
        let color = self.color_or(by, addressed.unwrap_or(self.line.turn()))?;
        self.check_running().map(|()| color)
    }

    /// Returns the color of the sender's seat, or `if_both` if they have both seats.
    pub(super) fn color_or(&self, by: Actor, if_both: Color) -> Result<Color, Refusal> {
        let seats = &self.state.seats;
        let seated =
            |id: PlayerId| seats.is_seated(id).then(|| seats.only_seat(id).unwrap_or(if_both));
        match by {
            Actor::Server => Err(Refusal::NotSeated),
            Actor::Player(id) => seated(id).ok_or(Refusal::NotSeated),
        }
    }
}

/// Returns the end of the game if the position or the ply limit brings it about.
pub(crate) fn end_of(line: &Line) -> Option<End> {
    end_at(line.outcome(), line.position(), line.moves().len())
}

/// Returns the end of the game if the position after so many plies brings it about. `outcome` is
/// what the line says about the position.
fn end_at(outcome: Option<Outcome>, position: &Position, plies: usize) -> Option<End> {
    let dead =
        || (is_dead(position) == Some(true)).then_some(Outcome::draw(BoardReason::DeadPosition));
    let is_full = plies >= MAX_GAME_PLIES as usize;
    let full = || is_full.then_some(End::without_winner(EndReason::PlyLimit));
    outcome.or_else(dead).map(End::from).or_else(full)
}

/// Converts to whole milliseconds, saturating at the maximum.
pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
