//! The first field of a FEN, quickly: no branch hangs on what the next letter is.
//!
//! Each byte looks up how far it moves along the ranks and which sets it joins: none if it is a
//! digit or a slash. What is wrong is only noted, for a good FEN is the rule; the careful reader
//! then finds out what it was.

use crate::pieces::COLORS;
use crate::{Bitboard, Color, Pieces, Role};

/// What a byte does. The flags are 0 or 1, to be counted with.
#[derive(Clone, Copy)]
struct Glyph {
    /// Which of the eight sets of pieces it joins.
    joins: [u8; 8],
    /// How many squares it covers.
    width: u8,
    is_digit: u8,
    is_slash: u8,
    is_end: bool,
}

static GLYPHS: [Glyph; 256] = {
    let end = Glyph { joins: [0; 8], width: 0, is_digit: 0, is_slash: 0, is_end: true };
    let mut glyphs = [end; 256];
    glyphs[b'/' as usize] = Glyph { is_slash: 1, is_end: false, ..end };
    let mut digit = 1;
    while digit <= 8 {
        glyphs[(b'0' + digit) as usize] = Glyph { width: digit, is_digit: 1, is_end: false, ..end };
        digit += 1;
    }
    let mut role = 0;
    while role < 6 {
        let letter = Role::ALL[role].letter() as u8;
        let mut piece = Glyph { width: 1, is_end: false, ..end };
        piece.joins[role] = 1;
        piece.joins[COLORS + Color::White as usize] = 1;
        glyphs[letter as usize] = piece;
        piece.joins[COLORS + Color::White as usize] = 0;
        piece.joins[COLORS + Color::Black as usize] = 1;
        glyphs[letter.to_ascii_lowercase() as usize] = piece;
        role += 1;
    }
    glyphs
};

/// The pieces and the length of a first field that is sound; nothing if it is not.
///
/// If every slash stands after a whole number of ranks, one more each time, and seven of them and
/// 64 squares were found, then every rank had eight squares.
#[inline(always)]
pub(super) fn read(text: &[u8]) -> Option<(Pieces, usize)> {
    // Squares are counted as a FEN names them, from a8; the ranks are turned round at the end.
    let mut sets = [0_u64; 8];
    let (mut square, mut slashes, mut last_digit, mut faults) = (0_u32, 0_u32, 0_u8, 0_u32);
    let mut length = 0;
    for &byte in text {
        let glyph = &GLYPHS[usize::from(byte)];
        if glyph.is_end {
            break;
        }
        for (set, joins) in sets.iter_mut().zip(glyph.joins) {
            *set |= u64::from(joins).wrapping_shl(square);
        }
        slashes += u32::from(glyph.is_slash);
        faults |= (square ^ (8 * slashes)) * u32::from(glyph.is_slash);
        faults |= u32::from(last_digit & glyph.is_digit);
        last_digit = glyph.is_digit;
        square += u32::from(glyph.width);
        length += 1;
    }
    let is_whole = faults == 0 && square == 64 && slashes == 7;
    let pieces = Pieces { sets: sets.map(|set| Bitboard(set.swap_bytes())) };
    is_whole.then_some((pieces, length))
}
