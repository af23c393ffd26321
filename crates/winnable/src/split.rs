//! The static argument by cases: which capture comes next.
//!
//! If the whole future is considered at once, a piece may profit from a capture that can only
//! happen after the piece itself is gone. So the time until the next capture is considered
//! separately. If no mate is possible in it, each capture that may end it is a case of its own,
//! in which the pieces are wherever that time allows them to be.

use castellan_rules::{Bitboard, Color, Position, Role};

use crate::Budget;
use crate::kings::KingPairs;
use crate::men::Men;
use crate::net;
use crate::reach::Reach;

/// How many captures deep the cases are distinguished.
const CAPTURES: u32 = 6;

/// Returns whether `winner` is proven unable to mate; `false` means only that there is no proof.
pub(crate) fn is_unwinnable(position: &Position, winner: Color, budget: &mut Budget<'_>) -> bool {
    if position.castling_rooks().any() {
        return false;
    }
    let men = Men::of(position);
    let kings = KingPairs::of(position.king(Color::White), position.king(Color::Black));
    Split { winner }.is_unwinnable(&men, &kings, CAPTURES, budget)
}

struct Split {
    winner: Color,
}

impl Split {
    fn is_unwinnable(
        &self,
        men: &Men,
        kings: &KingPairs,
        captures: u32,
        budget: &mut Budget<'_>,
    ) -> bool {
        if !budget.spend() {
            return false;
        }
        if !net::may_mate(&Reach::from(men, kings, false), self.winner) {
            return true;
        }
        if captures == 0 {
            return false;
        }
        let quiet = Reach::from(men, kings, true);
        if net::may_mate(&quiet, self.winner) {
            return false;
        }
        (0..quiet.men.len()).all(|victim| self.survives(&quiet, victim, captures - 1, budget))
    }

    /// Returns whether capturing a given piece wins nothing, whichever piece captures it.
    fn survives(
        &self,
        quiet: &Reach,
        victim: usize,
        captures: u32,
        budget: &mut Budget<'_>,
    ) -> bool {
        let mut men = quiet.men.clone();
        let gone = men.remove(victim);
        let there = gone.anywhere();
        let king_to = quiet.open_to_king(!gone.color) & there;
        let kings = quiet.kings.after_step(!gone.color, king_to);
        if !kings.is_empty() && !self.is_unwinnable(&men, &kings, captures, budget) {
            return false;
        }
        (0..men.len()).all(|captor| {
            let mut men = men.clone();
            let man = men.get_mut(captor);
            let squares = man.arrivals & there;
            if man.color == gone.color || squares.is_empty() {
                return true;
            }
            place_captor(man, squares);
            self.is_unwinnable(&men, &quiet.kings, captures, budget)
        })
    }
}

/// Puts a piece where it has captured. A pawn may have captured as a pawn or after promotion.
fn place_captor(man: &mut crate::men::Man, squares: Bitboard) {
    if man.role == Role::Pawn {
        man.is_stray = true;
        if man.promoted.any() {
            man.promoted |= squares;
        }
    }
    man.squares = squares;
}
