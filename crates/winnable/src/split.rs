//! The static argument by cases: which capture comes next.
//!
//! If the whole future is considered at once, a piece may profit from a capture that can only
//! happen after the piece itself is gone. So the time until the next capture is considered
//! separately. If no mate is possible in it, each capture that may end it is a case of its own,
//! in which the pieces are wherever that time allows them to be.

use castellan_rules::{Bitboard, Color, Position, Role};

use crate::Budget;
use crate::kings::KingPairs;
use crate::mating_net;
use crate::pieces::PieceList;
use crate::reach::Reach;

/// How many captures in a row are treated as cases of their own.
const MAX_CAPTURES: u32 = 6;

/// Returns whether `winner` is proven unable to mate; `false` means only that there is no proof.
pub(crate) fn is_unwinnable(position: &Position, winner: Color, budget: &mut Budget<'_>) -> bool {
    if position.castling_rooks().any() {
        return false;
    }
    let pieces = PieceList::of(position);
    let kings = KingPairs::of(position.king(Color::White), position.king(Color::Black));
    Split { winner }.is_unwinnable(&pieces, &kings, MAX_CAPTURES, budget)
}

struct Split {
    winner: Color,
}

impl Split {
    fn is_unwinnable(
        &self,
        pieces: &PieceList,
        kings: &KingPairs,
        captures: u32,
        budget: &mut Budget<'_>,
    ) -> bool {
        if !budget.spend() {
            return false;
        }
        if !mating_net::may_mate(&Reach::from(pieces, kings, false), self.winner) {
            return true;
        }
        if captures == 0 {
            return false;
        }
        // Where the pieces can go before the next capture.
        let quiet = Reach::from(pieces, kings, true);
        if mating_net::may_mate(&quiet, self.winner) {
            return false;
        }
        (0..quiet.pieces.len())
            .all(|victim| self.capture_wins_nothing(&quiet, victim, captures - 1, budget))
    }

    /// Returns whether capturing a given piece wins nothing, whichever piece captures it.
    fn capture_wins_nothing(
        &self,
        quiet: &Reach,
        victim: usize,
        captures: u32,
        budget: &mut Budget<'_>,
    ) -> bool {
        let mut pieces = quiet.pieces.clone();
        let victim = pieces.remove(victim);
        let victim_squares = victim.anywhere();
        let king_to = quiet.open_to_king(!victim.color) & victim_squares;
        let kings = quiet.kings.after_step(!victim.color, king_to);
        if !kings.is_empty() && !self.is_unwinnable(&pieces, &kings, captures, budget) {
            return false;
        }
        (0..pieces.len()).all(|captor| {
            let mut pieces = pieces.clone();
            let piece = pieces.get_mut(captor);
            let squares = piece.arrivals & victim_squares;
            if piece.color == victim.color || squares.is_empty() {
                return true;
            }
            place_captor(piece, squares);
            self.is_unwinnable(&pieces, &quiet.kings, captures, budget)
        })
    }
}

/// Puts a piece where it has captured. A pawn may have captured as a pawn or after promotion.
fn place_captor(piece: &mut crate::pieces::TrackedPiece, squares: Bitboard) {
    if piece.role == Role::Pawn {
        piece.is_stray = true;
        if piece.promoted.any() {
            piece.promoted |= squares;
        }
    }
    piece.squares = squares;
}
