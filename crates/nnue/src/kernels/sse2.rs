//! Four SSE2 registers of eight numbers each, which every x86-64 processor has.
//!
//! Safety, for every `unsafe` block: the instructions are part of the architecture. They only use
//! registers, except for loads and stores, which read and write the 64 bytes of a borrowed
//! [`Block`].

use core::arch::x86_64::*;
use core::array::from_fn;

use super::{Lanes, QA};
use crate::block::{BLOCK, Block};

/// 32 numbers in four registers.
#[derive(Clone, Copy)]
pub(crate) struct Register([__m128i; 4]);

impl Lanes for Register {
    type Sums = [__m128i; 4];

    #[inline(always)]
    fn load(block: &Block) -> Register {
        let pointer = block.0.as_ptr().cast::<__m128i>();
        // SAFETY: see the top of the file; a block is aligned to 64 bytes.
        Register(from_fn(|i| unsafe { _mm_load_si128(pointer.add(i)) }))
    }

    #[inline(always)]
    fn store(self, block: &mut Block) {
        let pointer = block.0.as_mut_ptr().cast::<__m128i>();
        for (i, numbers) in self.0.into_iter().enumerate() {
            // SAFETY: see the top of the file; a block is aligned to 64 bytes.
            unsafe { _mm_store_si128(pointer.add(i), numbers) };
        }
    }

    #[inline(always)]
    fn plus(self, other: Register) -> Register {
        // SAFETY: see the top of the file.
        Register(from_fn(|i| unsafe { _mm_add_epi16(self.0[i], other.0[i]) }))
    }

    #[inline(always)]
    fn minus(self, other: Register) -> Register {
        // SAFETY: see the top of the file.
        Register(from_fn(|i| unsafe { _mm_sub_epi16(self.0[i], other.0[i]) }))
    }

    #[inline(always)]
    fn zero_sums() -> Self::Sums {
        // SAFETY: see the top of the file.
        unsafe { [_mm_setzero_si128(); 4] }
    }

    #[inline(always)]
    fn add_squares(self, weights: Register, sums: Self::Sums) -> Self::Sums {
        // SAFETY: see the top of the file.
        from_fn(|i| unsafe {
            let positive = _mm_max_epi16(self.0[i], _mm_setzero_si128());
            let clamped = _mm_min_epi16(positive, _mm_set1_epi16(QA));
            let weighted = _mm_mullo_epi16(clamped, weights.0[i]);
            _mm_add_epi32(sums[i], _mm_madd_epi16(weighted, clamped))
        })
    }

    #[inline(always)]
    fn to_array(sums: Self::Sums) -> [i32; BLOCK / 2] {
        let mut lanes = [0; BLOCK / 2];
        let pointer = lanes.as_mut_ptr().cast::<__m128i>();
        for (i, numbers) in sums.into_iter().enumerate() {
            // SAFETY: see the top of the file; here the 64 bytes are those of the array, and
            // these stores need no alignment.
            unsafe { _mm_storeu_si128(pointer.add(i), numbers) };
        }
        lanes
    }
}
