//! Open proposals, and how often a player may make them.
//!
//! This module keeps track of open proposals and of the limits that stop players from nagging and
//! a record from growing without bound. The game decides what a proposal means and when it is
//! allowed.

use castellan_rules::Color;

use crate::{Proposal, Refusal};

/// Minimum number of a player's own moves between two of their draw offers.
pub const MOVES_BETWEEN_DRAW_OFFERS: u32 = 5;
/// Maximum number of takebacks in one game.
pub const MAX_TAKEBACKS: u32 = 20;
/// Maximum number of rematch offers per player.
pub const MAX_REMATCH_OFFERS: u32 = 3;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Offers {
    /// For each proposal, the player who made it and is waiting for a reply.
    standing: [Option<Color>; 3],
    /// For each color, the first ply at which it may offer a draw again.
    next_draw: [u32; 2],
    /// For each color, the first ply at which it may ask for a takeback again.
    next_takeback: [u32; 2],
    /// For each color, the number of rematch offers made.
    rematches: [u32; 2],
    /// The number of takebacks in this game, by either player.
    takebacks: u32,
}

impl Offers {
    /// Returns the player who made this proposal and is waiting for a reply.
    pub(crate) fn standing(&self, what: Proposal) -> Option<Color> {
        self.standing[what as usize]
    }

    /// Checks that a player may make this proposal now.
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

    /// Declines the opponent's draw offer, because a player who moves, or touches a piece to move
    /// it, has declined it (FIDE 9.1.2.1).
    pub(crate) fn decline_draw_by_moving(&mut self, mover: Color) {
        if self.standing(Proposal::Draw) == Some(!mover) {
            self.withdraw(Proposal::Draw);
        }
    }

    /// Updates the offers after a move. A takeback request lapses, because it would now take back
    /// a different move.
    pub(crate) fn moved(&mut self, mover: Color) {
        self.decline_draw_by_moving(mover);
        self.withdraw(Proposal::Takeback);
    }

    pub(crate) fn taken_back(&mut self) {
        // Players may ask again after a takeback that was accepted; `MAX_TAKEBACKS` limits the
        // total.
        self.next_takeback = [0; 2];
        self.takebacks = self.takebacks.saturating_add(1);
        self.clear();
    }

    pub(crate) fn clear(&mut self) {
        self.standing = [None; 3];
    }
}
