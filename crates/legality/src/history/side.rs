//! What is known about the pieces of one side: which original piece each of them may be.

use castellan_rules::{Bitboard, Color, File, Piece, Rank, Role, Square};

use super::assignment::{Assignment, Costs, IMPOSSIBLE, PIECES_PER_SIDE};
use super::obstacles::Obstacles;
use super::travel::{Levels, MAX_CAPTURES};
use super::victims::reach_of_officer;
use crate::Case;

/// The index of the first pawn among the original pieces: officers from a to h, then pawns from a
/// to h.
pub(super) const FIRST_PAWN: usize = 8;

/// The original officers, from the a-file to the h-file.
const OFFICERS: [Role; 8] = [
    Role::Rook,
    Role::Knight,
    Role::Bishop,
    Role::Queen,
    Role::King,
    Role::Bishop,
    Role::Knight,
    Role::Rook,
];

/// Returns the role of an original piece.
pub(super) fn start_role(original: usize) -> Role {
    OFFICERS.get(original).copied().unwrap_or(Role::Pawn)
}

/// Returns the start square of an original piece.
pub(super) fn start_square(color: Color, original: usize) -> Square {
    let rank = if original < FIRST_PAWN { Rank::First } else { Rank::Second };
    Square::new(File::ALL[original % 8], rank.relative_to(color))
}

/// The pieces of one side.
///
/// There are sixteen places: first the pieces on the board, then the captured ones, which are all
/// alike. `costs` gives the least number of captures that an original piece must have made, as a
/// pawn, to get to a place. Costs never decrease.
#[derive(Clone, Debug)]
pub(super) struct Side {
    /// The color of the pieces.
    pub(super) color: Color,
    /// The pieces on the board. Only the first `len` entries are used.
    pub(super) pieces: [(Square, Role); PIECES_PER_SIDE],
    /// How many pieces are on the board. The remaining places are those of captured pieces.
    pub(super) len: usize,
    /// The least number of captures, by place and original piece.
    pub(super) costs: Costs,
    /// The most captures a piece can have made on its way to a place, by place and original
    /// piece.
    pub(super) max_captures: Costs,
    /// Where each original officer can have been, including the square where it was captured.
    pub(super) reach: [Bitboard; 8],
    /// Where each original piece can have been captured, if it was.
    pub(super) capture_squares: [Bitboard; PIECES_PER_SIDE],
    /// For each piece on the board, the squares from which a pawn can become it, by number of
    /// captures.
    pub(super) backwards: [Levels; PIECES_PER_SIDE],
    /// For each original pawn, the squares from which it gets to where it can have been captured.
    pub(super) lost_backwards: [Levels; 8],
    /// For each original pawn, where it can have been, by number of captures.
    pub(super) forwards: [Levels; 8],
    /// The least number of captures that all original pawns need together.
    pub(super) needed: usize,
    /// The number of available captures for which the current costs were last assigned.
    assigned_for: Option<usize>,
}

impl Side {
    /// Returns what the kinds of the pieces alone show.
    pub(super) fn of(case: &Case, color: Color, obstacles: &Obstacles) -> Side {
        let unmoved = obstacles.unmoved;
        let mut side = Side {
            color,
            pieces: [(Square::A1, Role::Pawn); PIECES_PER_SIDE],
            len: 0,
            costs: [[IMPOSSIBLE; PIECES_PER_SIDE]; PIECES_PER_SIDE],
            max_captures: [[IMPOSSIBLE; PIECES_PER_SIDE]; PIECES_PER_SIDE],
            reach: [Bitboard::EMPTY; 8],
            capture_squares: [Bitboard::FULL; PIECES_PER_SIDE],
            backwards: [[Bitboard::EMPTY; MAX_CAPTURES + 1]; PIECES_PER_SIDE],
            lost_backwards: [[Bitboard::EMPTY; MAX_CAPTURES + 1]; 8],
            forwards: [[Bitboard::EMPTY; MAX_CAPTURES + 1]; 8],
            needed: 0,
            assigned_for: None,
        };
        for role in Role::ALL {
            for square in case.setup.pieces.piece(Piece { color, role }) {
                side.pieces[side.len] = (square, role);
                side.costs[side.len] = possible_starts(color, square, role, unmoved);
                side.len += 1;
            }
        }
        let captured: [u8; PIECES_PER_SIDE] = std::array::from_fn(|original| {
            let is_captured = start_role(original) != Role::King
                && !unmoved.contains(start_square(color, original));
            if is_captured { 0 } else { IMPOSSIBLE }
        });
        side.costs[side.len..].fill(captured);
        side.reach = std::array::from_fn(|original| reach_of_officer(obstacles, color, original));
        side
    }

    /// Returns the pieces on the board with their places.
    pub(super) fn on_board(&self) -> impl Iterator<Item = (usize, Square, Role)> + use<> {
        let (pieces, len) = (self.pieces, self.len);
        (0..len).map(move |place| (place, pieces[place].0, pieces[place].1))
    }

    /// Returns whether an original piece may have been captured.
    pub(super) fn may_be_captured(&self, original: usize) -> bool {
        self.len < PIECES_PER_SIDE && self.costs[PIECES_PER_SIDE - 1][original] < IMPOSSIBLE
    }

    /// Returns whether an original piece must have been captured.
    pub(super) fn is_captured(&self, original: usize) -> bool {
        self.may_be_captured(original)
            && self.costs[..self.len].iter().all(|costs| costs[original] >= IMPOSSIBLE)
    }

    /// Raises a cost. Returns whether it was lower before.
    pub(super) fn raise(&mut self, place: usize, original: usize, cost: u8) -> bool {
        let changed = self.costs[place][original] < cost;
        if changed {
            self.costs[place][original] = cost;
            self.assigned_for = None;
        }
        changed
    }

    /// Raises the cost of having been captured for an original piece. Returns whether it was
    /// lower before.
    pub(super) fn raise_capture(&mut self, original: usize, cost: u8) -> bool {
        // All these places are alike, so a change of one is a change of all.
        (self.len..PIECES_PER_SIDE)
            .map(|place| self.raise(place, original, cost))
            .max()
            .unwrap_or(false)
    }

    /// Returns whether a piece on the board may have been a pawn at the start.
    pub(super) fn may_be_pawn(&self, place: usize) -> bool {
        self.costs[place][FIRST_PAWN..].iter().any(|&cost| cost < IMPOSSIBLE)
    }

    /// Rules out pairs that would need more captures than there were, and updates the most
    /// captures of the others. Returns whether anything was ruled out, or `None` if there is no
    /// assignment at all.
    ///
    /// If even the cheapest assignment needs too many captures, `needed` shows it and nothing is
    /// ruled out.
    pub(super) fn assign(&mut self, captures: usize) -> Option<bool> {
        if self.assigned_for == Some(captures) {
            return Some(false);
        }
        let cheapest = Assignment::cheapest(&self.costs)?;
        self.needed = usize::from(cheapest.total);
        let mut changed = false;
        if self.needed > captures {
            return Some(false);
        }
        for place in 0..PIECES_PER_SIDE {
            for original in 0..PIECES_PER_SIDE {
                let total = usize::from(cheapest.total_with[place][original]);
                if total > captures {
                    changed |= self.raise(place, original, IMPOSSIBLE);
                } else {
                    self.max_captures[place][original] =
                        self.costs[place][original] + (captures - total) as u8;
                }
            }
        }
        // The pairs ruled out were part of no assignment that is cheap enough, so the totals stay
        // valid.
        self.assigned_for = Some(captures);
        Some(changed)
    }
}

/// Returns which original pieces a piece may be, judging by their kinds. An unmoved piece is
/// itself.
fn possible_starts(
    color: Color,
    square: Square,
    role: Role,
    unmoved: Bitboard,
) -> [u8; PIECES_PER_SIDE] {
    std::array::from_fn(|original| {
        let start = start_square(color, original);
        let is_possible = if unmoved.contains(square) {
            start == square
        } else {
            let is_same = start_role(original) == role;
            let is_promoted = original >= FIRST_PAWN && role != Role::King;
            !unmoved.contains(start) && (is_same || is_promoted)
        };
        if is_possible { 0 } else { IMPOSSIBLE }
    })
}
