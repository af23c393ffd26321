//! The arithmetic of the network, written once for registers of any width.
//!
//! [`Lanes`] stands for 32 numbers of 16 bits in as many registers as that takes. One module per
//! instruction set implements it, and the build selects the widest one that the target processor
//! has; [`plain`] is the safe reference that tests compare all others with. Sums wrap around on
//! overflow in every implementation, so all of them agree bit for bit for any weights.

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    any(test, not(target_feature = "avx512bw"))
))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "avx512bw"))]
mod avx512;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon;
#[cfg(any(
    test,
    not(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_feature = "neon"),
        all(target_arch = "wasm32", target_feature = "simd128")
    ))
))]
mod plain;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(all(target_arch = "x86_64", any(test, not(target_feature = "avx2"))))]
mod sse2;
#[cfg(test)]
mod tests;

use crate::block::{BLOCK, Block};

// The widest implementation that this build can use.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2", not(target_feature = "avx512bw")))]
pub(crate) use avx2::Register as Best;
#[cfg(all(target_arch = "x86_64", target_feature = "avx512bw"))]
pub(crate) use avx512::Register as Best;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
pub(crate) use neon::Register as Best;
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon"),
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
pub(crate) use plain::Register as Best;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) use simd128::Register as Best;
#[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
pub(crate) use sse2::Register as Best;

/// The largest activation that the first layer passes on. QA is its usual name: the quantization
/// factor of the accumulator, that is, the integer that stands for 1.0.
pub(crate) const QA: i16 = 255;

/// 32 numbers of 16 bits in registers.
pub(crate) trait Lanes: Copy {
    /// 16 sums of 32 bits.
    type Sums: Copy;

    fn load(block: &Block) -> Self;
    fn store(self, block: &mut Block);
    /// Adds lane by lane, wrapping around on overflow.
    fn plus(self, other: Self) -> Self;
    /// Subtracts lane by lane, wrapping around on overflow.
    fn minus(self, other: Self) -> Self;

    fn zero_sums() -> Self::Sums;
    /// Clamps every number to 0..=[`QA`], squares it, multiplies it by its weight and adds the
    /// products to the sums, two to each. The weights lie within ±127, so that the product of a
    /// clamped number and its weight still fits into 16 bits.
    fn add_squares(self, weights: Self, sums: Self::Sums) -> Self::Sums;
    /// Returns the sums as an array.
    fn to_array(sums: Self::Sums) -> [i32; BLOCK / 2];
}

/// Writes `from`, with some rows added and others subtracted, to `to`. All slices have the same
/// length.
#[inline(always)]
pub(crate) fn update<L: Lanes, const ADDED: usize, const REMOVED: usize>(
    from: &[Block],
    to: &mut [Block],
    added: [&[Block]; ADDED],
    removed: [&[Block]; REMOVED],
) {
    let len = to.len();
    let from = &from[..len];
    let added = added.map(|row| &row[..len]);
    let removed = removed.map(|row| &row[..len]);
    for (index, to) in to.iter_mut().enumerate() {
        let mut lanes = L::load(&from[index]);
        for row in added {
            lanes = lanes.plus(L::load(&row[index]));
        }
        for row in removed {
            lanes = lanes.minus(L::load(&row[index]));
        }
        lanes.store(to);
    }
}

/// The number of blocks that [`adjust`] keeps in registers at a time.
const TILE: usize = 4;

/// Adds and subtracts any number of rows in place, and also writes the result to `copy`. A row is
/// given by the index of its first block in `weights` and has an even number of blocks.
#[inline(always)]
pub(crate) fn adjust<L: Lanes>(
    sums: &mut [Block],
    copy: &mut [Block],
    weights: &[Block],
    added: &[u32],
    removed: &[u32],
) {
    let mut first = 0;
    let mut copies = copy.chunks_mut(TILE);
    for tile in sums.chunks_mut(TILE) {
        let Some(copy) = copies.next() else { return };
        if tile.len() == TILE {
            adjust_tile::<L, TILE>(tile, copy, weights, first, added, removed);
        } else {
            adjust_tile::<L, 2>(tile, copy, weights, first, added, removed);
        }
        first += TILE;
    }
}

#[inline(always)]
fn adjust_tile<L: Lanes, const N: usize>(
    tile: &mut [Block],
    copy: &mut [Block],
    weights: &[Block],
    first: usize,
    added: &[u32],
    removed: &[u32],
) {
    let row = |start: u32| {
        let row = &weights[start as usize + first..][..N];
        core::array::from_fn::<L, N, _>(|index| L::load(&row[index]))
    };
    let mut lanes: [L; N] = core::array::from_fn(|index| L::load(&tile[index]));
    for &start in added {
        let row = row(start);
        lanes = core::array::from_fn(|index| lanes[index].plus(row[index]));
    }
    for &start in removed {
        let row = row(start);
        lanes = core::array::from_fn(|index| lanes[index].minus(row[index]));
    }
    for (index, lanes) in lanes.into_iter().enumerate() {
        lanes.store(&mut tile[index]);
        lanes.store(&mut copy[index]);
    }
}

/// Returns the sum over both views of clamped squares times weights. `weights` holds the weights
/// of the first view, followed by those of the second.
///
/// No sum overflows for views of up to 2048 numbers: each of the 16 sums receives 2 · 64 pairs of
/// products, and 2 · 64 · 2 · 255² · 127 is less than 2³¹.
#[inline(always)]
pub(crate) fn output<L: Lanes>(views: [&[Block]; 2], weights: &[Block]) -> i64 {
    let len = views[0].len();
    let views = views.map(|view| &view[..len]);
    let weights = [&weights[..len], &weights[len..][..len]];
    let mut sums = L::zero_sums();
    for index in 0..len {
        for (view, weights) in views.iter().zip(weights) {
            sums = L::load(&view[index]).add_squares(L::load(&weights[index]), sums);
        }
    }
    L::to_array(sums).into_iter().map(i64::from).sum()
}

/// The largest number of blocks in a view for which [`output`] cannot overflow.
pub(crate) const MAX_BLOCKS: usize = 64;

const _: () = {
    let product = QA as i64 * QA as i64 * 127;
    assert!(2 * MAX_BLOCKS as i64 * 2 * product <= i32::MAX as i64);
};
