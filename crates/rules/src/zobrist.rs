//! Zobrist keys: random numbers whose exclusive or identifies a position.
//!
//! The keys are generated at compile time from a fixed seed, so that a hash means the same in
//! every build and may be stored.

use crate::{Bitboard, Color, File, Piece, Square};

struct Keys {
    pieces: [[[u64; 64]; 6]; 2],
    castling: [u64; 64],
    en_passant: [u64; 8],
    turn: u64,
}

/// One step of SplitMix64: takes a state and returns the next state and a random number.
const fn draw(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = state;
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, word ^ (word >> 31))
}

const fn draw_many<const N: usize>(mut state: u64) -> (u64, [u64; N]) {
    let mut numbers = [0; N];
    let mut i = 0;
    while i < N {
        (state, numbers[i]) = draw(state);
        i += 1;
    }
    (state, numbers)
}

const fn draw_keys() -> Keys {
    // The last eight letters of "Castellan" in ASCII.
    let mut state = 0x6173_7465_6c6c_616e;
    let mut pieces = [[[0; 64]; 6]; 2];
    let mut color = 0;
    while color < 2 {
        let mut role = 0;
        while role < 6 {
            (state, pieces[color][role]) = draw_many(state);
            role += 1;
        }
        color += 1;
    }
    let (state, castling) = draw_many(state);
    let (state, en_passant) = draw_many(state);
    let (_, turn) = draw(state);
    Keys { pieces, castling, en_passant, turn }
}

static KEYS: Keys = draw_keys();

/// Computes the hash of a position with White to move and no en passant capture, for constants.
pub(crate) const fn constant(pieces: &[[u64; 6]; 2], castling: u64) -> u64 {
    let keys = draw_keys();
    let mut hash = 0;
    let mut square = 0;
    while square < 64 {
        let mut index = 0;
        while index < 12 {
            if pieces[index / 6][index % 6] >> square & 1 == 1 {
                hash ^= keys.pieces[index / 6][index % 6][square];
            }
            index += 1;
        }
        if castling >> square & 1 == 1 {
            hash ^= keys.castling[square];
        }
        square += 1;
    }
    hash
}

/// Returns the key of a piece on a square.
#[inline(always)]
pub(crate) fn piece(piece: Piece, square: Square) -> u64 {
    KEYS.pieces[piece.color.index()][piece.role.index()][square.index()]
}

/// Returns the combined keys of castling rights, each identified by its rook's square.
#[inline]
pub(crate) fn castling(rooks: Bitboard) -> u64 {
    rooks.into_iter().fold(0, |hash, rook| hash ^ KEYS.castling[rook.index()])
}

/// Returns the key of a legal en passant capture on a file.
#[inline]
pub(crate) fn en_passant(file: File) -> u64 {
    KEYS.en_passant[file.index()]
}

/// Returns the key of the side to move, which is zero for White.
#[inline(always)]
pub(crate) fn turn(color: Color) -> u64 {
    match color {
        Color::White => 0,
        Color::Black => KEYS.turn,
    }
}
