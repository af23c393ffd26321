//! Four WebAssembly registers of eight numbers each.
//!
//! Safety, for every `unsafe` block: the cfg on this module guarantees that the target
//! WebAssembly engine has the instructions. Loads and stores read and write the 64 bytes of a
//! borrowed [`Block`].

use core::arch::wasm32::*;
use core::array::from_fn;

use super::{Lanes, QA};
use crate::block::{BLOCK, Block};

/// 32 numbers in four registers.
#[derive(Clone, Copy)]
pub(crate) struct Register([v128; 4]);

impl Lanes for Register {
    type Sums = [v128; 4];

    #[inline(always)]
    fn load(block: &Block) -> Register {
        let pointer = block.0.as_ptr().cast::<v128>();
        // SAFETY: see the top of the file.
        Register(from_fn(|i| unsafe { v128_load(pointer.add(i)) }))
    }

    #[inline(always)]
    fn store(self, block: &mut Block) {
        let pointer = block.0.as_mut_ptr().cast::<v128>();
        for (i, numbers) in self.0.into_iter().enumerate() {
            // SAFETY: see the top of the file.
            unsafe { v128_store(pointer.add(i), numbers) };
        }
    }

    #[inline(always)]
    fn plus(self, other: Register) -> Register {
        Register(from_fn(|i| i16x8_add(self.0[i], other.0[i])))
    }

    #[inline(always)]
    fn minus(self, other: Register) -> Register {
        Register(from_fn(|i| i16x8_sub(self.0[i], other.0[i])))
    }

    #[inline(always)]
    fn zero_sums() -> Self::Sums {
        [i32x4_splat(0); 4]
    }

    #[inline(always)]
    fn add_squares(self, weights: Register, sums: Self::Sums) -> Self::Sums {
        from_fn(|i| {
            let positive = i16x8_max(self.0[i], i16x8_splat(0));
            let clamped = i16x8_min(positive, i16x8_splat(QA));
            let weighted = i16x8_mul(clamped, weights.0[i]);
            i32x4_add(sums[i], i32x4_dot_i16x8(weighted, clamped))
        })
    }

    #[inline(always)]
    fn to_array(sums: Self::Sums) -> [i32; BLOCK / 2] {
        let mut lanes = [0; BLOCK / 2];
        let pointer = lanes.as_mut_ptr().cast::<v128>();
        for (i, numbers) in sums.into_iter().enumerate() {
            // SAFETY: see the top of the file; here the 64 bytes are those of the array, and
            // these stores need no alignment.
            unsafe { v128_store(pointer.add(i), numbers) };
        }
        lanes
    }
}
