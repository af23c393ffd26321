//! Seeded random numbers for tests.
//!
//! The same seed gives the same numbers on every machine and in every release. There is no global
//! state and no other source of randomness in this crate.

/// The SplitMix64 generator: a counter with a large odd step, mixed by two rounds of shift and
/// multiply. It is in the public domain, passes the usual statistical tests, and works with any
/// seed.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Creates a generator from a seed.
    #[must_use]
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64 { state: seed }
    }

    /// Returns the next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to `limit - 1`. The bias of the remainder is far below what any
    /// test here could detect.
    ///
    /// # Panics
    ///
    /// Panics if `limit` is zero.
    pub fn below(&mut self, limit: usize) -> usize {
        let remainder = self.next_u64() % limit as u64;
        usize::try_from(remainder).expect("the remainder is smaller than a usize")
    }

    /// Returns `true` with a probability of `percent` percent.
    pub fn chance(&mut self, percent: u8) -> bool {
        self.below(100) < usize::from(percent)
    }

    /// Returns one of the items, or `None` if there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { items.get(self.below(items.len())) }
    }
}
