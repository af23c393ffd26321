//! What the search asks of the pawns of a file, however much it knows about them.

use std::hash::Hash;
use std::ops::RangeInclusive;

use castellan_rules::Color;

/// Which of the two pawns a file began with never move: the lowest, White's, and the highest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Unmoved {
    pub(super) white: bool,
    pub(super) black: bool,
}

/// The pawns of one file, as far as the search tells them apart.
pub(super) trait Pawns: Copy + Eq + Hash {
    /// Whether ranks are told apart, and so the colors of squares.
    const KNOWS_RANKS: bool;

    /// The numbers of the ranks on which a pawn of a color can arrive by a capture.
    fn landings(color: Color) -> RangeInclusive<u8>;

    /// The pawns of a file at the start, without those that pieces take.
    fn start(has_white: bool, has_black: bool) -> Self;

    /// Whether they can go straight on to where they are wanted.
    fn can_become(self, goal: Self) -> bool;

    /// Without the pawn of a color that is next to promote.
    fn without_front(self, color: Color, unmoved: Unmoved) -> Option<Self>;

    /// After a pawn has left to capture onto this rank of a neighbouring file.
    fn leaving(self, color: Color, landing: u8, unmoved: Unmoved) -> impl Iterator<Item = Self>;

    /// After a pawn has come onto this rank and taken one of the other color.
    fn taking(self, color: Color, landing: u8, unmoved: Unmoved) -> impl Iterator<Item = Self>;

    /// After a pawn has come onto this rank, between the others.
    fn joining(self, color: Color, landing: u8, unmoved: Unmoved) -> impl Iterator<Item = Self>;
}
