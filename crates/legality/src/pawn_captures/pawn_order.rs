//! The pawns of one file in their order from the first rank to the eighth, without their ranks.
//!
//! Invariant: the highest set bit is the marker above the topmost pawn, so an order holds at most
//! seven pawns. Six fit on a file; the seventh is a pawn that captures and promotes at once, which
//! is modeled as arriving on top and then promoting.

use std::ops::RangeInclusive;

use castellan_rules::Color;

use super::pawns::{Pawns, Unmoved};

/// The order of the pawns on a file. Bit 0 is the lowest pawn; a set bit means Black.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct PawnOrder(pub(super) u8);

impl PawnOrder {
    /// A file without pawns.
    pub(super) const EMPTY: PawnOrder = PawnOrder(1);
    /// The most pawns an order can hold.
    const MAX: u32 = 7;

    /// Returns the number of pawns.
    pub(super) const fn len(self) -> u32 {
        7 - self.0.leading_zeros()
    }

    /// Returns the order of pawns with one more pawn on top.
    pub(super) fn then(self, color: Color) -> PawnOrder {
        self.with(self.len(), color)
    }

    /// Returns whether a white pawn stands somewhere below a black one, so that neither gets
    /// past.
    pub(super) fn is_opposed(self) -> bool {
        // Above the run of black pawns at the bottom, any black pawn has a white one below it.
        let pawns = self.0 ^ 1 << self.len();
        pawns & pawns.wrapping_add(1) != 0
    }

    fn at(self, index: u32) -> Color {
        if self.0 >> index & 1 == 0 { Color::White } else { Color::Black }
    }

    fn with(self, index: u32, color: Color) -> PawnOrder {
        let (low, high) = self.split(index);
        PawnOrder(high << (index + 1) | (color.index() as u8) << index | low)
    }

    fn without(self, index: u32) -> PawnOrder {
        let (low, high) = self.split(index);
        PawnOrder(high >> 1 << index | low)
    }

    fn split(self, index: u32) -> (u8, u8) {
        (self.0 & ((1 << index) - 1), self.0 >> index)
    }

    /// Returns the indices of the pawns that may move or be captured.
    fn movable(self, unmoved: Unmoved) -> std::ops::Range<u32> {
        u32::from(unmoved.white)..self.len() - u32::from(unmoved.black)
    }
}

impl Pawns for PawnOrder {
    const KNOWS_RANKS: bool = false;

    fn landings(_color: Color) -> RangeInclusive<u8> {
        0..=0
    }

    fn start(has_white: bool, has_black: bool) -> PawnOrder {
        let white = if has_white { PawnOrder::EMPTY.then(Color::White) } else { PawnOrder::EMPTY };
        if has_black { white.then(Color::Black) } else { white }
    }

    fn can_become(self, goal: PawnOrder) -> bool {
        self == goal
    }

    fn without_front(self, color: Color, unmoved: Unmoved) -> Option<PawnOrder> {
        let index = color.fold(self.len().checked_sub(1)?, 0);
        let may_go = self.at(index) == color && self.movable(unmoved).contains(&index);
        may_go.then(|| self.without(index))
    }

    fn leaving(self, color: Color, _: u8, unmoved: Unmoved) -> impl Iterator<Item = PawnOrder> {
        // Among adjacent pawns of one color it makes no difference which one leaves.
        let mut range = self.movable(unmoved);
        let first = range.start;
        range.end = range.end.max(first);
        let is_first_of_run = move |&index: &u32| {
            self.at(index) == color && (index == first || self.at(index - 1) != color)
        };
        range.filter(is_first_of_run).map(move |index| self.without(index))
    }

    fn taking(self, color: Color, _: u8, unmoved: Unmoved) -> impl Iterator<Item = PawnOrder> {
        let victims = self.movable(unmoved).filter(move |&index| self.at(index) != color);
        victims.map(move |index| PawnOrder(self.0 ^ 1 << index))
    }

    fn joining(self, color: Color, _: u8, unmoved: Unmoved) -> impl Iterator<Item = PawnOrder> {
        let range = self.movable(unmoved);
        let first = range.start;
        // Next to a pawn of its own color it makes no difference on which side it arrives.
        let makes_difference = move |&index: &u32| index == first || self.at(index - 1) != color;
        let has_room = self.len() < PawnOrder::MAX;
        let places = (range.start..=range.end).filter(move |_| has_room).filter(makes_difference);
        places.map(move |index| self.with(index, color))
    }
}
