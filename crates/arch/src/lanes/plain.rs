//! An array of eight words, for every processor.

use core::array::from_fn;

/// Eight words.
#[derive(Clone, Copy)]
pub struct Lanes([u64; 8]);

super::operators!(Lanes);

impl Lanes {
    /// Creates lanes from eight words.
    #[inline(always)]
    pub fn new(words: [u64; 8]) -> Lanes {
        Lanes(words)
    }

    /// Creates lanes that all hold the same word.
    #[inline(always)]
    pub fn splat(word: u64) -> Lanes {
        Lanes([word; 8])
    }

    /// Creates lanes that hold `[a, a, b, b]` twice.
    #[inline(always)]
    pub fn pairs(a: u64, b: u64) -> Lanes {
        Lanes([a, a, b, b, a, a, b, b])
    }

    /// Returns the eight words.
    #[inline(always)]
    pub fn words(self) -> [u64; 8] {
        self.0
    }

    #[inline(always)]
    fn and(self, other: Lanes) -> Lanes {
        Lanes(from_fn(|i| self.0[i] & other.0[i]))
    }

    #[inline(always)]
    fn or(self, other: Lanes) -> Lanes {
        Lanes(from_fn(|i| self.0[i] | other.0[i]))
    }

    #[inline(always)]
    fn plus(self, other: Lanes) -> Lanes {
        Lanes(from_fn(|i| self.0[i].wrapping_add(other.0[i])))
    }

    /// Shifts the first four words left and the last four right, each by less than 64 bits.
    #[inline(always)]
    pub fn shift_halves_apart(self, bits: [u64; 4]) -> Lanes {
        Lanes(from_fn(|i| if i < 4 { self.0[i] << bits[i] } else { self.0[i] >> bits[i - 4] }))
    }

    /// Swaps the first four words with the last four.
    #[inline(always)]
    pub fn swap_halves(self) -> Lanes {
        Lanes(from_fn(|i| self.0[i ^ 4]))
    }

    /// Returns the number of one bits in each word.
    #[inline(always)]
    pub fn count_ones(self) -> Lanes {
        Lanes(self.0.map(|word| u64::from(word.count_ones())))
    }

    /// Returns the bitwise OR of all words.
    #[inline(always)]
    pub fn union(self) -> u64 {
        self.0.into_iter().fold(0, |all, word| all | word)
    }

    /// Returns [`union`](Lanes::union) in every lane.
    #[inline(always)]
    pub fn union_splat(self) -> Lanes {
        Lanes::splat(self.union())
    }

    /// Returns the bits of each word that are not set in the same lane of `others`.
    #[inline(always)]
    pub fn without(self, others: Lanes) -> Lanes {
        Lanes(from_fn(|i| self.0[i] & !others.0[i]))
    }

    /// Returns the sum of all words.
    #[inline(always)]
    pub fn sum(self) -> u64 {
        self.0.into_iter().fold(0, u64::wrapping_add)
    }
}
