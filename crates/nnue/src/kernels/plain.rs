//! Portable implementation without vector instructions, and the safe reference for the vector
//! code.

use core::array::from_fn;

use super::{Lanes, QA};
use crate::block::{BLOCK, Block};

/// 32 numbers.
#[derive(Clone, Copy)]
pub(crate) struct Register([i16; BLOCK]);

impl Lanes for Register {
    type Sums = [i32; BLOCK / 2];

    #[inline(always)]
    fn load(block: &Block) -> Register {
        Register(block.0)
    }

    #[inline(always)]
    fn store(self, block: &mut Block) {
        block.0 = self.0;
    }

    #[inline(always)]
    fn plus(self, other: Register) -> Register {
        Register(from_fn(|i| self.0[i].wrapping_add(other.0[i])))
    }

    #[inline(always)]
    fn minus(self, other: Register) -> Register {
        Register(from_fn(|i| self.0[i].wrapping_sub(other.0[i])))
    }

    #[inline(always)]
    fn zero_sums() -> Self::Sums {
        [0; BLOCK / 2]
    }

    #[inline(always)]
    fn add_squares(self, weights: Register, sums: Self::Sums) -> Self::Sums {
        let product = |i: usize| {
            let clamped = self.0[i].clamp(0, QA);
            i32::from(clamped.wrapping_mul(weights.0[i])) * i32::from(clamped)
        };
        from_fn(|i| sums[i] + product(2 * i) + product(2 * i + 1))
    }

    #[inline(always)]
    fn to_array(sums: Self::Sums) -> [i32; BLOCK / 2] {
        sums
    }
}
