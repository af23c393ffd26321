//! Eight words, for every processor.

use core::array::from_fn;

/// Eight words.
#[derive(Clone, Copy)]
pub struct Lanes([u64; 8]);

super::operators!(Lanes);

impl Lanes {
    /// Eight words.
    #[inline(always)]
    pub fn new(words: [u64; 8]) -> Lanes {
        Lanes(words)
    }

    /// The same word eight times.
    #[inline(always)]
    pub fn splat(word: u64) -> Lanes {
        Lanes([word; 8])
    }

    /// `[a, a, b, b]` twice.
    #[inline(always)]
    pub fn pairs(a: u64, b: u64) -> Lanes {
        Lanes([a, a, b, b, a, a, b, b])
    }

    /// The eight words.
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

    /// The first four words shifted left and the last four right, by less than 64 bits each.
    #[inline(always)]
    pub fn apart(self, bits: [u64; 4]) -> Lanes {
        Lanes(from_fn(|i| if i < 4 { self.0[i] << bits[i] } else { self.0[i] >> bits[i - 4] }))
    }

    /// The first four words behind the last four.
    #[inline(always)]
    pub fn opposite(self) -> Lanes {
        Lanes(from_fn(|i| self.0[i ^ 4]))
    }

    /// How many bits each word has.
    #[inline(always)]
    pub fn count_ones(self) -> Lanes {
        Lanes(self.0.map(|word| u64::from(word.count_ones())))
    }

    /// The bits that are in any word.
    #[inline(always)]
    pub fn union(self) -> u64 {
        self.0.into_iter().fold(0, |all, word| all | word)
    }

    /// [`union`](Lanes::union) in every lane.
    #[inline(always)]
    pub fn union_in_all(self) -> Lanes {
        Lanes::splat(self.union())
    }

    /// The bits of these words that the others do not have.
    #[inline(always)]
    pub fn without(self, others: Lanes) -> Lanes {
        Lanes(from_fn(|i| self.0[i] & !others.0[i]))
    }

    /// All words added up.
    #[inline(always)]
    pub fn sum(self) -> u64 {
        self.0.into_iter().fold(0, u64::wrapping_add)
    }
}
