//! Reasons why a setup is not a playable position, or looks suspicious.

use std::fmt;

use crate::Color;

/// One problem with a setup.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// White has no king.
    NoWhiteKing,
    /// Black has no king.
    NoBlackKing,
    /// White has more than one king.
    ManyWhiteKings,
    /// Black has more than one king.
    ManyBlackKings,
    /// The kings stand on adjacent squares.
    KingsAdjacent,
    /// White has more than sixteen pieces, pawns included.
    ManyWhiteMen,
    /// Black has more than sixteen pieces, pawns included.
    ManyBlackMen,
    /// A pawn stands on the first or the last rank.
    PawnOnBackRank,
    /// The side that has just moved is in check.
    OpponentInCheck,
    /// A castling right is given, but the king and the rook are not on squares that allow it.
    CastlingWithoutRook,
    /// The en passant square does not match a pawn that has just made its double step.
    EnPassantWithoutStep,
    /// White has more than eight pawns.
    ManyWhitePawns,
    /// Black has more than eight pawns.
    ManyBlackPawns,
    /// White has more promoted pieces than missing pawns.
    ManyWhitePromotions,
    /// Black has more promoted pieces than missing pawns.
    ManyBlackPromotions,
    /// More pieces give check than a single move can cause.
    ManyCheckers,
    /// The half-move clock counts more moves than were played in the game.
    ClockBeyondGame,
    /// The half-move clock is not zero although a pawn has just moved.
    ClockAfterStep,
    /// The move number is 0, but move numbers start at 1.
    MoveNumberZero,
}

impl Reason {
    /// All reasons, with the unplayable ones first.
    pub const ALL: [Reason; 19] = [
        Reason::NoWhiteKing,
        Reason::NoBlackKing,
        Reason::ManyWhiteKings,
        Reason::ManyBlackKings,
        Reason::KingsAdjacent,
        Reason::ManyWhiteMen,
        Reason::ManyBlackMen,
        Reason::PawnOnBackRank,
        Reason::OpponentInCheck,
        Reason::CastlingWithoutRook,
        Reason::EnPassantWithoutStep,
        Reason::ManyWhitePawns,
        Reason::ManyBlackPawns,
        Reason::ManyWhitePromotions,
        Reason::ManyBlackPromotions,
        Reason::ManyCheckers,
        Reason::ClockBeyondGame,
        Reason::ClockAfterStep,
        Reason::MoveNumberZero,
    ];

    /// Returns `true` if no game can continue from such a setup. The other reasons are only
    /// suspicious: the rules work in such a position, but no game can reach it.
    pub const fn is_unplayable(self) -> bool {
        (self as u8) <= Reason::EnPassantWithoutStep as u8
    }

    pub(crate) fn no_king(color: Color) -> Reason {
        color.fold(Reason::NoWhiteKing, Reason::NoBlackKing)
    }

    pub(crate) fn many_kings(color: Color) -> Reason {
        color.fold(Reason::ManyWhiteKings, Reason::ManyBlackKings)
    }

    pub(crate) fn many_men(color: Color) -> Reason {
        color.fold(Reason::ManyWhiteMen, Reason::ManyBlackMen)
    }

    pub(crate) fn many_pawns(color: Color) -> Reason {
        color.fold(Reason::ManyWhitePawns, Reason::ManyBlackPawns)
    }

    pub(crate) fn many_promotions(color: Color) -> Reason {
        color.fold(Reason::ManyWhitePromotions, Reason::ManyBlackPromotions)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::NoWhiteKing => "White has no king",
            Reason::NoBlackKing => "Black has no king",
            Reason::ManyWhiteKings => "White has more than one king",
            Reason::ManyBlackKings => "Black has more than one king",
            Reason::KingsAdjacent => "the kings are on adjacent squares",
            Reason::ManyWhiteMen => "White has more than sixteen pieces",
            Reason::ManyBlackMen => "Black has more than sixteen pieces",
            Reason::PawnOnBackRank => "a pawn is on the first or the last rank",
            Reason::OpponentInCheck => "the side that is not to move is in check",
            Reason::CastlingWithoutRook => {
                "a castling right is given, but the king or the rook is not on its square"
            }
            Reason::EnPassantWithoutStep => {
                "the en passant square does not match a pawn's double step"
            }
            Reason::ManyWhitePawns => "White has more than eight pawns",
            Reason::ManyBlackPawns => "Black has more than eight pawns",
            Reason::ManyWhitePromotions => "White has more promoted pieces than missing pawns",
            Reason::ManyBlackPromotions => "Black has more promoted pieces than missing pawns",
            Reason::ManyCheckers => "more pieces give check than one move allows",
            Reason::ClockBeyondGame => "the half-move clock counts more moves than were played",
            Reason::ClockAfterStep => "the half-move clock is not zero after a pawn's double step",
            Reason::MoveNumberZero => "the move number is 0, but move numbers start at 1",
        })
    }
}

/// A set of reasons.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Reasons(u32);

impl Reasons {
    /// The empty set.
    pub const NONE: Reasons = Reasons(0);

    /// Returns `true` if there are no reasons.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns `true` if the set contains `reason`.
    pub const fn contains(self, reason: Reason) -> bool {
        self.0 >> reason as u32 & 1 == 1
    }

    /// Iterates over the reasons, with the unplayable ones first.
    pub fn iter(self) -> impl Iterator<Item = Reason> {
        Reason::ALL.into_iter().filter(move |&reason| self.contains(reason))
    }

    pub(crate) fn add_if(&mut self, holds: bool, reason: Reason) {
        self.0 |= u32::from(holds) << reason as u32;
    }
}

impl fmt::Debug for Reasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Writes all reasons, separated by semicolons.
impl fmt::Display for Reasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, reason) in self.iter().enumerate() {
            write!(f, "{}{reason}", if i == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl std::error::Error for Reasons {}
