//! Slider attacks with four kilobytes of tables, for WebAssembly and for processors without fast
//! PEXT.
//!
//! Each line through a square is split into the part below and the part above it. The nearest
//! occupied square below is the highest bit of the lower part. Subtracting that bit from the
//! upper part borrows up to the nearest occupied square above, so one subtraction marks both
//! ends. The method is known as obstruction difference.

use super::ray::ray;
use crate::{Bitboard, Square};

/// One line through a square, without the square itself.
#[derive(Clone, Copy)]
struct LineMask {
    lower: u64,
    upper: u64,
}

const EMPTY: LineMask = LineMask { lower: 0, upper: 0 };

const fn lines(down: (i32, i32), up: (i32, i32)) -> [LineMask; 64] {
    let mut lines = [EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        lines[square] = LineMask { lower: ray(square, down, 0), upper: ray(square, up, 0) };
        square += 1;
    }
    lines
}

static RANKS: [LineMask; 64] = lines((-1, 0), (1, 0));
static FILES: [LineMask; 64] = lines((0, -1), (0, 1));
static DIAGONALS: [LineMask; 64] = lines((-1, -1), (1, 1));
static ANTIDIAGONALS: [LineMask; 64] = lines((1, -1), (-1, 1));

impl LineMask {
    #[inline(always)]
    fn attacks(self, occupied: u64) -> u64 {
        let below = (self.lower & occupied) | 1;
        let above = self.upper & occupied;
        let nearest_below = (1 << 63) >> below.leading_zeros();
        (self.lower | self.upper) & (above ^ above.wrapping_sub(nearest_below))
    }
}

/// Returns the squares a rook on `square` attacks.
#[inline]
pub(super) fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    let index = square.index();
    Bitboard(RANKS[index].attacks(occupied.0) | FILES[index].attacks(occupied.0))
}

/// Returns the squares a bishop on `square` attacks.
#[inline]
pub(super) fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    let index = square.index();
    Bitboard(DIAGONALS[index].attacks(occupied.0) | ANTIDIAGONALS[index].attacks(occupied.0))
}

/// Returns the squares strictly between two squares on one line, or none: those that a slider on
/// each square attacks on that line when the other square is occupied.
pub(super) fn between(one: Square, other: Square) -> Bitboard {
    let (from, to) = (Bitboard::of(one).0, Bitboard::of(other).0);
    for lines in [&RANKS, &FILES, &DIAGONALS, &ANTIDIAGONALS] {
        let seen = lines[one.index()].attacks(to);
        if seen & to != 0 {
            return Bitboard(seen & lines[other.index()].attacks(from));
        }
    }
    Bitboard::EMPTY
}
