//! Two AVX2 registers of four words each.
//!
//! Safety, for every block: the instructions work on registers only, and the cfg on this module
//! says that the processor this is built for has them.

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
    /// Eight words.
    #[inline(always)]
    pub fn new(words: [u64; 8]) -> Lanes {
        let [a, b, c, d, e, f, g, h] = words;
        Lanes(register([a, b, c, d]), register([e, f, g, h]))
    }

    /// The same word eight times.
    #[inline(always)]
    pub fn splat(word: u64) -> Lanes {
        Lanes(register([word; 4]), register([word; 4]))
    }

    /// `[a, a, b, b]` twice.
    #[inline(always)]
    pub fn pairs(a: u64, b: u64) -> Lanes {
        // Without the asm, which is empty, the compiler reads the words from memory together
        // with their neighbours and shuffles. Just after they were written apart, that waits
        // for all of the writes: a quarter of the time of counting moves.
        // SAFETY: there is no instruction in it. For the blend see the top of the file.
        unsafe {
            let (mut a, mut b) = (a, b);
            asm!("/* {0} {1} */", inout(reg) a, inout(reg) b, options(pure, nomem, nostack, preserves_flags));
            let four = _mm256_blend_epi32::<0b1111_0000>(register([a; 4]), register([b; 4]));
            Lanes(four, four)
        }
    }

    /// The eight words.
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

    /// The first four words shifted left and the last four right, by less than 64 bits each.
    #[inline(always)]
    pub fn apart(self, bits: [u64; 4]) -> Lanes {
        let bits = register(bits);
        // SAFETY: see the top of the file.
        unsafe { Lanes(_mm256_sllv_epi64(self.0, bits), _mm256_srlv_epi64(self.1, bits)) }
    }

    /// The first four words behind the last four.
    #[inline(always)]
    pub fn opposite(self) -> Lanes {
        Lanes(self.1, self.0)
    }

    /// How many bits each word has.
    #[inline(always)]
    pub fn count_ones(self) -> Lanes {
        #[cfg(all(target_feature = "avx512vpopcntdq", target_feature = "avx512vl"))]
        // SAFETY: see the top of the file; the cfg names what these two need beyond that.
        return unsafe { Lanes(_mm256_popcnt_epi64(self.0), _mm256_popcnt_epi64(self.1)) };
        #[cfg(not(all(target_feature = "avx512vpopcntdq", target_feature = "avx512vl")))]
        return Lanes::new(self.words().map(|word| u64::from(word.count_ones())));
    }

    /// The bits that are in any word.
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

    /// [`union`](Lanes::union) in every lane: quicker than to fetch it and spread it again.
    #[inline(always)]
    pub fn union_in_all(self) -> Lanes {
        // SAFETY: see the top of the file.
        unsafe {
            let four = _mm256_or_si256(self.0, self.1);
            let two = _mm256_or_si256(four, _mm256_permute4x64_epi64::<0b01_00_11_10>(four));
            let one = _mm256_or_si256(two, _mm256_shuffle_epi32::<0b01_00_11_10>(two));
            Lanes(one, one)
        }
    }

    /// The bits of these words that the others do not have.
    #[inline(always)]
    pub fn without(self, others: Lanes) -> Lanes {
        // SAFETY: see the top of the file.
        unsafe {
            Lanes(_mm256_andnot_si256(others.0, self.0), _mm256_andnot_si256(others.1, self.1))
        }
    }

    /// All words added up.
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
