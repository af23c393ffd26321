//! Problems that make a setup unplayable or suspicious.

use std::fmt;

use crate::Color;

/// One problem with a setup.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SetupProblem {
    /// White has no king.
    NoWhiteKing,
    /// Black has no king.
    NoBlackKing,
    /// White has more than one king.
    TooManyWhiteKings,
    /// Black has more than one king.
    TooManyBlackKings,
    /// The kings stand on adjacent squares.
    KingsAdjacent,
    /// White has more than sixteen pieces, pawns included.
    TooManyWhitePieces,
    /// Black has more than sixteen pieces, pawns included.
    TooManyBlackPieces,
    /// A pawn stands on the first or the last rank.
    PawnOnBackRank,
    /// The side that has just moved is in check.
    OpponentInCheck,
    /// A castling right is given, but the king and the rook are not on squares that allow it.
    CastlingWithoutRook,
    /// The en passant square does not match a pawn that has just made its double step.
    EnPassantWithoutStep,
    /// White has more than eight pawns.
    TooManyWhitePawns,
    /// Black has more than eight pawns.
    TooManyBlackPawns,
    /// White has more promoted pieces than missing pawns.
    TooManyWhitePromotions,
    /// Black has more promoted pieces than missing pawns.
    TooManyBlackPromotions,
    /// More pieces give check than a single move can cause.
    TooManyCheckers,
    /// The half-move clock counts more moves than were played in the game.
    ClockBeyondGame,
    /// The half-move clock is not zero although a pawn has just moved.
    ClockAfterStep,
    /// The move number is 0, but move numbers start at 1.
    MoveNumberZero,
}

impl SetupProblem {
    /// All problems, with the unplayable ones first.
    pub const ALL: [SetupProblem; 19] = [
        SetupProblem::NoWhiteKing,
        SetupProblem::NoBlackKing,
        SetupProblem::TooManyWhiteKings,
        SetupProblem::TooManyBlackKings,
        SetupProblem::KingsAdjacent,
        SetupProblem::TooManyWhitePieces,
        SetupProblem::TooManyBlackPieces,
        SetupProblem::PawnOnBackRank,
        SetupProblem::OpponentInCheck,
        SetupProblem::CastlingWithoutRook,
        SetupProblem::EnPassantWithoutStep,
        SetupProblem::TooManyWhitePawns,
        SetupProblem::TooManyBlackPawns,
        SetupProblem::TooManyWhitePromotions,
        SetupProblem::TooManyBlackPromotions,
        SetupProblem::TooManyCheckers,
        SetupProblem::ClockBeyondGame,
        SetupProblem::ClockAfterStep,
        SetupProblem::MoveNumberZero,
    ];

    /// Returns `true` if no game can continue from such a setup. The other problems are only
    /// suspicious: the rules work in such a position, but no game can reach it.
    pub const fn is_unplayable(self) -> bool {
        match self {
            SetupProblem::NoWhiteKing
            | SetupProblem::NoBlackKing
            | SetupProblem::TooManyWhiteKings
            | SetupProblem::TooManyBlackKings
            | SetupProblem::KingsAdjacent
            | SetupProblem::TooManyWhitePieces
            | SetupProblem::TooManyBlackPieces
            | SetupProblem::PawnOnBackRank
            | SetupProblem::OpponentInCheck
            | SetupProblem::CastlingWithoutRook
            | SetupProblem::EnPassantWithoutStep => true,
            SetupProblem::TooManyWhitePawns
            | SetupProblem::TooManyBlackPawns
            | SetupProblem::TooManyWhitePromotions
            | SetupProblem::TooManyBlackPromotions
            | SetupProblem::TooManyCheckers
            | SetupProblem::ClockBeyondGame
            | SetupProblem::ClockAfterStep
            | SetupProblem::MoveNumberZero => false,
        }
    }

    pub(crate) fn no_king(color: Color) -> SetupProblem {
        color.fold(SetupProblem::NoWhiteKing, SetupProblem::NoBlackKing)
    }

    pub(crate) fn too_many_kings(color: Color) -> SetupProblem {
        color.fold(SetupProblem::TooManyWhiteKings, SetupProblem::TooManyBlackKings)
    }

    pub(crate) fn too_many_pieces(color: Color) -> SetupProblem {
        color.fold(SetupProblem::TooManyWhitePieces, SetupProblem::TooManyBlackPieces)
    }

    pub(crate) fn too_many_pawns(color: Color) -> SetupProblem {
        color.fold(SetupProblem::TooManyWhitePawns, SetupProblem::TooManyBlackPawns)
    }

    pub(crate) fn too_many_promotions(color: Color) -> SetupProblem {
        color.fold(SetupProblem::TooManyWhitePromotions, SetupProblem::TooManyBlackPromotions)
    }
}

impl fmt::Display for SetupProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SetupProblem::NoWhiteKing => "White has no king",
            SetupProblem::NoBlackKing => "Black has no king",
            SetupProblem::TooManyWhiteKings => "White has more than one king",
            SetupProblem::TooManyBlackKings => "Black has more than one king",
            SetupProblem::KingsAdjacent => "the kings are on adjacent squares",
            SetupProblem::TooManyWhitePieces => "White has more than sixteen pieces",
            SetupProblem::TooManyBlackPieces => "Black has more than sixteen pieces",
            SetupProblem::PawnOnBackRank => "a pawn is on the first or the last rank",
            SetupProblem::OpponentInCheck => "the side that is not to move is in check",
            SetupProblem::CastlingWithoutRook => {
                "a castling right is given, but the king or the rook is not on its square"
            }
            SetupProblem::EnPassantWithoutStep => {
                "the en passant square does not match a pawn's double step"
            }
            SetupProblem::TooManyWhitePawns => "White has more than eight pawns",
            SetupProblem::TooManyBlackPawns => "Black has more than eight pawns",
            SetupProblem::TooManyWhitePromotions => {
                "White has more promoted pieces than missing pawns"
            }
            SetupProblem::TooManyBlackPromotions => {
                "Black has more promoted pieces than missing pawns"
            }
            SetupProblem::TooManyCheckers => "more pieces give check than one move allows",
            SetupProblem::ClockBeyondGame => {
                "the half-move clock counts more moves than were played"
            }
            SetupProblem::ClockAfterStep => {
                "the half-move clock is not zero after a pawn's double step"
            }
            SetupProblem::MoveNumberZero => "the move number is 0, but move numbers start at 1",
        })
    }
}

/// A set of problems.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SetupProblems(u32);

impl SetupProblems {
    /// The empty set.
    pub const NONE: SetupProblems = SetupProblems(0);

    /// Returns `true` if there are no problems.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns `true` if the set contains `problem`.
    pub const fn contains(self, problem: SetupProblem) -> bool {
        self.0 >> problem as u32 & 1 == 1
    }

    /// Iterates over the problems, with the unplayable ones first.
    pub fn iter(self) -> impl Iterator<Item = SetupProblem> {
        SetupProblem::ALL.into_iter().filter(move |&problem| self.contains(problem))
    }

    pub(crate) fn add_if(&mut self, holds: bool, problem: SetupProblem) {
        self.0 |= u32::from(holds) << problem as u32;
    }
}

impl fmt::Debug for SetupProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Writes all problems, separated by semicolons.
impl fmt::Display for SetupProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.iter().enumerate() {
            write!(f, "{}{problem}", if i == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl std::error::Error for SetupProblems {}
