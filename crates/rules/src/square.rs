//! Squares, files and ranks.

use std::fmt;
use std::str::FromStr;

use crate::Color;

/// A file, from a to h.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum File {
    A,
    B,
    C,
    D,
    E,
    F,
    G,
    H,
}

impl File {
    /// All eight files, the a-file first.
    pub const ALL: [File; 8] =
        [File::A, File::B, File::C, File::D, File::E, File::F, File::G, File::H];

    /// Returns the index, from 0 for the a-file to 7 for the h-file.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the file with this index, or `None` if the index is 8 or more.
    #[inline]
    pub const fn from_index(index: usize) -> Option<File> {
        if index < 8 { Some(File::ALL[index]) } else { None }
    }

    /// Returns the letter in lower case.
    #[inline]
    pub fn letter(self) -> char {
        char::from(b'a' + self as u8)
    }

    /// Returns the file with this lower-case letter, or `None` if there is none.
    #[inline]
    pub const fn from_letter(letter: char) -> Option<File> {
        match letter {
            'a'..='h' => File::from_index(letter as usize - 'a' as usize),
            _ => None,
        }
    }
}

/// A rank, from 1 to 8 as seen by White.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Rank {
    First,
    Second,
    Third,
    Fourth,
    Fifth,
    Sixth,
    Seventh,
    Eighth,
}

impl Rank {
    /// All eight ranks, the first rank first.
    pub const ALL: [Rank; 8] = [
        Rank::First,
        Rank::Second,
        Rank::Third,
        Rank::Fourth,
        Rank::Fifth,
        Rank::Sixth,
        Rank::Seventh,
        Rank::Eighth,
    ];

    /// Returns the index, from 0 for the first rank to 7 for the eighth.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the rank with this index, or `None` if the index is 8 or more.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Rank> {
        if index < 8 { Some(Rank::ALL[index]) } else { None }
    }

    /// Returns the digit, `1` to `8`.
    #[inline]
    pub fn digit(self) -> char {
        char::from(b'1' + self as u8)
    }

    /// Returns the rank with this digit, or `None` if there is none.
    #[inline]
    pub const fn from_digit(digit: char) -> Option<Rank> {
        match digit {
            '1'..='8' => Rank::from_index(digit as usize - '1' as usize),
            _ => None,
        }
    }

    /// Returns the rank as `color` counts: `Rank::Second` becomes the second rank for White and
    /// the seventh for Black.
    #[inline]
    pub const fn relative_to(self, color: Color) -> Rank {
        match color {
            Color::White => self,
            Color::Black => Rank::ALL[7 - self as usize],
        }
    }
}

/// One of the 64 squares. Absence is `Option<Square>`, which costs no extra byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
#[rustfmt::skip]
pub enum Square {
    A1, B1, C1, D1, E1, F1, G1, H1,
    A2, B2, C2, D2, E2, F2, G2, H2,
    A3, B3, C3, D3, E3, F3, G3, H3,
    A4, B4, C4, D4, E4, F4, G4, H4,
    A5, B5, C5, D5, E5, F5, G5, H5,
    A6, B6, C6, D6, E6, F6, G6, H6,
    A7, B7, C7, D7, E7, F7, G7, H7,
    A8, B8, C8, D8, E8, F8, G8, H8,
}

const _: () = assert!(size_of::<Option<Square>>() == 1);

impl Square {
    /// All 64 squares in the order a1, b1, ... h8.
    #[rustfmt::skip]
    pub const ALL: [Square; 64] = {
        use Square::*;
        [
        A1, B1, C1, D1, E1, F1, G1, H1,
        A2, B2, C2, D2, E2, F2, G2, H2,
        A3, B3, C3, D3, E3, F3, G3, H3,
        A4, B4, C4, D4, E4, F4, G4, H4,
        A5, B5, C5, D5, E5, F5, G5, H5,
        A6, B6, C6, D6, E6, F6, G6, H6,
        A7, B7, C7, D7, E7, F7, G7, H7,
        A8, B8, C8, D8, E8, F8, G8, H8,
        ]
    };

    /// Returns the square on a file and a rank.
    #[inline]
    pub const fn new(file: File, rank: Rank) -> Square {
        Square::wrapping(rank as u32 * 8 + file as u32)
    }

    /// Returns the index: 0 for a1, 7 for h1, 63 for h8.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the square with this index, or `None` if the index is 64 or more.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Square> {
        if index < 64 { Some(Square::ALL[index]) } else { None }
    }

    /// Returns the square with this index modulo 64.
    ///
    /// This is a `match` because the compiler optimizes it away, while a table would cost a load
    /// in every loop over squares.
    #[inline(always)]
    #[rustfmt::skip]
    pub(crate) const fn wrapping(index: u32) -> Square {
        use Square::*;
        match index & 63 {
            0 => A1, 1 => B1, 2 => C1, 3 => D1, 4 => E1, 5 => F1, 6 => G1, 7 => H1,
            8 => A2, 9 => B2, 10 => C2, 11 => D2, 12 => E2, 13 => F2, 14 => G2, 15 => H2,
            16 => A3, 17 => B3, 18 => C3, 19 => D3, 20 => E3, 21 => F3, 22 => G3, 23 => H3,
            24 => A4, 25 => B4, 26 => C4, 27 => D4, 28 => E4, 29 => F4, 30 => G4, 31 => H4,
            32 => A5, 33 => B5, 34 => C5, 35 => D5, 36 => E5, 37 => F5, 38 => G5, 39 => H5,
            40 => A6, 41 => B6, 42 => C6, 43 => D6, 44 => E6, 45 => F6, 46 => G6, 47 => H6,
            48 => A7, 49 => B7, 50 => C7, 51 => D7, 52 => E7, 53 => F7, 54 => G7, 55 => H7,
            56 => A8, 57 => B8, 58 => C8, 59 => D8, 60 => E8, 61 => F8, 62 => G8, _ => H8,
        }
    }

    /// Returns the file of the square.
    #[inline]
    pub const fn file(self) -> File {
        File::ALL[self as usize & 7]
    }

    /// Returns the rank of the square.
    #[inline]
    pub const fn rank(self) -> Rank {
        Rank::ALL[self as usize >> 3]
    }

    /// Returns `true` for a light square, such as h1.
    #[inline]
    pub const fn is_light(self) -> bool {
        (self as usize + (self as usize >> 3)) & 1 == 1
    }

    /// Returns the square this many files to the right and ranks up, or `None` if it is off the
    /// board.
    #[inline]
    pub const fn offset(self, files: i32, ranks: i32) -> Option<Square> {
        let file = (self as i32 & 7) + files;
        let rank = (self as i32 >> 3) + ranks;
        if file < 0 || file > 7 || rank < 0 || rank > 7 {
            return None;
        }
        Some(Square::ALL[(rank * 8 + file) as usize])
    }

    /// Returns the square mirrored vertically, as seen from the other side: e2 becomes e7.
    #[inline]
    pub const fn flip(self) -> Square {
        Square::wrapping(self as u32 ^ 56)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file().letter(), self.rank().digit())
    }
}

/// The error for text that is not the name of a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseSquareError;

impl fmt::Display for ParseSquareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a square, a letter from a to h and a digit from 1 to 8")
    }
}

impl std::error::Error for ParseSquareError {}

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        let mut letters = text.chars();
        let file = letters.next().and_then(File::from_letter).ok_or(ParseSquareError)?;
        let rank = letters.next().and_then(Rank::from_digit).ok_or(ParseSquareError)?;
        match letters.next() {
            None => Ok(Square::new(file, rank)),
            Some(_) => Err(ParseSquareError),
        }
    }
}
