//! Four NEON registers of eight numbers each.
//!
//! Safety, for every `unsafe` block: the cfg on this module guarantees that the target processor
//! has the instructions. They only use registers, except for loads and stores, which read and
//! write the 64 bytes of a borrowed [`Block`].

use core::arch::aarch64::*;
use core::array::from_fn;

use super::{Lanes, QA};
use crate::block::{BLOCK, Block};

/// 32 numbers in four registers.
#[derive(Clone, Copy)]
pub(crate) struct Register([int16x8_t; 4]);

impl Lanes for Register {
    type Sums = [int32x4_t; 4];

    #[inline(always)]
    fn load(block: &Block) -> Register {
        // SAFETY: see the top of the file.
        Register(from_fn(|i| unsafe { vld1q_s16(block.0.as_ptr().add(8 * i)) }))
    }

    #[inline(always)]
    fn store(self, block: &mut Block) {
        for (i, numbers) in self.0.into_iter().enumerate() {
            // SAFETY: see the top of the file.
            unsafe { vst1q_s16(block.0.as_mut_ptr().add(8 * i), numbers) };
        }
    }

    #[inline(always)]
    fn plus(self, other: Register) -> Register {
        // SAFETY: see the top of the file.
        Register(from_fn(|i| unsafe { vaddq_s16(self.0[i], other.0[i]) }))
    }

    #[inline(always)]
    fn minus(self, other: Register) -> Register {
        // SAFETY: see the top of the file.
        Register(from_fn(|i| unsafe { vsubq_s16(self.0[i], other.0[i]) }))
    }

    #[inline(always)]
    fn zero_sums() -> Self::Sums {
        // SAFETY: see the top of the file.
        unsafe { [vdupq_n_s32(0); 4] }
    }

    #[inline(always)]
    fn add_squares(self, weights: Register, sums: Self::Sums) -> Self::Sums {
        // SAFETY: see the top of the file.
        from_fn(|i| unsafe {
            let positive = vmaxq_s16(self.0[i], vdupq_n_s16(0));
            let clamped = vminq_s16(positive, vdupq_n_s16(QA));
            let weighted = vmulq_s16(clamped, weights.0[i]);
            let low = vmlal_s16(sums[i], vget_low_s16(weighted), vget_low_s16(clamped));
            vmlal_high_s16(low, weighted, clamped)
        })
    }

    #[inline(always)]
    fn to_array(sums: Self::Sums) -> [i32; BLOCK / 2] {
        let mut lanes = [0; BLOCK / 2];
        for (i, numbers) in sums.into_iter().enumerate() {
            // SAFETY: see the top of the file; here the 64 bytes are those of the array.
            unsafe { vst1q_s32(lanes.as_mut_ptr().add(4 * i), numbers) };
        }
        lanes
    }
}
