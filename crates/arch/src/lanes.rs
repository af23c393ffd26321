//! Eight 64-bit words, processed in parallel.
//!
//! There are two implementations with the same interface: `avx2` has two vector registers of four
//! words each, `plain` an array of eight words. A single 512-bit register was tried and is slower
//! on Zen 4.

/// Whether [`Lanes`] uses vector registers in this build. If not, it is an array of eight words,
/// and code that processes items one by one may be the better choice.
pub const HAS_VECTOR_LANES: bool = cfg!(all(target_arch = "x86_64", target_feature = "avx2"));

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub use avx2::Lanes;

// In builds with vectors, only the tests use it, for comparison.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx2"))))]
#[cfg_attr(all(target_arch = "x86_64", target_feature = "avx2"), allow(unreachable_pub))]
mod plain;
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub use plain::Lanes;

/// Implements the operators with the methods that both implementations have.
macro_rules! operators {
    ($lanes:ty) => {
        impl core::ops::BitAnd for $lanes {
            type Output = $lanes;
            #[inline(always)]
            fn bitand(self, other: $lanes) -> $lanes {
                self.and(other)
            }
        }

        impl core::ops::BitOr for $lanes {
            type Output = $lanes;
            #[inline(always)]
            fn bitor(self, other: $lanes) -> $lanes {
                self.or(other)
            }
        }

        impl core::ops::Add for $lanes {
            type Output = $lanes;
            /// Adds lane by lane with wrapping arithmetic.
            #[inline(always)]
            fn add(self, other: $lanes) -> $lanes {
                self.plus(other)
            }
        }
    };
}
use operators;

#[cfg(test)]
mod tests {
    use super::{Lanes, plain};

    #[test]
    fn both_implementations_agree() {
        let mut word = 0x0123_4567_89ab_cdef_u64;
        let mut next = || {
            word = word.wrapping_mul(0xd129_0d3a_5b2f_17c5).rotate_left(29) ^ 0x2f6b;
            word
        };
        for _ in 0..10_000 {
            let a: [u64; 8] = core::array::from_fn(|_| next());
            let b: [u64; 8] = core::array::from_fn(|_| next());
            let bits: [u64; 4] = core::array::from_fn(|_| next() % 64);
            let (x, y) = (Lanes::new(a), Lanes::new(b));
            let (p, q) = (plain::Lanes::new(a), plain::Lanes::new(b));
            assert_eq!(x.words(), a);
            assert_eq!((x & y).words(), (p & q).words());
            assert_eq!((x | y).words(), (p | q).words());
            assert_eq!((x + y).words(), (p + q).words());
            assert_eq!(x.shift_halves_apart(bits).words(), p.shift_halves_apart(bits).words());
            assert_eq!(x.swap_halves().words(), p.swap_halves().words());
            assert_eq!(x.count_ones().words(), p.count_ones().words());
            assert_eq!(x.union_splat().words(), p.union_splat().words());
            assert_eq!(x.without(y).words(), p.without(q).words());
            assert_eq!((x.union(), x.sum()), (p.union(), p.sum()));
            assert_eq!(Lanes::splat(a[0]).words(), plain::Lanes::splat(a[0]).words());
            assert_eq!(Lanes::pairs(a[0], b[0]).words(), plain::Lanes::pairs(a[0], b[0]).words());
        }
    }
}
