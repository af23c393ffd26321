//! Resource counters: captures left to each side, pawns and pieces that may still be captured,
//! and the promotions already seen on squares of a bishop's color.
//!
//! Invariant: there are thirteen counters of six bits each. The highest bit of each counter is
//! always clear, so that all counters can be compared at once. In every counter, a larger value is
//! better.

use castellan_rules::Color;

/// Thirteen counters below 32; more is better in each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Resources(pub(super) u128);

const COUNTER_BITS: u32 = 6;
const COUNTERS: u32 = 13;
/// The clear bit at the top of each counter.
const GUARDS: u128 = {
    let mut guards = 0;
    let mut counter = 0;
    while counter < COUNTERS {
        guards |= 1 << (counter * COUNTER_BITS + COUNTER_BITS - 1);
        counter += 1;
    }
    guards
};

/// The four counters of promotions, which are adjacent.
const PROMOTIONS: u128 = ((1 << (4 * COUNTER_BITS)) - 1) << (5 * COUNTER_BITS);

/// One of the counters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Counter(u32);

impl Counter {
    /// The captures left to both sides together.
    pub(super) const ALL_CAPTURES: Counter = Counter(0);

    /// Returns the counter for captures left to a side.
    pub(super) const fn captures(by: Color) -> Counter {
        Counter(1 + by as u32)
    }

    /// Returns the counter for pawns of a side that may still be captured as pawns.
    pub(super) const fn pawns(of: Color) -> Counter {
        Counter(3 + of as u32)
    }

    /// Returns the counter for promotions of a side seen on light or dark squares, as far as
    /// required.
    pub(super) const fn promotions(by: Color, is_light: bool) -> Counter {
        Counter(5 + 2 * by as u32 + is_light as u32)
    }

    /// Returns the counter for pieces of a side that pawns may still capture on light or dark
    /// squares.
    pub(super) const fn pieces(of: Color, is_light: bool) -> Counter {
        Counter(9 + 2 * of as u32 + is_light as u32)
    }

    /// Returns resources with one in this counter and nothing in the others.
    pub(super) const fn one(self) -> Resources {
        Resources(1 << (self.0 * COUNTER_BITS))
    }
}

impl Resources {
    pub(super) const EMPTY: Resources = Resources(0);

    /// Returns the captures left to both sides together.
    pub(super) const fn captures(self) -> u32 {
        self.get(Counter::ALL_CAPTURES)
    }

    /// Returns the number in a counter.
    pub(super) const fn get(self, counter: Counter) -> u32 {
        (self.0 >> (counter.0 * COUNTER_BITS)) as u32 & 31
    }

    /// Adds a number to a counter. The sum must stay below 32.
    pub(super) const fn add_to(self, counter: Counter, number: u32) -> Resources {
        Resources(self.0 + ((number as u128) << (counter.0 * COUNTER_BITS)))
    }

    /// Returns the sum, counter by counter.
    pub(super) const fn plus(self, other: Resources) -> Resources {
        Resources(self.0 + other.0)
    }

    /// Returns the difference, counter by counter. No counter of `other` may hold more.
    pub(super) const fn minus(self, other: Resources) -> Resources {
        Resources(self.0 - other.0)
    }

    /// Returns only the promotions.
    pub(super) const fn promotions(self) -> Resources {
        Resources(self.0 & PROMOTIONS)
    }

    /// Returns everything but the promotions.
    pub(super) const fn without_promotions(self) -> Resources {
        Resources(self.0 & !PROMOTIONS)
    }

    /// Returns what is left after a cost, or `None` if a counter does not hold enough.
    pub(super) const fn spend(self, cost: Resources) -> Option<Resources> {
        let rest = (self.0 | GUARDS) - cost.0;
        if rest & GUARDS == GUARDS { Some(Resources(rest ^ GUARDS)) } else { None }
    }

    /// Returns whether no counter holds less than the same counter of the other.
    pub(super) const fn covers(self, other: Resources) -> bool {
        self.spend(other).is_some()
    }
}
