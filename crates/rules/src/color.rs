//! The two colors.

use std::fmt;
use std::ops::Not;

/// White or Black: the owner of a piece or the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Color {
    /// Moves first.
    White,
    /// Moves second.
    Black,
}

impl Color {
    /// Both colors, White first.
    pub const ALL: [Color; 2] = [Color::White, Color::Black];

    /// Returns 0 for White and 1 for Black.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns `white` for White and `black` for Black.
    ///
    /// ```
    /// use castellan_rules::Color;
    /// assert_eq!(Color::Black.fold("1-0", "0-1"), "0-1");
    /// ```
    #[inline]
    pub fn fold<T>(self, white: T, black: T) -> T {
        match self {
            Color::White => white,
            Color::Black => black,
        }
    }
}

impl Not for Color {
    type Output = Color;

    #[inline]
    fn not(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.fold("White", "Black"))
    }
}
