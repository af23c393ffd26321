//! Moves and lists of moves.

use std::fmt;
use std::ops::Deref;

use crate::{Bitboard, Promotion, Role, Square};

/// The kind of a move, which says what happens beyond moving one piece.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveKind {
    /// A piece moves to a square and captures what stands there, if anything.
    Normal,
    /// A pawn's first move of two squares (FIDE 3.7.2).
    DoubleStep,
    /// A pawn captures a pawn that has just made its double step (FIDE 3.7.3.1).
    EnPassant,
    /// The king goes to its castled square and the rook to its own (FIDE 3.8.2).
    Castle,
    /// A pawn reaches the last rank and becomes another piece (FIDE 3.7.3.3).
    Promotion(Promotion),
}

/// A move, meaningful in the position it was made for.
///
/// Castling goes from the king's square to the castling rook's square, both in Chess960 and in
/// ordinary chess. A move has no text of its own: [`UciMove`](crate::UciMove) and
/// [`San`](crate::San) convert it to and from notation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C, align(4))]
pub struct Move {
    // First, so that the moves of a list that share an origin differ only in the lowest byte.
    pub(crate) to: Square,
    pub(crate) from: Square,
    pub(crate) role: Role,
    pub(crate) kind: MoveKind,
}

const _: () = assert!(size_of::<Move>() == 4 && size_of::<Option<Move>>() == 4);

impl Move {
    /// Creates a move from its parts. Use [`Position::is_legal`](crate::Position::is_legal) to
    /// find out whether it is legal in a position.
    #[inline]
    pub const fn new(from: Square, to: Square, role: Role, kind: MoveKind) -> Move {
        Move { from, to, role, kind }
    }

    /// Returns the square the piece moves from.
    #[inline]
    pub const fn from(self) -> Square {
        self.from
    }

    /// Returns the square the piece moves to; for castling, the castling rook's square.
    #[inline]
    pub const fn to(self) -> Square {
        self.to
    }

    /// Returns the role of the piece before the move, which is `Pawn` for a promotion.
    #[inline]
    pub const fn role(self) -> Role {
        self.role
    }

    /// Returns the kind of the move.
    #[inline]
    pub const fn kind(self) -> MoveKind {
        self.kind
    }

    /// Returns the promotion piece, or `None` if the move is not a promotion.
    #[inline]
    pub const fn promotion(self) -> Option<Promotion> {
        match self.kind {
            MoveKind::Promotion(promotion) => Some(promotion),
            _ => None,
        }
    }

    /// Returns the square of the captured piece if the move is a capture: the square the piece
    /// moves to, except en passant. [`Position::captured`](crate::Position::captured) tells
    /// whether there is a piece.
    #[inline(always)]
    pub const fn capture_square(self) -> Square {
        match self.kind {
            MoveKind::EnPassant => Square::new(self.to.file(), self.from.rank()),
            _ => self.to,
        }
    }

    /// Returns the castling side, or `None` if the move is not castling.
    #[inline]
    pub fn castling_side(self) -> Option<CastlingSide> {
        let side = if self.to > self.from { CastlingSide::King } else { CastlingSide::Queen };
        (self.kind == MoveKind::Castle).then_some(side)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}-{} {:?}", self.role, self.from, self.to, self.kind)
    }
}

/// A side of the board to castle on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CastlingSide {
    /// Toward the h-file: `O-O`.
    King,
    /// Toward the a-file: `O-O-O`.
    Queen,
}

/// The capacity of a [`MoveList`], more than any position needs.
///
/// Each side has at most sixteen pieces. Fifteen of them have at most 27 moves each (a queen; a
/// pawn has at most twelve), and the king has eight moves and two castlings: 415.
pub const MAX_MOVES: usize = 512;

/// The moves of one position, stored without heap allocation.
#[derive(Clone)]
pub struct MoveList {
    len: usize,
    moves: [Move; MAX_MOVES],
}

impl MoveList {
    /// Creates an empty list.
    #[inline]
    pub const fn new() -> MoveList {
        const FILLER: Move = Move::new(Square::A1, Square::A1, Role::Pawn, MoveKind::Normal);
        MoveList { len: 0, moves: [FILLER; MAX_MOVES] }
    }

    /// Empties the list.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds a move. Ignores it if the list is full, which cannot happen for the moves of a
    /// position.
    #[inline(always)]
    pub fn push(&mut self, mv: Move) {
        if let Some(slot) = self.moves.get_mut(self.len) {
            *slot = mv;
            self.len += 1;
        }
    }

    /// Adds a move to each square of `targets`.
    ///
    /// Moves are written four at a time, and surplus ones are overwritten by the next call. The
    /// number of targets of a piece is hard for the branch predictor to guess; the number of
    /// groups of four is easier.
    #[inline(always)]
    pub(crate) fn push_all(&mut self, targets: Bitboard, mv: impl Fn(Square) -> Move) {
        let mut rest = targets;
        let mut at = self.len;
        while rest.any() {
            let Some(four) = self.moves.get_mut(at..at + 4) else { return };
            for slot in four {
                *slot = mv(rest.first_or_a1());
                rest.0 &= rest.0.wrapping_sub(1);
            }
            at += 4;
        }
        self.len += targets.count();
    }

    /// Keeps only the moves for which `keep` returns `true`.
    pub fn retain(&mut self, mut keep: impl FnMut(Move) -> bool) {
        let mut kept = 0;
        for i in 0..self.len {
            if keep(self.moves[i]) {
                self.moves[kept] = self.moves[i];
                kept += 1;
            }
        }
        self.len = kept;
    }
}

impl Default for MoveList {
    fn default() -> MoveList {
        MoveList::new()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        &self.moves[..self.len]
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
