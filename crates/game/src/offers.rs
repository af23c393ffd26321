//! Proposals that wait for an answer, and how often they may be made.
//!
//! Owns: which proposal stands, and the limits that keep players from nagging and a record from
//! growing without end. Leaves to the game what a proposal means and when it makes sense.

use castellan_rules::Color;

use crate::{Proposal, Refusal};

/// How many moves of one's own lie between two draw offers.
pub const MOVES_BETWEEN_DRAW_OFFERS: u32 = 5;
/// How often moves are taken back in one game.
pub const MAX_TAKEBACKS: u32 = 20;
/// How often a player asks for a rematch.
pub const MAX_REMATCH_OFFERS: u32 = 3;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Offers {
    /// By proposal: who waits for an answer.
    standing: [Option<Color>; 3],
    /// By color: the ply at which a draw may be offered again.
    next_draw: [u32; 2],
    /// By color: the ply at which a takeback may be asked for again.
    next_takeback: [u32; 2],
    /// By color: how often a rematch was asked for.
    rematches: [u32; 2],
    takebacks: u32,
}

impl Offers {
    /// Who waits for an answer.
    pub(crate) fn standing(&self, what: Proposal) -> Option<Color> {
        self.standing[what as usize]
    }

    /// Whether a player may propose this now.
    pub(crate) fn check(&self, by: Color, what: Proposal, ply: u32) -> Result<(), Refusal> {
        if self.standing(what) == Some(by) {
            return Err(Refusal::AlreadyOffered);
        }
        if what == Proposal::Takeback && self.takebacks >= MAX_TAKEBACKS {
            return Err(Refusal::TakebacksSpent);
        }
        let is_too_soon = match what {
            Proposal::Draw => ply < self.next_draw[by.index()],
            Proposal::Takeback => ply < self.next_takeback[by.index()],
            Proposal::Rematch => self.rematches[by.index()] >= MAX_REMATCH_OFFERS,
        };
        if is_too_soon { Err(Refusal::OfferedTooOften) } else { Ok(()) }
    }

    pub(crate) fn offer(&mut self, by: Color, what: Proposal, ply: u32) {
        self.standing[what as usize] = Some(by);
        match what {
            Proposal::Draw => {
                self.next_draw[by.index()] = ply + 2 * MOVES_BETWEEN_DRAW_OFFERS;
            }
            Proposal::Takeback => self.next_takeback[by.index()] = ply + 2,
            Proposal::Rematch => self.rematches[by.index()] += 1,
        }
    }

    pub(crate) fn withdraw(&mut self, what: Proposal) {
        self.standing[what as usize] = None;
    }

    /// FIDE 9.1.2.1: who moves, or touches a piece to move it, has refused the opponent's draw.
    pub(crate) fn play_on(&mut self, mover: Color) {
        if self.standing(Proposal::Draw) == Some(!mover) {
            self.withdraw(Proposal::Draw);
        }
    }

    /// A move was made: whatever was to be taken back, it is another move now.
    pub(crate) fn moved(&mut self, mover: Color) {
        self.play_on(mover);
        self.withdraw(Proposal::Takeback);
    }

    pub(crate) fn taken_back(&mut self) {
        // What was agreed to may be asked again; the number of takebacks is limited by itself.
        self.next_takeback = [0; 2];
        self.takebacks = self.takebacks.saturating_add(1);
        self.clear();
    }

    pub(crate) fn clear(&mut self) {
        self.standing = [None; 3];
    }
}
