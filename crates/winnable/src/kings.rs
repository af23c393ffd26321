//! The squares where the two kings may stand at the same time.
//!
//! The squares are kept as pairs and not as two sets, because kings that meet in a narrow place
//! cannot pass each other, whatever the other pieces do.

use castellan_rules::{Bitboard, Color, Square, attacks};

/// Pairs of squares: for each square of Black's king, the squares of White's.
#[derive(Clone)]
pub(crate) struct KingPairs {
    white: [Bitboard; 64],
    /// The squares of Black's king that occur in a pair.
    black: Bitboard,
}

impl KingPairs {
    /// Returns the single pair of the kings' current squares.
    pub(crate) fn of(white: Square, black: Square) -> KingPairs {
        let mut pairs = KingPairs { white: [Bitboard::EMPTY; 64], black: black.into() };
        pairs.white[black.index()] = white.into();
        pairs
    }

    /// Adds every pair that can be reached by moves of one king at a time over the squares
    /// allowed to it, never adjacent to the other king. Returns whether any pair is new.
    pub(crate) fn grow(&mut self, allowed: [Bitboard; 2]) -> bool {
        let mut todo = self.black;
        let mut has_grown = false;
        while let Some(black) = todo.first() {
            todo = todo.without(black);
            has_grown |= self.walk_white(black, allowed[Color::White.index()]);
            let here = self.white[black.index()];
            for next in attacks::king(black) & allowed[Color::Black.index()] {
                let seen = self.white[next.index()];
                let pairs = seen | here & !attacks::king(next).with(next);
                if pairs != seen {
                    self.white[next.index()] = pairs;
                    self.black |= next.into();
                    todo |= next.into();
                    has_grown = true;
                }
            }
        }
        has_grown
    }

    /// Lets White's king walk while Black's stays.
    fn walk_white(&mut self, black: Square, allowed: Bitboard) -> bool {
        let allowed = allowed & !attacks::king(black).with(black);
        let start = self.white[black.index()];
        let mut squares = start;
        loop {
            let wider = squares | with_adjacent(squares) & allowed;
            if wider == squares {
                break;
            }
            squares = wider;
        }
        self.white[black.index()] = squares;
        squares != start
    }

    /// Returns the squares of one king.
    pub(crate) fn squares(&self, color: Color) -> Bitboard {
        match color {
            Color::Black => self.black,
            Color::White => {
                self.black.into_iter().fold(Bitboard::EMPTY, |all, b| all | self.white[b.index()])
            }
        }
    }

    /// Returns, for each square of `color`'s king, the squares of the other king.
    pub(crate) fn partners(&self, color: Color) -> [Bitboard; 64] {
        if color == Color::Black {
            return self.white;
        }
        let mut partners = [Bitboard::EMPTY; 64];
        for black in self.black {
            for white in self.white[black.index()] {
                partners[white.index()] |= black.into();
            }
        }
        partners
    }

    /// Returns the pairs after one king steps to one of the given squares.
    pub(crate) fn after_step(&self, color: Color, to: Bitboard) -> KingPairs {
        let mut next = KingPairs { white: [Bitboard::EMPTY; 64], black: Bitboard::EMPTY };
        for black in self.black {
            let white = self.white[black.index()];
            match color {
                Color::White => {
                    next.put(with_adjacent(white) & to & !attacks::king(black).with(black), black);
                }
                Color::Black => {
                    for black in attacks::king(black) & to {
                        next.put(white & !attacks::king(black).with(black), black);
                    }
                }
            }
        }
        next
    }

    fn put(&mut self, white: Bitboard, black: Square) {
        if white.any() {
            self.white[black.index()] |= white;
            self.black |= black.into();
        }
    }

    /// Returns whether there is no pair.
    pub(crate) fn is_empty(&self) -> bool {
        self.black.is_empty()
    }

    /// Adds squares for one king, combined with all squares of the other.
    pub(crate) fn add(&mut self, color: Color, squares: Bitboard) {
        match color {
            Color::White => {
                for black in self.black {
                    self.white[black.index()] |= squares & !attacks::king(black).with(black);
                }
            }
            Color::Black => {
                let white = self.squares(Color::White);
                for black in squares {
                    self.white[black.index()] |= white & !attacks::king(black).with(black);
                }
                self.black |= squares;
            }
        }
    }
}

/// Returns the given squares and all squares adjacent to them.
#[inline]
pub(crate) fn with_adjacent(squares: Bitboard) -> Bitboard {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let row = squares.0 | (squares.0 << 1) & NOT_A | (squares.0 >> 1) & NOT_H;
    Bitboard(row | row << 8 | row >> 8)
}
