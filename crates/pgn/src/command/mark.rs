//! Arrows and marked squares.

use std::fmt;

use castellan_rules::Square;

/// The colour of a mark on the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Paint {
    /// `G`
    Green,
    /// `R`
    Red,
    /// `Y`
    Yellow,
    /// `B`
    Blue,
}

impl Paint {
    /// Its letter.
    pub fn letter(self) -> char {
        match self {
            Paint::Green => 'G',
            Paint::Red => 'R',
            Paint::Yellow => 'Y',
            Paint::Blue => 'B',
        }
    }

    /// The colour of a letter.
    pub fn from_letter(letter: char) -> Option<Paint> {
        [Paint::Green, Paint::Red, Paint::Yellow, Paint::Blue]
            .into_iter()
            .find(|paint| paint.letter() == letter)
    }
}

/// A square that is marked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MarkedSquare {
    /// In which colour.
    pub paint: Paint,
    /// Which one.
    pub square: Square,
}

impl MarkedSquare {
    /// Reads `Re4`.
    pub fn parse(text: &str) -> Option<MarkedSquare> {
        let mut letters = text.chars();
        let paint = Paint::from_letter(letters.next()?)?;
        Some(MarkedSquare { paint, square: letters.as_str().parse().ok()? })
    }
}

impl fmt::Display for MarkedSquare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.paint.letter(), self.square)
    }
}

/// An arrow from one square to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Arrow {
    /// In which colour.
    pub paint: Paint,
    /// Where it begins.
    pub from: Square,
    /// Where it points.
    pub to: Square,
}

impl Arrow {
    /// Reads `Gc2c4`.
    pub fn parse(text: &str) -> Option<Arrow> {
        let (head, to) = text.split_at_checked(3)?;
        let MarkedSquare { paint, square: from } = MarkedSquare::parse(head)?;
        Some(Arrow { paint, from, to: to.parse().ok()? })
    }
}

impl fmt::Display for Arrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.paint.letter(), self.from, self.to)
    }
}

/// The marks of a list with commas, if all of them are understood.
pub(super) fn list<T>(text: &str, parse: fn(&str) -> Option<T>) -> Option<Vec<T>> {
    text.split(',').map(|mark| parse(mark.trim())).collect()
}

/// A list as it is written.
pub(super) struct Listed<'a, T>(pub(super) &'a [T]);

impl<T: fmt::Display> fmt::Display for Listed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, mark) in self.0.iter().enumerate() {
            write!(f, "{}{mark}", if place == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}
