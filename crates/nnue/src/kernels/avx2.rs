//! Two AVX2 registers of 16 numbers each.
//!
//! Safety, for every `unsafe` block: the cfg on this module guarantees that the target processor
//! has the instructions. They only use registers, except for loads and stores, which read and
//! write the 64 bytes of a borrowed [`Block`].

use core::arch::x86_64::*;
use core::array::from_fn;

use super::{Lanes, QA};
use crate::block::{BLOCK, Block};

/// 32 numbers in two registers.
#[derive(Clone, Copy)]
pub(crate) struct Register([__m256i; 2]);

impl Lanes for Register {
    type Sums = [__m256i; 2];

    #[inline(always)]
    fn load(block: &Block) -> Register {
        let pointer = block.0.as_ptr().cast::<__m256i>();
        // SAFETY: see the top of the file; a block is aligned to 64 bytes.
        unsafe { Register([_mm256_load_si256(pointer), _mm256_load_si256(pointer.add(1))]) }
    }

    #[inline(always)]
    fn store(self, block: &mut Block) {
        let pointer = block.0.as_mut_ptr().cast::<__m256i>();
        // SAFETY: see the top of the file; a block is aligned to 64 bytes.
        unsafe {
            _mm256_store_si256(pointer, self.0[0]);
            _mm256_store_si256(pointer.add(1), self.0[1]);
        }
    }

    #[inline(always)]
    fn plus(self, other: Register) -> Register {
        // SAFETY: see the top of the file.
        Register(from_fn(|i| unsafe { _mm256_add_epi16(self.0[i], other.0[i]) }))
    }

    #[inline(always)]
    fn minus(self, other: Register) -> Register {
        // SAFETY: see the top of the file.
        Register(from_fn(|i| unsafe { _mm256_sub_epi16(self.0[i], other.0[i]) }))
    }

    #[inline(always)]
    fn zero_sums() -> Self::Sums {
        // SAFETY: see the top of the file.
        unsafe { [_mm256_setzero_si256(); 2] }
    }

    #[inline(always)]
    fn add_squares(self, weights: Register, sums: Self::Sums) -> Self::Sums {
        // SAFETY: see the top of the file.
        from_fn(|i| unsafe {
            let positive = _mm256_max_epi16(self.0[i], _mm256_setzero_si256());
            let clamped = _mm256_min_epi16(positive, _mm256_set1_epi16(QA));
            let weighted = _mm256_mullo_epi16(clamped, weights.0[i]);
            _mm256_add_epi32(sums[i], _mm256_madd_epi16(weighted, clamped))
        })
    }

    #[inline(always)]
    fn to_array(sums: Self::Sums) -> [i32; BLOCK / 2] {
        let mut lanes = [0; BLOCK / 2];
        let pointer = lanes.as_mut_ptr().cast::<__m256i>();
        // SAFETY: see the top of the file; here the 64 bytes are those of the array, and these
        // stores need no alignment.
        unsafe {
            _mm256_storeu_si256(pointer, sums[0]);
            _mm256_storeu_si256(pointer.add(1), sums[1]);
        }
        lanes
    }
}
