//! What is known about the men of one side: who each of them may have been at the start.

use castellan_rules::{Bitboard, Color, File, Piece, Rank, Role, Square};

use super::assignment::{Assignment, Costs, MEN, NEVER};
use super::ground::Ground;
use super::travel::{Levels, MAX_CAPTURES};
use super::victims::reach_of_officer;
use crate::Case;

/// Where the pawns begin among the men of the start: a to h officers, then a to h pawns.
pub(super) const FIRST_PAWN: usize = 8;

/// The officers of the start, from the a-file to the h-file.
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

/// What a man was at the start.
pub(super) fn start_role(man: usize) -> Role {
    OFFICERS.get(man).copied().unwrap_or(Role::Pawn)
}

/// Where a man stood at the start.
pub(super) fn start_square(color: Color, man: usize) -> Square {
    let rank = if man < FIRST_PAWN { Rank::First } else { Rank::Second };
    Square::new(File::ALL[man % 8], rank.relative_to(color))
}

/// The men of one side.
///
/// A place is one of sixteen: the men on the board first, then the captured ones, which are all
/// alike. `costs` says how many captures it takes at least, as a pawn, to come from the start to
/// a place; costs only ever grow.
#[derive(Clone, Debug)]
pub(super) struct Side {
    /// Whose men.
    pub(super) color: Color,
    /// The men on the board.
    pub(super) men: [(Square, Role); MEN],
    /// How many there are; the other places are those of the captured.
    pub(super) len: usize,
    /// By place and man of the start.
    pub(super) costs: Costs,
    /// How many captures a man can have made at most on its way to a place.
    pub(super) most: Costs,
    /// Where each officer of the start can have been, the last square before its capture too.
    pub(super) reach: [Bitboard; 8],
    /// Where each man of the start can have been captured, if it was.
    pub(super) graves: [Bitboard; MEN],
    /// For each man on the board, from where a pawn becomes it, by captures.
    pub(super) backwards: [Levels; MEN],
    /// For each pawn of the start, from where it gets to where it can have been captured.
    pub(super) lost_backwards: [Levels; 8],
    /// For each pawn of the start, where it can have been, by captures.
    pub(super) forwards: [Levels; 8],
    /// The least number of captures all pawns of the start need together.
    pub(super) needed: usize,
    /// The captures that the present costs were last assigned with.
    assigned_for: Option<usize>,
}

impl Side {
    /// What the men themselves say.
    pub(super) fn of(case: &Case, color: Color, ground: &Ground) -> Side {
        let steady = ground.steady;
        let mut side = Side {
            color,
            men: [(Square::A1, Role::Pawn); MEN],
            len: 0,
            costs: [[NEVER; MEN]; MEN],
            most: [[NEVER; MEN]; MEN],
            reach: [Bitboard::EMPTY; 8],
            graves: [Bitboard::FULL; MEN],
            backwards: [[Bitboard::EMPTY; MAX_CAPTURES + 1]; MEN],
            lost_backwards: [[Bitboard::EMPTY; MAX_CAPTURES + 1]; 8],
            forwards: [[Bitboard::EMPTY; MAX_CAPTURES + 1]; 8],
            needed: 0,
            assigned_for: None,
        };
        for role in Role::ALL {
            for square in case.setup.pieces.piece(Piece { color, role }) {
                side.men[side.len] = (square, role);
                side.costs[side.len] = possible_starts(color, square, role, steady);
                side.len += 1;
            }
        }
        let captured: [u8; MEN] = std::array::from_fn(|man| {
            let is_captured =
                start_role(man) != Role::King && !steady.contains(start_square(color, man));
            if is_captured { 0 } else { NEVER }
        });
        side.costs[side.len..].fill(captured);
        side.reach = std::array::from_fn(|man| reach_of_officer(ground, color, man));
        side
    }

    /// The men on the board, with their places.
    pub(super) fn on_board(&self) -> impl Iterator<Item = (usize, Square, Role)> + use<> {
        let (men, len) = (self.men, self.len);
        (0..len).map(move |place| (place, men[place].0, men[place].1))
    }

    /// Whether a man of the start may have been captured.
    pub(super) fn may_be_captured(&self, man: usize) -> bool {
        self.len < MEN && self.costs[MEN - 1][man] < NEVER
    }

    /// Whether a man of the start must have been captured.
    pub(super) fn is_captured(&self, man: usize) -> bool {
        self.may_be_captured(man) && self.costs[..self.len].iter().all(|costs| costs[man] >= NEVER)
    }

    /// Raises a cost. True if that is news.
    pub(super) fn raise(&mut self, place: usize, man: usize, cost: u8) -> bool {
        let is_news = self.costs[place][man] < cost;
        if is_news {
            self.costs[place][man] = cost;
            self.assigned_for = None;
        }
        is_news
    }

    /// Raises the cost of a man of the start to have been captured. True if that is news.
    pub(super) fn raise_capture(&mut self, man: usize, cost: u8) -> bool {
        // All these places are alike, so what is news for one is news for all.
        (self.len..MEN).map(|place| self.raise(place, man, cost)).max().unwrap_or(false)
    }

    /// Whether a man on the board may have been a pawn at the start.
    pub(super) fn may_be_pawn(&self, place: usize) -> bool {
        self.costs[place][FIRST_PAWN..].iter().any(|&cost| cost < NEVER)
    }

    /// Drops the pairs that would cost more captures than there were, and says what the others
    /// may cost. True if something was dropped; nothing if there is no assignment at all.
    ///
    /// If even the cheapest assignment costs too much, `needed` says so and nothing is dropped.
    pub(super) fn assign(&mut self, captures: usize) -> Option<bool> {
        if self.assigned_for == Some(captures) {
            return Some(false);
        }
        let cheapest = Assignment::cheapest(&self.costs)?;
        self.needed = usize::from(cheapest.total);
        let mut is_news = false;
        if self.needed > captures {
            return Some(false);
        }
        for place in 0..MEN {
            for man in 0..MEN {
                let total = usize::from(cheapest.total_with[place][man]);
                if total > captures {
                    is_news |= self.raise(place, man, NEVER);
                } else {
                    self.most[place][man] = self.costs[place][man] + (captures - total) as u8;
                }
            }
        }
        // What was dropped was part of no assignment that is cheap enough, so the others stay.
        self.assigned_for = Some(captures);
        Some(is_news)
    }
}

/// Who of the start may be the man on a square, as far as kinds go. A steady man is itself.
fn possible_starts(color: Color, square: Square, role: Role, steady: Bitboard) -> [u8; MEN] {
    std::array::from_fn(|man| {
        let start = start_square(color, man);
        let is_possible = if steady.contains(square) {
            start == square
        } else {
            let is_same = start_role(man) == role;
            let is_promoted = man >= FIRST_PAWN && role != Role::King;
            !steady.contains(start) && (is_same || is_promoted)
        };
        if is_possible { 0 } else { NEVER }
    })
}
