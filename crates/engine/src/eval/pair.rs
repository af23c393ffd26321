//! Pairs of a middlegame and an endgame score, packed into one integer.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A middlegame score in the lower half and an endgame score in the upper half, so that one
/// addition adds both. Each half must fit into sixteen bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Pair(i32);

/// Creates a pair from its halves.
pub(crate) const fn pair(middlegame: i32, endgame: i32) -> Pair {
    Pair((endgame << 16) + middlegame)
}

impl Pair {
    pub(crate) const ZERO: Pair = Pair(0);

    /// Returns the middlegame score.
    #[inline]
    pub(crate) const fn middlegame(self) -> i32 {
        self.0 as i16 as i32
    }

    /// Returns the endgame score. A negative lower half has borrowed one from it, which is added
    /// back.
    #[inline]
    pub(crate) const fn endgame(self) -> i32 {
        ((self.0 + 0x8000) >> 16) as i16 as i32
    }

    /// Returns the negated pair, in constants.
    pub(crate) const fn negated(self) -> Pair {
        Pair(-self.0)
    }
}

impl Add for Pair {
    type Output = Pair;
    #[inline]
    fn add(self, other: Pair) -> Pair {
        Pair(self.0 + other.0)
    }
}

impl Sub for Pair {
    type Output = Pair;
    #[inline]
    fn sub(self, other: Pair) -> Pair {
        Pair(self.0 - other.0)
    }
}

impl AddAssign for Pair {
    #[inline]
    fn add_assign(&mut self, other: Pair) {
        self.0 += other.0;
    }
}

impl SubAssign for Pair {
    #[inline]
    fn sub_assign(&mut self, other: Pair) {
        self.0 -= other.0;
    }
}

impl Neg for Pair {
    type Output = Pair;
    #[inline]
    fn neg(self) -> Pair {
        Pair(-self.0)
    }
}

impl Mul<i32> for Pair {
    type Output = Pair;
    #[inline]
    fn mul(self, factor: i32) -> Pair {
        Pair(self.0 * factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_come_back() {
        for middlegame in [-9000, -255, -1, 0, 1, 77, 9000] {
            for endgame in [-9000, -300, -1, 0, 1, 128, 9000] {
                let both = pair(middlegame, endgame);
                assert_eq!((both.middlegame(), both.endgame()), (middlegame, endgame));
                let minus = -both;
                assert_eq!((minus.middlegame(), minus.endgame()), (-middlegame, -endgame));
                let triple = pair(middlegame / 3, endgame / 3) * 3 - pair(5, -5);
                assert_eq!(triple.middlegame(), middlegame / 3 * 3 - 5);
                assert_eq!(triple.endgame(), endgame / 3 * 3 + 5);
            }
        }
    }
}
