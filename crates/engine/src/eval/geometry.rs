//! Bitboard operations for pawns and kings, from either side's point of view.

use castellan_rules::{Bitboard, Color, File, Rank, Square};

const A_FILE: u64 = 0x0101_0101_0101_0101;
const H_FILE: u64 = A_FILE << 7;

/// Files c to f.
pub(crate) const CENTER_FILES: Bitboard = Bitboard(0x3c3c_3c3c_3c3c_3c3c);

/// Shifts every square one step forward.
#[inline]
pub(crate) fn forward(color: Color, squares: Bitboard) -> Bitboard {
    match color {
        Color::White => Bitboard(squares.0 << 8),
        Color::Black => Bitboard(squares.0 >> 8),
    }
}

/// Returns every square one file to the left or right of these.
#[inline]
pub(crate) fn beside(squares: Bitboard) -> Bitboard {
    Bitboard((squares.0 & !A_FILE) >> 1 | (squares.0 & !H_FILE) << 1)
}

/// Returns every square that pawns attack.
#[inline]
pub(crate) fn pawn_attacks(color: Color, pawns: Bitboard) -> Bitboard {
    forward(color, beside(pawns))
}

/// Returns every square that two pawns attack.
#[inline]
pub(crate) fn pawn_double_attacks(color: Color, pawns: Bitboard) -> Bitboard {
    let left = Bitboard((pawns.0 & !A_FILE) >> 1);
    let right = Bitboard((pawns.0 & !H_FILE) << 1);
    forward(color, left) & forward(color, right)
}

/// Returns these squares and all squares in front of them.
#[inline]
pub(crate) fn fill_forward(color: Color, squares: Bitboard) -> Bitboard {
    let mut filled = squares.0;
    match color {
        Color::White => {
            filled |= filled << 8;
            filled |= filled << 16;
            filled |= filled << 32;
        }
        Color::Black => {
            filled |= filled >> 8;
            filled |= filled >> 16;
            filled |= filled >> 32;
        }
    }
    Bitboard(filled)
}

/// Returns the whole files of these squares.
#[inline]
pub(crate) fn fill_files(squares: Bitboard) -> Bitboard {
    fill_forward(Color::White, squares) | fill_forward(Color::Black, squares)
}

/// Returns all squares in front of these.
#[inline]
pub(crate) fn ahead(color: Color, squares: Bitboard) -> Bitboard {
    forward(color, fill_forward(color, squares))
}

/// Returns the rank of a square from a color's point of view, from 0 to 7.
#[inline]
pub(crate) fn relative_rank(color: Color, square: Square) -> usize {
    color.fold(square, square.flip()).rank().index()
}

/// Returns the union of three ranks, from a color's point of view.
#[inline]
pub(crate) fn ranks(color: Color, ranks: [Rank; 3]) -> Bitboard {
    ranks
        .into_iter()
        .fold(Bitboard::EMPTY, |set, rank| set | Bitboard::rank(rank.relative_to(color)))
}

/// Returns the number of king moves between two squares on an empty board.
#[inline]
pub(crate) fn distance(one: Square, other: Square) -> i32 {
    let files = one.file().index().abs_diff(other.file().index());
    let ranks = one.rank().index().abs_diff(other.rank().index());
    files.max(ranks) as i32
}

/// Returns the files around a king: one half of the board or, for the d- and e-files, files c to
/// f.
#[inline]
pub(crate) fn files_around_king(file: File) -> Bitboard {
    match file.index() {
        0..=2 => Bitboard(0x0f0f_0f0f_0f0f_0f0f),
        3 | 4 => CENTER_FILES,
        _ => Bitboard(0xf0f0_f0f0_f0f0_f0f0),
    }
}
