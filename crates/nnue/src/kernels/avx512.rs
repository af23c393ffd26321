//! One AVX-512 register of 32 numbers.
//!
//! Safety, for every `unsafe` block: the cfg on this module guarantees that the target processor
//! has the instructions. They only use registers, except for loads and stores, which read and
//! write the 64 bytes of a borrowed [`Block`].

use core::arch::x86_64::*;

use super::{Lanes, QA};
use crate::block::{BLOCK, Block};

/// 32 numbers in one register.
#[derive(Clone, Copy)]
pub(crate) struct Register(__m512i);

impl Lanes for Register {
    type Sums = __m512i;

    #[inline(always)]
    fn load(block: &Block) -> Register {
        // SAFETY: see the top of the file; a block is aligned to 64 bytes.
        Register(unsafe { _mm512_load_si512(block.0.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, block: &mut Block) {
        // SAFETY: see the top of the file; a block is aligned to 64 bytes.
        unsafe { _mm512_store_si512(block.0.as_mut_ptr().cast(), self.0) };
    }

    #[inline(always)]
    fn plus(self, other: Register) -> Register {
        // SAFETY: see the top of the file.
        Register(unsafe { _mm512_add_epi16(self.0, other.0) })
    }

    #[inline(always)]
    fn minus(self, other: Register) -> Register {
        // SAFETY: see the top of the file.
        Register(unsafe { _mm512_sub_epi16(self.0, other.0) })
    }

    #[inline(always)]
    fn zero_sums() -> Self::Sums {
        // SAFETY: see the top of the file.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    fn add_squares(self, weights: Register, sums: Self::Sums) -> Self::Sums {
        // SAFETY: see the top of the file.
        unsafe {
            let positive = _mm512_max_epi16(self.0, _mm512_setzero_si512());
            let clamped = _mm512_min_epi16(positive, _mm512_set1_epi16(QA));
            let weighted = _mm512_mullo_epi16(clamped, weights.0);
            _mm512_add_epi32(sums, _mm512_madd_epi16(weighted, clamped))
        }
    }

    #[inline(always)]
    fn to_array(sums: Self::Sums) -> [i32; BLOCK / 2] {
        let mut lanes = [0; BLOCK / 2];
        // SAFETY: see the top of the file; here the 64 bytes are those of the array, and these
        // stores need no alignment.
        unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), sums) };
        lanes
    }
}
