//! Pawns that capture from one file to the next, and what happened so at one border of files.
//!
//! Invariant: a label fits eight bits; a sequence has at most fifteen of them under a mark.

use castellan_rules::Color;

/// What a pawn does when it captures onto the next file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// It takes a pawn, in its place or in passing.
    TakesPawn,
    /// It takes a piece.
    TakesPiece,
    /// It takes a piece on the last rank of a file on which it could not go straight on.
    Promotes,
}

/// A pawn crossing the border between two neighbouring files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Crossing {
    /// Whose pawn it is.
    pub(super) color: Color,
    /// Whether it goes towards the h-file.
    pub(super) is_rightward: bool,
    /// What it does there.
    pub(super) kind: Kind,
    /// The number of the rank on which it arrives, or 0 where ranks are not told apart.
    pub(super) landing: u8,
}

impl Crossing {
    /// Whether it ends as another piece.
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

/// The number of the rank on which pawns of a color promote.
pub(super) fn last_rank(color: Color) -> u8 {
    color.fold(8, 1)
}

/// Crossings of one border in the order of the game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Crossings(u128);

impl Crossings {
    pub(super) const NONE: Crossings = Crossings(1);
    /// The most there is room for.
    pub(super) const MOST: usize = 15;

    /// How many.
    pub(super) const fn len(self) -> usize {
        (127 - self.0.leading_zeros()) as usize / 8
    }

    /// With one more at the end; none if there is no room.
    pub(super) fn then(self, crossing: Crossing) -> Option<Crossings> {
        (self.len() < Crossings::MOST).then(|| Crossings(self.0 << 8 | crossing.label()))
    }

    /// The same with the ranks forgotten.
    pub(super) const fn without_ranks(self) -> Crossings {
        // The low half of each label, and the mark.
        Crossings(self.0 & (u128::MAX / 255 * 15))
    }

    /// Without the last one.
    pub(super) fn split_last(self) -> Option<(Crossing, Crossings)> {
        let is_any = self != Crossings::NONE;
        is_any.then(|| (Crossing::of_label(self.0 & 255), Crossings(self.0 >> 8)))
    }

    /// The first one and the others.
    pub(super) fn split_first(self) -> Option<(Crossing, Crossings)> {
        let others = 8 * self.len().checked_sub(1)?;
        let low = self.0 & ((1 << others) - 1);
        Some((Crossing::of_label(self.0 >> others & 255), Crossings(low | 1 << others)))
    }
}
