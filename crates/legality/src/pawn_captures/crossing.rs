//! Pawn captures from one file to the next, and the sequence of them at one border between files.
//!
//! Invariant: a label fits in eight bits, and a sequence holds at most fifteen labels below a
//! marker bit.

use castellan_rules::Color;

/// What a pawn does when it captures onto the next file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// It captures a pawn, on that pawn's square or en passant.
    TakesPawn,
    /// It captures a piece other than a pawn.
    TakesPiece,
    /// It captures a piece on the last rank of a file on which it could not have promoted by
    /// advancing.
    Promotes,
}

/// A pawn crossing the border between two neighboring files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Crossing {
    /// The color of the pawn.
    pub(super) color: Color,
    /// Whether it goes toward the h-file.
    pub(super) is_rightward: bool,
    /// What it does on the new file.
    pub(super) kind: Kind,
    /// The number of the rank on which it arrives, or 0 in the search without ranks.
    pub(super) landing: u8,
}

impl Crossing {
    /// Returns whether the pawn promotes with this capture.
    pub(super) fn is_promotion(self) -> bool {
        self.kind == Kind::Promotes || self.landing == last_rank(self.color)
    }

    fn label(self) -> u128 {
        let flags = self.color.index() as u8 * 2 + u8::from(self.is_rightward);
        u128::from(self.landing << 4 | (self.kind as u8) << 2 | flags)
    }

    fn of_label(label: u128) -> Crossing {
        Crossing {
            color: if label & 2 == 0 { Color::White } else { Color::Black },
            is_rightward: label & 1 != 0,
            kind: match label >> 2 & 3 {
                0 => Kind::TakesPawn,
                1 => Kind::TakesPiece,
                _ => Kind::Promotes,
            },
            landing: (label >> 4) as u8,
        }
    }
}

/// Returns the number of the rank on which pawns of a color promote.
pub(super) fn last_rank(color: Color) -> u8 {
    color.fold(8, 1)
}

/// The crossings of one border in the order of the game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Crossings(u128);

impl Crossings {
    pub(super) const NONE: Crossings = Crossings(1);
    /// The most crossings a sequence can hold.
    pub(super) const MAX: usize = 15;

    /// Returns the number of crossings.
    pub(super) const fn len(self) -> usize {
        (127 - self.0.leading_zeros()) as usize / 8
    }

    /// Returns the sequence with one more crossing at the end, or `None` if it is full.
    pub(super) fn then(self, crossing: Crossing) -> Option<Crossings> {
        (self.len() < Crossings::MAX).then(|| Crossings(self.0 << 8 | crossing.label()))
    }

    /// Returns the sequence without the ranks.
    pub(super) const fn without_ranks(self) -> Crossings {
        // Keeps the low half of each label, and the marker.
        Crossings(self.0 & (u128::MAX / 255 * 15))
    }

    /// Splits off the last crossing.
    pub(super) fn split_last(self) -> Option<(Crossing, Crossings)> {
        let is_any = self != Crossings::NONE;
        is_any.then(|| (Crossing::of_label(self.0 & 255), Crossings(self.0 >> 8)))
    }

    /// Splits off the first crossing.
    pub(super) fn split_first(self) -> Option<(Crossing, Crossings)> {
        let others = 8 * self.len().checked_sub(1)?;
        let low = self.0 & ((1 << others) - 1);
        Some((Crossing::of_label(self.0 >> others & 255), Crossings(low | 1 << others)))
    }
}
