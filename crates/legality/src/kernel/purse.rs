//! Resource counters: captures left to each side, pawns and pieces that may still be captured,
//! and the promotions already seen on squares of a bishop's color.
//!
//! Invariant: thirteen lanes of six bits. The highest bit of each lane is always clear, so that
//! all lanes can be compared at once. In every lane more is better.

use castellan_rules::Color;

/// Lanes of numbers below 32; more is better in each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Purse(pub(super) u128);

const LANE_BITS: u32 = 6;
const LANES: u32 = 13;
/// The clear bit at the top of each lane.
const GUARDS: u128 = {
    let mut guards = 0;
    let mut lane = 0;
    while lane < LANES {
        guards |= 1 << (lane * LANE_BITS + LANE_BITS - 1);
        lane += 1;
    }
    guards
};

/// The four lanes of promotions, which are adjacent.
const PROMOTIONS: u128 = ((1 << (4 * LANE_BITS)) - 1) << (5 * LANE_BITS);

/// A lane of a purse.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Lane(u32);

impl Lane {
    /// The captures left to both sides together.
    pub(super) const ALL_CAPTURES: Lane = Lane(0);

    /// Returns the lane for captures left to a side.
    pub(super) const fn captures(by: Color) -> Lane {
        Lane(1 + by as u32)
    }

    /// Returns the lane for pawns of a side that may still be captured as pawns.
    pub(super) const fn pawns(of: Color) -> Lane {
        Lane(3 + of as u32)
    }

    /// Returns the lane for promotions of a side seen on light or dark squares, as far as
    /// required.
    pub(super) const fn promotions(by: Color, is_light: bool) -> Lane {
        Lane(5 + 2 * by as u32 + is_light as u32)
    }

    /// Returns the lane for pieces of a side that pawns may still capture on light or dark
    /// squares.
    pub(super) const fn pieces(of: Color, is_light: bool) -> Lane {
        Lane(9 + 2 * of as u32 + is_light as u32)
    }

    /// Returns a purse with one in this lane and nothing in the others.
    pub(super) const fn one(self) -> Purse {
        Purse(1 << (self.0 * LANE_BITS))
    }
}

impl Purse {
    pub(super) const EMPTY: Purse = Purse(0);

    /// Returns the captures left to both sides together.
    pub(super) const fn captures(self) -> u32 {
        self.get(Lane::ALL_CAPTURES)
    }

    /// Returns the number in a lane.
    pub(super) const fn get(self, lane: Lane) -> u32 {
        (self.0 >> (lane.0 * LANE_BITS)) as u32 & 31
    }

    /// Adds a number to a lane. The sum must stay below 32.
    pub(super) const fn plus(self, lane: Lane, number: u32) -> Purse {
        Purse(self.0 + ((number as u128) << (lane.0 * LANE_BITS)))
    }

    /// Returns the sum of both purses.
    pub(super) const fn and(self, other: Purse) -> Purse {
        Purse(self.0 + other.0)
    }

    /// Returns the difference. No lane of the other may hold more.
    pub(super) const fn less(self, other: Purse) -> Purse {
        Purse(self.0 - other.0)
    }

    /// Returns only the promotions.
    pub(super) const fn promotions(self) -> Purse {
        Purse(self.0 & PROMOTIONS)
    }

    /// Returns everything but the promotions.
    pub(super) const fn without_promotions(self) -> Purse {
        Purse(self.0 & !PROMOTIONS)
    }

    /// Returns what is left after a cost, or `None` if a lane does not hold enough.
    pub(super) const fn spend(self, cost: Purse) -> Option<Purse> {
        let rest = (self.0 | GUARDS) - cost.0;
        if rest & GUARDS == GUARDS { Some(Purse(rest ^ GUARDS)) } else { None }
    }

    /// Returns whether no lane holds less than the same lane of the other.
    pub(super) const fn covers(self, other: Purse) -> bool {
        self.spend(other).is_some()
    }
}
