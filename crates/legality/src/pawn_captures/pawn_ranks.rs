//! The pawns of one file with their ranks.
//!
//! Invariant: no pawn has advanced further than the requirements met so far on its file made
//! necessary. That is enough because pawns that have advanced less can do whatever pawns in the
//! same order that have advanced more can do. They first advance to the same squares, the foremost
//! of each color before those behind it, and never meet, since the order is the same. It is
//! therefore enough to move a pawn when it has to make way, and only as far as needed.
//!
//! The code is written for White; Black's moves are White's on the board turned upside down.

use std::ops::RangeInclusive;

use castellan_rules::Color;

use super::pawns::{Pawns, Unmoved};

/// The ranks of the pawns on a file: bit 1 is the second rank, bit 6 the seventh.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct PawnRanks {
    pub(super) white: u8,
    pub(super) black: u8,
}

/// The bits of the second and seventh ranks, where the pawns begin.
const WHITE_HOME: u8 = 1 << 1;
const BLACK_HOME: u8 = 1 << 6;
/// The index of the seventh rank.
const SEVENTH: u8 = 6;

impl PawnRanks {
    /// Returns the pawns as the player of a color sees it, with their own pawns as white.
    fn seen_by(self, color: Color) -> PawnRanks {
        match color {
            Color::White => self,
            Color::Black => {
                PawnRanks { white: self.black.reverse_bits(), black: self.white.reverse_bits() }
            }
        }
    }

    fn occupied(self) -> u8 {
        self.white | self.black
    }

    fn without(self, pawns: u8) -> PawnRanks {
        PawnRanks { white: self.white & !pawns, black: self.black & !pawns }
    }

    /// Moves the `upper` pawns, which are above all others, beyond a rank unless they are there
    /// already. Returns `None` if that is impossible.
    fn lift(self, upper: u8, rank: u8, fixed: u8) -> Option<PawnRanks> {
        let mut lifted = self.without(upper);
        let mut floor = rank + 1;
        let mut pawns = upper;
        while pawns != 0 {
            let pawn = pawns.trailing_zeros() as u8;
            pawns &= pawns - 1;
            let to = pawn.max(floor);
            let is_white = self.white >> pawn & 1 != 0;
            if to > SEVENTH || to != pawn && (!is_white || fixed >> pawn & 1 != 0) {
                return None;
            }
            *(if is_white { &mut lifted.white } else { &mut lifted.black }) |= 1 << to;
            floor = to + 1;
        }
        Some(lifted)
    }

    /// Moves the `lower` pawns, which are below all others, below a rank unless they are there
    /// already. Returns `None` if that is impossible.
    fn drop(self, lower: u8, rank: u8, fixed: u8) -> Option<PawnRanks> {
        let turned = self.seen_by(Color::Black);
        let lifted = turned.lift(lower.reverse_bits(), 7 - rank, fixed.reverse_bits())?;
        Some(lifted.seen_by(Color::Black))
    }

    /// Returns the pawns after a white pawn has advanced to a rank, without passing another,
    /// and left.
    fn leave(self, rank: u8, fixed: u8) -> Option<PawnRanks> {
        let upto = self.occupied() & ((2_u8 << rank) - 1);
        let highest = 1 << upto.checked_ilog2()?;
        (self.white & highest & !fixed != 0).then(|| self.without(highest))
    }

    /// Returns the pawns after a white pawn has captured the black pawn of a bit on a rank.
    fn take(self, victim: u8, rank: u8, fixed: u8) -> Option<PawnRanks> {
        if self.black & victim & !fixed == 0 || victim < 1 << rank {
            return None;
        }
        let lower = self.occupied() & (victim - 1);
        let dropped = self.without(victim).drop(lower, rank, fixed)?;
        Some(PawnRanks { white: dropped.white | 1 << rank, ..dropped })
    }

    /// Returns the pawns after a white pawn has arrived on a rank between the lower pawns and
    /// the rest.
    fn join(self, lower: u8, rank: u8, fixed: u8) -> Option<PawnRanks> {
        let upper = self.occupied() & !lower;
        let next = upper & upper.wrapping_neg();
        // A white pawn that would have to advance past the rank might as well stay below the new
        // one.
        if next < 1 << rank && self.white & next != 0 {
            return None;
        }
        let parted = self.lift(upper, rank, fixed)?.drop(lower, rank, fixed)?;
        Some(PawnRanks { white: parted.white | 1 << rank, ..parted })
    }
}

/// Returns the index of a rank as the player of a color sees it.
fn arrival(color: Color, landing: u8) -> u8 {
    color.fold(landing - 1, 8 - landing)
}

/// Returns the pawns that never move, as the player of a color sees them.
fn fixed(unmoved: Unmoved, color: Color) -> u8 {
    let white = if unmoved.white { WHITE_HOME } else { 0 };
    let both = white | if unmoved.black { BLACK_HOME } else { 0 };
    color.fold(both, both.reverse_bits())
}

impl Pawns for PawnRanks {
    const KNOWS_RANKS: bool = true;

    fn landings(color: Color) -> RangeInclusive<u8> {
        color.fold(3..=8, 1..=6)
    }

    fn start(has_white: bool, has_black: bool) -> PawnRanks {
        PawnRanks {
            white: if has_white { WHITE_HOME } else { 0 },
            black: if has_black { BLACK_HOME } else { 0 },
        }
    }

    fn can_become(self, goal: PawnRanks) -> bool {
        let (mut ours, mut theirs) = (self.occupied(), goal.occupied());
        while ours != 0 && theirs != 0 {
            let (from, to) = (ours.trailing_zeros(), theirs.trailing_zeros());
            let (is_white, is_wanted_white) = (self.white >> from & 1, goal.white >> to & 1);
            let is_ahead = if is_white != 0 { from <= to } else { from >= to };
            if is_white != is_wanted_white || !is_ahead {
                return false;
            }
            (ours, theirs) = (ours & (ours - 1), theirs & (theirs - 1));
        }
        ours == theirs
    }

    fn without_front(self, color: Color, unmoved: Unmoved) -> Option<PawnRanks> {
        let left = self.seen_by(color).leave(SEVENTH, fixed(unmoved, color))?;
        Some(left.seen_by(color))
    }

    fn leaving(self, color: Color, landing: u8, unmoved: Unmoved) -> impl Iterator<Item = Self> {
        let from = arrival(color, landing) - 1;
        let left = self.seen_by(color).leave(from, fixed(unmoved, color));
        left.into_iter().map(move |left| left.seen_by(color))
    }

    fn taking(self, color: Color, landing: u8, unmoved: Unmoved) -> impl Iterator<Item = Self> {
        let (pawns, fixed) = (self.seen_by(color), fixed(unmoved, color));
        let rank = arrival(color, landing);
        let taken = (rank..=SEVENTH).filter_map(move |at| pawns.take(1 << at, rank, fixed));
        taken.map(move |taken| taken.seen_by(color))
    }

    fn joining(self, color: Color, landing: u8, unmoved: Unmoved) -> impl Iterator<Item = Self> {
        let (pawns, fixed) = (self.seen_by(color), fixed(unmoved, color));
        let rank = arrival(color, landing);
        let lowers = parts(pawns.occupied());
        let joined = lowers.filter_map(move |lower| pawns.join(lower, rank, fixed));
        joined.map(move |joined| joined.seen_by(color))
    }
}

/// Iterates over the lowest pawns of a set: none, one, two and so on up to all.
fn parts(set: u8) -> impl Iterator<Item = u8> {
    let next = move |&lower: &u8| {
        let others = set & !lower;
        (others != 0).then(|| lower | others & others.wrapping_neg())
    };
    std::iter::successors(Some(0), next)
}
