//! The interface between the search and the pawns of a file, with or without ranks.

use std::hash::Hash;
use std::ops::RangeInclusive;

use castellan_rules::Color;

/// Whether the two pawns a file began with never moved: White's lowest and Black's highest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Unmoved {
    pub(super) white: bool,
    pub(super) black: bool,
}

/// The pawns of one file, in as much detail as the search distinguishes.
pub(super) trait Pawns: Copy + Eq + Hash {
    /// Whether ranks, and therefore the colors of squares, are distinguished.
    const KNOWS_RANKS: bool;

    /// Returns the numbers of the ranks on which a pawn of a color can arrive by a capture.
    fn landings(color: Color) -> RangeInclusive<u8>;

    /// Returns the pawns of a file at the start, without those that other pieces capture.
    fn start(has_white: bool, has_black: bool) -> Self;

    /// Returns whether the pawns can advance to where the goal wants them.
    fn can_become(self, goal: Self) -> bool;

    /// Returns the pawns without the one of a color that is next to promote.
    fn without_front(self, color: Color, unmoved: Unmoved) -> Option<Self>;

    /// Returns the pawns after one has left to capture onto this rank of a neighboring file.
    fn leaving(self, color: Color, landing: u8, unmoved: Unmoved) -> impl Iterator<Item = Self>;

    /// Returns the pawns after one has arrived on this rank and captured a pawn of the other
    /// color.
    fn taking(self, color: Color, landing: u8, unmoved: Unmoved) -> impl Iterator<Item = Self>;

    /// Returns the pawns after one has arrived on this rank between the others.
    fn joining(self, color: Color, landing: u8, unmoved: Unmoved) -> impl Iterator<Item = Self>;
}
