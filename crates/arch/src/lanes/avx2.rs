//! Two AVX2 registers of four words each.
//!
//! Safety, for every `unsafe` block: the instructions only use registers, and the cfg on this
//! module guarantees that the target processor has them.

use core::arch::{asm, x86_64::*};

/// Eight words in two registers.
#[derive(Clone, Copy)]
pub struct Lanes(__m256i, __m256i);

super::operators!(Lanes);

#[inline(always)]
fn register(words: [u64; 4]) -> __m256i {
    let [a, b, c, d] = words.map(u64::cast_signed);
    // SAFETY: see the top of the file.
    unsafe { _mm256_set_epi64x(d, c, b, a) }
}

impl Lanes {
    /// Creates lanes from eight words.
    #[inline(always)]
    pub fn new(words: [u64; 8]) -> Lanes {
        let [a, b, c, d, e, f, g, h] = words;
        Lanes(register([a, b, c, d]), register([e, f, g, h]))
    }

    /// Creates lanes that all hold the same word.
    #[inline(always)]
    pub fn splat(word: u64) -> Lanes {
        Lanes(register([word; 4]), register([word; 4]))
    }

    /// Creates lanes that hold `[a, a, b, b]` twice.
    #[inline(always)]
    pub fn pairs(a: u64, b: u64) -> Lanes {
        // Without the empty asm, the compiler loads both words and those next to them in memory with
        // one wide load and shuffles them. If the words were stored separately just before, that
        // load has to wait for all of the stores, which took a quarter of the time of counting
        // moves.
        // SAFETY: the asm contains no instruction. For the blend, see the top of the file.
        unsafe {
            let (mut a, mut b) = (a, b);
            asm!("/* {0} {1} */", inout(reg) a, inout(reg) b, options(pure, nomem, nostack, preserves_flags));
            let four = _mm256_blend_epi32::<0b1111_0000>(register([a; 4]), register([b; 4]));
            Lanes(four, four)
        }
    }

    /// Returns the eight words.
    #[inline(always)]
    pub fn words(self) -> [u64; 8] {
        // SAFETY: see the top of the file.
        let words = unsafe {
            [
                _mm256_extract_epi64::<0>(self.0),
                _mm256_extract_epi64::<1>(self.0),
                _mm256_extract_epi64::<2>(self.0),
                _mm256_extract_epi64::<3>(self.0),
                _mm256_extract_epi64::<0>(self.1),
                _mm256_extract_epi64::<1>(self.1),
                _mm256_extract_epi64::<2>(self.1),
                _mm256_extract_epi64::<3>(self.1),
            ]
        };
        words.map(i64::cast_unsigned)
    }

    #[inline(always)]
    fn and(self, other: Lanes) -> Lanes {
        // SAFETY: see the top of the file.
        unsafe { Lanes(_mm256_and_si256(self.0, other.0), _mm256_and_si256(self.1, other.1)) }
    }

    #[inline(always)]
    fn or(self, other: Lanes) -> Lanes {
        // SAFETY: see the top of the file.
        unsafe { Lanes(_mm256_or_si256(self.0, other.0), _mm256_or_si256(self.1, other.1)) }
    }

    #[inline(always)]
    fn plus(self, other: Lanes) -> Lanes {
        // SAFETY: see the top of the file.
        unsafe { Lanes(_mm256_add_epi64(self.0, other.0), _mm256_add_epi64(self.1, other.1)) }
    }

    /// Shifts the first four words left and the last four right, each by less than 64 bits.
    #[inline(always)]
    pub fn shift_halves_apart(self, bits: [u64; 4]) -> Lanes {
        let bits = register(bits);
        // SAFETY: see the top of the file.
        unsafe { Lanes(_mm256_sllv_epi64(self.0, bits), _mm256_srlv_epi64(self.1, bits)) }
    }

    /// Swaps the first four words with the last four.
    #[inline(always)]
    pub fn swap_halves(self) -> Lanes {
        Lanes(self.1, self.0)
    }

    /// Returns the number of one bits in each word.
    #[inline(always)]
    pub fn count_ones(self) -> Lanes {
        #[cfg(all(target_feature = "avx512vpopcntdq", target_feature = "avx512vl"))]
        // SAFETY: see the top of the file; the cfg covers what these two instructions
        // additionally need.
        return unsafe { Lanes(_mm256_popcnt_epi64(self.0), _mm256_popcnt_epi64(self.1)) };
        #[cfg(not(all(target_feature = "avx512vpopcntdq", target_feature = "avx512vl")))]
        return Lanes::new(self.words().map(|word| u64::from(word.count_ones())));
    }

    /// Returns the bitwise OR of all words.
    #[inline(always)]
    pub fn union(self) -> u64 {
        // SAFETY: see the top of the file.
        unsafe {
            let four = _mm256_or_si256(self.0, self.1);
            let high = _mm256_extracti128_si256::<1>(four);
            let two = _mm_or_si128(_mm256_castsi256_si128(four), high);
            let one = _mm_or_si128(two, _mm_unpackhi_epi64(two, two));
            _mm_cvtsi128_si64(one).cast_unsigned()
        }
    }

    /// Returns [`union`](Lanes::union) in every lane. This is faster than extracting it and
    /// broadcasting it again.
    #[inline(always)]
    pub fn union_splat(self) -> Lanes {
        // SAFETY: see the top of the file.
        unsafe {
            let four = _mm256_or_si256(self.0, self.1);
            let two = _mm256_or_si256(four, _mm256_permute4x64_epi64::<0b01_00_11_10>(four));
            let one = _mm256_or_si256(two, _mm256_shuffle_epi32::<0b01_00_11_10>(two));
            Lanes(one, one)
        }
    }

    /// Returns the bits of each word that are not set in the same lane of `others`.
    #[inline(always)]
    pub fn without(self, others: Lanes) -> Lanes {
        // SAFETY: see the top of the file.
        unsafe {
            Lanes(_mm256_andnot_si256(others.0, self.0), _mm256_andnot_si256(others.1, self.1))
        }
    }

    /// Returns the sum of all words.
    #[inline(always)]
    pub fn sum(self) -> u64 {
        // SAFETY: see the top of the file.
        unsafe {
            let four = _mm256_add_epi64(self.0, self.1);
            let high = _mm256_extracti128_si256::<1>(four);
            let two = _mm_add_epi64(_mm256_castsi256_si128(four), high);
            let one = _mm_add_epi64(two, _mm_unpackhi_epi64(two, two));
            _mm_cvtsi128_si64(one).cast_unsigned()
        }
    }
}
