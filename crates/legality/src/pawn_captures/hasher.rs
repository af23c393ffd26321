//! A fast hash for keys that are small numbers. Equality is still decided by the whole key.

use std::hash::{BuildHasherDefault, Hasher};

/// The builder of fast hashers.
pub(super) type FastBuildHasher = BuildHasherDefault<FastHasher>;

/// The state of a fast hash.
#[derive(Default)]
pub(super) struct FastHasher(u64);

/// An odd number with well-spread bits: 2^64 divided by the square root of five.
const FACTOR: u64 = 0x727c_9716_ffb7_64d5;

impl Hasher for FastHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(FACTOR);
    }

    fn write_u128(&mut self, number: u128) {
        self.write_u64(number as u64);
        self.write_u64((number >> 64) as u64);
    }
}
