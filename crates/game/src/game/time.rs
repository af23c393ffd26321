//! Commands about time: flags, time gifts and server outages.
//!
//! This module decides what a fallen flag leads to, and limits the time gifts.

use core::time::Duration;

use castellan_rules::Color;
use castellan_winnable::{Budget, CanWin, can_win};

use super::Game;
use super::decide::millis;
use crate::{Actor, End, EndReason, Event, Moment, Refusal};

/// Time that [`Command::AddTime`](crate::Command::AddTime) gives the opponent, in milliseconds.
pub const GIFT_MS: u64 = 15_000;
/// How often a player may give time in one game: five minutes in total.
pub const MAX_GIFTS: u32 = 20;

/// Maximum number of positions searched to find out whether a player can still checkmate. The
/// limit is a count and not a time, so that every run on every machine gives the same answer. If
/// the search is inconclusive, the opponent counts as able to checkmate.
const NODES: u64 = 20_000;

impl Game {
    /// Ends the game because the player to move ran out of time. They lose, unless the opponent
    /// cannot checkmate by any sequence of legal moves, which makes it a draw (FIDE 6.9).
    pub(super) fn timeout(&self) -> Event {
        let loser = self.line.turn();
        Event::Ended(if self.can_win(!loser) {
            End::win(EndReason::Timeout, !loser)
        } else {
            End::without_winner(EndReason::TimeoutAgainstNoMate)
        })
    }

    pub(super) fn decide_flag(&self, by: Actor, now: Moment) -> Result<Vec<Event>, Refusal> {
        self.check_seated_or_server(by)?;
        self.check_running()?;
        if self.deadline().is_none() {
            return Err(Refusal::NoClock);
        }
        if !self.state.timing.is_up(now) {
            return Err(Refusal::TimeNotUp);
        }
        Ok(vec![self.timeout()])
    }

    pub(super) fn decide_abandon(
        &self,
        by: Actor,
        color: Color,
        now: Moment,
    ) -> Result<Vec<Event>, Refusal> {
        if by != Actor::Server {
            return Err(Refusal::ServerOnly);
        }
        self.check_running()?;
        if self.state.timing.is_up(now) {
            return Ok(vec![self.timeout()]);
        }
        let winner = self.can_win(!color).then_some(!color);
        Ok(vec![Event::Ended(End { reason: EndReason::Abandoned, winner })])
    }

    /// Credits only the part of the outage during which the clock was running.
    pub(super) fn decide_resume(
        &self,
        by: Actor,
        away: Duration,
        now: Moment,
    ) -> Result<Vec<Event>, Refusal> {
        if by != Actor::Server {
            return Err(Refusal::ServerOnly);
        }
        let running_ms = self.state.timing.running_ms(now).unwrap_or(0);
        let credited_ms = millis(away).min(running_ms);
        Ok(if credited_ms == 0 { Vec::new() } else { vec![Event::Resumed { credited_ms }] })
    }

    pub(super) fn decide_add_time(&self, by: Color) -> Result<Vec<Event>, Refusal> {
        if !self.state.timing.is_countdown() {
            return Err(Refusal::NoClock);
        }
        if self.state.gifts[by.index()] >= MAX_GIFTS {
            return Err(Refusal::GiftsSpent);
        }
        Ok(vec![Event::TimeAdded { to: !by, added_ms: GIFT_MS }])
    }

    fn can_win(&self, color: Color) -> bool {
        let answer = can_win(self.line.position(), color, &mut Budget::of_nodes(NODES));
        !matches!(answer, CanWin::No(_))
    }
}
