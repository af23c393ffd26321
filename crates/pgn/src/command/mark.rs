//! Arrows and marked squares.

use std::fmt;

use castellan_rules::Square;

/// The color of a mark on the board.
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
    /// Returns the letter of the color.
    pub fn letter(self) -> char {
        match self {
            Paint::Green => 'G',
            Paint::Red => 'R',
            Paint::Yellow => 'Y',
            Paint::Blue => 'B',
        }
    }

    /// Returns the color for a letter, or `None` if no color has that letter.
    pub fn from_letter(letter: char) -> Option<Paint> {
        [Paint::Green, Paint::Red, Paint::Yellow, Paint::Blue]
            .into_iter()
            .find(|paint| paint.letter() == letter)
    }
}

/// A marked square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MarkedSquare {
    /// The color of the mark.
    pub paint: Paint,
    /// The square that is marked.
    pub square: Square,
}

impl MarkedSquare {
    /// Parses a mark such as `Re4`.
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
    /// The color of the arrow.
    pub paint: Paint,
    /// The square where the arrow begins.
    pub from: Square,
    /// The square it points to.
    pub to: Square,
}

impl Arrow {
    /// Parses an arrow such as `Gc2c4`.
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

/// Parses a comma-separated list of marks; `None` if any of them cannot be parsed.
pub(super) fn list<T>(text: &str, parse: fn(&str) -> Option<T>) -> Option<Vec<T>> {
    text.split(',').map(|mark| parse(mark.trim())).collect()
}

/// Displays a list of marks, separated by commas.
pub(super) struct Listed<'a, T>(pub(super) &'a [T]);

impl<T: fmt::Display> fmt::Display for Listed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, mark) in self.0.iter().enumerate() {
            write!(f, "{}{mark}", if place == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}
