//! Slider attacks with one PEXT and one load from a table that the build script makes.

use castellan_arch::pext;

use crate::{Bitboard, Square};

/// Where the attacks of one slider on one square stand in the table.
struct Entry {
    /// The squares whose occupation matters.
    relevant: u64,
    /// The first index.
    offset: u32,
}

include!(concat!(env!("OUT_DIR"), "/slider_table.rs"));

#[inline(always)]
fn look_up(entry: &Entry, occupied: u64) -> Bitboard {
    let index = entry.offset as usize + pext(occupied, entry.relevant) as usize;
    Bitboard(ATTACKS[index])
}

/// The squares a rook on `square` attacks.
#[inline(always)]
pub(super) fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    look_up(&ROOK[square.index()], occupied.0)
}

/// The squares a bishop on `square` attacks.
#[inline(always)]
pub(super) fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    look_up(&BISHOP[square.index()], occupied.0)
}
