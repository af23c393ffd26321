//! Draw offers, takebacks and rematches.
//!
//! This module decides when a proposal can be made and what accepting it leads to. The limits are
//! in `offers`.

use castellan_rules::Color;

use super::Game;
use super::decide::Reply;
use crate::{Actor, End, EndReason, Event, Proposal, Refusal};

impl Game {
    /// Offering what the opponent has already offered counts as accepting it. Takebacks are the
    /// exception, because each player would take back something else.
    pub(super) fn decide_offer(&self, by: Color, what: Proposal) -> Result<Vec<Event>, Refusal> {
        if self.offer(what) == Some(!by) {
            return match what {
                Proposal::Takeback => Err(Refusal::AnswerFirst),
                Proposal::Draw | Proposal::Rematch => self.decide_accept(by, what),
            };
        }
        match what {
            // Online, players offer a draw during their own turn, and the offer stands while the
            // opponent thinks (FIDE 9.1.2.1).
            Proposal::Draw => self.check_turn(by)?,
            // With touch-move, a released piece stays where it is (FIDE 4.7).
            Proposal::Takeback if !self.settings.allows_takeback || self.settings.is_touch_move => {
                return Err(Refusal::TakebackOff);
            }
            Proposal::Takeback => {
                self.takeback_ply(by).ok_or(Refusal::NothingToTakeBack)?;
            }
            Proposal::Rematch => {}
        }
        self.state.offers.check(by, what, self.ply())?;
        Ok(vec![Event::Offered { by, what }])
    }

    pub(super) fn decide_accept(&self, by: Color, what: Proposal) -> Result<Vec<Event>, Refusal> {
        if self.offer(what) != Some(!by) {
            return Err(Refusal::NothingOffered);
        }
        Ok(vec![match what {
            Proposal::Draw => Event::Ended(End::without_winner(EndReason::Agreement)),
            Proposal::Takeback => {
                let ply = self.takeback_ply(!by).ok_or(Refusal::NothingToTakeBack)?;
                Event::TakenBack { ply }
            }
            Proposal::Rematch => Event::RematchAgreed {},
        }])
    }

    /// Declines the opponent's proposal or withdraws the player's own. A draw offer cannot be
    /// withdrawn (FIDE 9.1.2.1).
    pub(super) fn decide_decline(&self, by: Color, what: Proposal) -> Result<Vec<Event>, Refusal> {
        match self.offer(what) {
            None => Err(Refusal::NothingOffered),
            Some(offerer) if offerer == by && what == Proposal::Draw => {
                Err(Refusal::CannotWithdraw)
            }
            Some(_) => Ok(vec![Event::Declined { by, what }]),
        }
    }

    /// Handles rematch commands, which are allowed only after the end of the game.
    pub(super) fn decide_rematch(&self, by: Actor, reply: Reply) -> Result<Vec<Event>, Refusal> {
        let what = Proposal::Rematch;
        let addressed = self.offer(what).map_or(Color::White, |offerer| !offerer);
        let color = self.color_or(by, addressed)?;
        if self.state.end.is_none() {
            return Err(Refusal::NotOver);
        }
        if !self.is_started() {
            return Err(Refusal::NotStarted);
        }
        if self.state.is_rematch_agreed {
            return Err(Refusal::RematchAgreed);
        }
        match reply {
            Reply::Offer => self.decide_offer(color, what),
            Reply::Accept => self.decide_accept(color, what),
            Reply::Decline => self.decide_decline(color, what),
        }
    }
}
