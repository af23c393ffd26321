//! The pawns of one file, from the first rank to the eighth: their order, not their ranks.
//!
//! Invariant: the highest bit set is the mark above the topmost pawn, so a column holds at most
//! seven. Six fit on a file; the seventh place is for a pawn that captures and promotes at once,
//! which is told as arriving on top and promoting then.

use std::ops::RangeInclusive;

use castellan_rules::Color;

use super::pawns::{Pawns, Unmoved};

/// The order of the pawns on a file. Bit 0 is the lowest pawn, 1 stands for Black.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Column(pub(super) u8);

impl Column {
    /// No pawn.
    pub(super) const EMPTY: Column = Column(1);
    /// The most pawns it can hold.
    const MOST: u32 = 7;

    /// How many pawns there are.
    pub(super) const fn len(self) -> u32 {
        7 - self.0.leading_zeros()
    }

    /// With one more on top.
    pub(super) fn then(self, color: Color) -> Column {
        self.with(self.len(), color)
    }

    /// Whether a white pawn stands somewhere below a black one, so that neither gets past.
    pub(super) fn is_opposed(self) -> bool {
        // Behind the black pawns at the bottom any other black pawn has a white one below it.
        let pawns = self.0 ^ 1 << self.len();
        pawns & pawns.wrapping_add(1) != 0
    }

    fn at(self, index: u32) -> Color {
        if self.0 >> index & 1 == 0 { Color::White } else { Color::Black }
    }

    fn with(self, index: u32, color: Color) -> Column {
        let (low, high) = self.split(index);
        Column(high << (index + 1) | (color.index() as u8) << index | low)
    }

    fn without(self, index: u32) -> Column {
        let (low, high) = self.split(index);
        Column(high >> 1 << index | low)
    }

    fn split(self, index: u32) -> (u8, u8) {
        (self.0 & ((1 << index) - 1), self.0 >> index)
    }

    /// The indices of the pawns that may move or be taken.
    fn movable(self, unmoved: Unmoved) -> std::ops::Range<u32> {
        u32::from(unmoved.white)..self.len() - u32::from(unmoved.black)
    }
}

impl Pawns for Column {
    const KNOWS_RANKS: bool = false;

    fn landings(_color: Color) -> RangeInclusive<u8> {
        0..=0
    }

    fn start(has_white: bool, has_black: bool) -> Column {
        let white = if has_white { Column::EMPTY.then(Color::White) } else { Column::EMPTY };
        if has_black { white.then(Color::Black) } else { white }
    }

    fn can_become(self, goal: Column) -> bool {
        self == goal
    }

    fn without_front(self, color: Color, unmoved: Unmoved) -> Option<Column> {
        let index = color.fold(self.len().checked_sub(1)?, 0);
        let may_go = self.at(index) == color && self.movable(unmoved).contains(&index);
        may_go.then(|| self.without(index))
    }

    fn leaving(self, color: Color, _: u8, unmoved: Unmoved) -> impl Iterator<Item = Column> {
        // Of equal neighbours it makes no difference which one goes.
        let mut range = self.movable(unmoved);
        let first = range.start;
        range.end = range.end.max(first);
        let is_first_of_run = move |&index: &u32| {
            self.at(index) == color && (index == first || self.at(index - 1) != color)
        };
        range.filter(is_first_of_run).map(move |index| self.without(index))
    }

    fn taking(self, color: Color, _: u8, unmoved: Unmoved) -> impl Iterator<Item = Column> {
        let victims = self.movable(unmoved).filter(move |&index| self.at(index) != color);
        victims.map(move |index| Column(self.0 ^ 1 << index))
    }

    fn joining(self, color: Color, _: u8, unmoved: Unmoved) -> impl Iterator<Item = Column> {
        let range = self.movable(unmoved);
        let first = range.start;
        // Next to its own kind it makes no difference on which side it arrives.
        let makes_difference = move |&index: &u32| index == first || self.at(index - 1) != color;
        let has_room = self.len() < Column::MOST;
        let places = (range.start..=range.end).filter(move |_| has_room).filter(makes_difference);
        places.map(move |index| self.with(index, color))
    }
}
