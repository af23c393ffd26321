//! Slider attacks with one PEXT and one load from a table that the build script generates.

use castellan_arch::pext;

use super::KING_STEPS;
use crate::{Bitboard, Square};

/// The location of one slider's attacks from one square in the table.
struct Entry {
    /// The squares whose occupancy matters.
    relevant: u64,
    /// The index of the first attack set.
    offset: u32,
}

include!(concat!(env!("OUT_DIR"), "/slider_table.rs"));

#[inline(always)]
fn look_up(entry: &Entry, occupied: u64) -> Bitboard {
    let index = entry.offset as usize + pext(occupied, entry.relevant) as usize;
    Bitboard(ATTACKS[index])
}

/// Returns the squares a rook on `square` attacks.
#[inline(always)]
pub(super) fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    look_up(&ROOK[square.index()], occupied.0)
}

/// Returns the squares a bishop on `square` attacks.
#[inline(always)]
pub(super) fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    look_up(&BISHOP[square.index()], occupied.0)
}

/// The squares between each pair of squares. The table takes 32 kilobytes, of which a game uses
/// only the rows of the two kings.
static BETWEEN: [[Bitboard; 64]; 64] = between_table();

const fn between_table() -> [[Bitboard; 64]; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (files, ranks) = KING_STEPS[direction];
            let mut passed = Bitboard::EMPTY;
            let mut distance = 1;
            while let Some(to) = Square::ALL[from].offset(files * distance, ranks * distance) {
                table[from][to.index()] = passed;
                passed = passed.with(to);
                distance += 1;
            }
            direction += 1;
        }
        from += 1;
    }
    table
}

/// Returns the squares strictly between two squares on one line, or none.
#[inline(always)]
pub(super) fn between(one: Square, other: Square) -> Bitboard {
    BETWEEN[one.index()][other.index()]
}
