//! Random numbers for openings and shuffles.

/// A xorshift generator. Seeds are mixed first, so that neighboring seeds give different numbers
/// from the start.
pub(crate) struct Random(u64);

impl Random {
    /// Creates a generator. Every seed is valid.
    pub(crate) fn new(seed: u64) -> Random {
        Random(mixed(seed.wrapping_add(GOLDEN)) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number from 0 to `limit - 1`, or 0 if the limit is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// Returns a number from 0 to 1, without 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// An odd number near 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Spreads every bit of a number over all bits: the finalizer of SplitMix64.
pub(crate) fn mixed(number: u64) -> u64 {
    let mut bits = number;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
