//! Colors as types, so that the compiler generates the hot paths once for each color.

use crate::{Bitboard, Color, Rank};

const NOT_A: u64 = !0x0101_0101_0101_0101;
const NOT_H: u64 = !0x8080_8080_8080_8080;

/// A color as a type.
pub(crate) trait Side {
    /// The same color as a value.
    const COLOR: Color;
    /// The opponent.
    type Other: Side<Other = Self>;

    /// Returns all squares of a rank, counted from this color's side of the board.
    fn rank(rank: Rank) -> Bitboard {
        Bitboard::rank(rank.relative_to(Self::COLOR))
    }

    /// Shifts every square one step forward.
    fn forward(squares: Bitboard) -> Bitboard;
    /// Shifts every square one step back.
    fn back(squares: Bitboard) -> Bitboard;
    /// Shifts every square one step forward and toward the a-file.
    fn forward_left(squares: Bitboard) -> Bitboard;
    /// Shifts every square one step forward and toward the h-file.
    fn forward_right(squares: Bitboard) -> Bitboard;
    /// The inverse of [`forward_left`](Side::forward_left).
    fn back_right(squares: Bitboard) -> Bitboard;
    /// The inverse of [`forward_right`](Side::forward_right).
    fn back_left(squares: Bitboard) -> Bitboard;

    /// Returns every square that pawns on these squares attack.
    #[inline(always)]
    fn pawn_attacks(pawns: Bitboard) -> Bitboard {
        Self::forward_left(pawns) | Self::forward_right(pawns)
    }
}

pub(crate) struct White;
pub(crate) struct Black;

impl Side for White {
    const COLOR: Color = Color::White;
    type Other = Black;

    #[inline(always)]
    fn forward(squares: Bitboard) -> Bitboard {
        Bitboard(squares.0 << 8)
    }
    #[inline(always)]
    fn back(squares: Bitboard) -> Bitboard {
        Bitboard(squares.0 >> 8)
    }
    #[inline(always)]
    fn forward_left(squares: Bitboard) -> Bitboard {
        Bitboard((squares.0 & NOT_A) << 7)
    }
    #[inline(always)]
    fn forward_right(squares: Bitboard) -> Bitboard {
        Bitboard((squares.0 & NOT_H) << 9)
    }
    #[inline(always)]
    fn back_right(squares: Bitboard) -> Bitboard {
        Bitboard((squares.0 & NOT_H) >> 7)
    }
    #[inline(always)]
    fn back_left(squares: Bitboard) -> Bitboard {
        Bitboard((squares.0 & NOT_A) >> 9)
    }
}

impl Side for Black {
    const COLOR: Color = Color::Black;
    type Other = White;

    #[inline(always)]
    fn forward(squares: Bitboard) -> Bitboard {
        White::back(squares)
    }
    #[inline(always)]
    fn back(squares: Bitboard) -> Bitboard {
        White::forward(squares)
    }
    #[inline(always)]
    fn forward_left(squares: Bitboard) -> Bitboard {
        White::back_left(squares)
    }
    #[inline(always)]
    fn forward_right(squares: Bitboard) -> Bitboard {
        White::back_right(squares)
    }
    #[inline(always)]
    fn back_right(squares: Bitboard) -> Bitboard {
        White::forward_right(squares)
    }
    #[inline(always)]
    fn back_left(squares: Bitboard) -> Bitboard {
        White::forward_left(squares)
    }
}
