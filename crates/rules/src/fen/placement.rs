//! Fast parser for the first field of a FEN, without branches that depend on the next letter.
//!
//! Each byte looks up how many squares it advances and which bitboards it joins: none if it is a
//! digit or a slash. Errors are only noted, since nearly all FENs are well-formed; the careful
//! parser then finds out what is wrong.

use crate::pieces::COLORS;
use crate::{Bitboard, Color, Pieces, Role};

/// The effect of a byte. The flags are 0 or 1 so that they can be used in arithmetic.
#[derive(Clone, Copy)]
struct ByteEffect {
    /// Which of the eight bitboards of [`Pieces`] the byte joins.
    joins: [u8; 8],
    /// The number of squares the byte covers.
    width: u8,
    is_digit: u8,
    is_slash: u8,
    is_end: bool,
}

static BYTE_EFFECTS: [ByteEffect; 256] = {
    let end = ByteEffect { joins: [0; 8], width: 0, is_digit: 0, is_slash: 0, is_end: true };
    let mut effects = [end; 256];
    effects[b'/' as usize] = ByteEffect { is_slash: 1, is_end: false, ..end };
    let mut digit = 1;
    while digit <= 8 {
        effects[(b'0' + digit) as usize] =
            ByteEffect { width: digit, is_digit: 1, is_end: false, ..end };
        digit += 1;
    }
    let mut role = 0;
    while role < 6 {
        let letter = Role::ALL[role].letter() as u8;
        let mut piece = ByteEffect { width: 1, is_end: false, ..end };
        piece.joins[role] = 1;
        piece.joins[COLORS + Color::White as usize] = 1;
        effects[letter as usize] = piece;
        piece.joins[COLORS + Color::White as usize] = 0;
        piece.joins[COLORS + Color::Black as usize] = 1;
        effects[letter.to_ascii_lowercase() as usize] = piece;
        role += 1;
    }
    effects
};

/// Returns the pieces and the length of a well-formed first field, or `None`.
///
/// If every slash comes after a whole number of ranks, one more each time, and there are seven
/// slashes and 64 squares, then every rank has eight squares.
#[inline(always)]
pub(super) fn read(text: &[u8]) -> Option<(Pieces, usize)> {
    // Squares are counted in FEN order, from a8; the ranks are reversed at the end.
    let mut bitboards = [0_u64; 8];
    let (mut square, mut slashes, mut last_digit, mut faults) = (0_u32, 0_u32, 0_u8, 0_u32);
    let mut length = 0;
    for &byte in text {
        let effect = &BYTE_EFFECTS[usize::from(byte)];
        if effect.is_end {
            break;
        }
        for (set, joins) in bitboards.iter_mut().zip(effect.joins) {
            *set |= u64::from(joins).wrapping_shl(square);
        }
        slashes += u32::from(effect.is_slash);
        faults |= (square ^ (8 * slashes)) * u32::from(effect.is_slash);
        faults |= u32::from(last_digit & effect.is_digit);
        last_digit = effect.is_digit;
        square += u32::from(effect.width);
        length += 1;
    }
    let is_whole = faults == 0 && square == 64 && slashes == 7;
    let pieces = Pieces { bitboards: bitboards.map(|set| Bitboard(set.swap_bytes())) };
    is_whole.then_some((pieces, length))
}
