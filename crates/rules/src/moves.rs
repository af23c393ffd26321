//! A move, and a list of moves.

use std::fmt;
use std::ops::Deref;

use crate::{Bitboard, Promotion, Role, Square};

/// What is special about a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveKind {
    /// From a square to a square, capturing what stands there.
    Normal,
    /// A pawn's first move of two squares (FIDE 3.7.2).
    DoubleStep,
    /// A pawn takes a pawn that has just made its double step (FIDE 3.7.3.1).
    EnPassant,
    /// The king goes to its castled square and the rook to its own (FIDE 3.8.2).
    Castle,
    /// A pawn reaches the last rank and becomes another piece (FIDE 3.7.3.3).
    Promotion(Promotion),
}

/// A move in the position it was made for.
///
/// Castling goes from the king's square to the castling rook's square, in Chess960 and in
/// ordinary chess alike. A move has no text of its own: that is the work of
/// [`UciMove`](crate::UciMove) and [`San`](crate::San).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C, align(4))]
pub struct Move {
    // First, so that a list of moves from one square differs in the lowest byte only.
    pub(crate) to: Square,
    pub(crate) from: Square,
    pub(crate) role: Role,
    pub(crate) kind: MoveKind,
}

const _: () = assert!(size_of::<Move>() == 4 && size_of::<Option<Move>>() == 4);

impl Move {
    /// A move from its parts. Whether it is legal somewhere is for
    /// [`Position::is_legal`](crate::Position::is_legal) to say.
    #[inline]
    pub const fn new(from: Square, to: Square, role: Role, kind: MoveKind) -> Move {
        Move { from, to, role, kind }
    }

    /// Where the piece stands.
    #[inline]
    pub const fn from(self) -> Square {
        self.from
    }

    /// Where the piece goes; for castling, the castling rook's square.
    #[inline]
    pub const fn to(self) -> Square {
        self.to
    }

    /// The role of the piece before it moves: a promoting piece is a pawn.
    #[inline]
    pub const fn role(self) -> Role {
        self.role
    }

    /// What is special about the move.
    #[inline]
    pub const fn kind(self) -> MoveKind {
        self.kind
    }

    /// What a pawn becomes, if it does.
    #[inline]
    pub const fn promotion(self) -> Option<Promotion> {
        match self.kind {
            MoveKind::Promotion(promotion) => Some(promotion),
            _ => None,
        }
    }

    /// For castling, the side it is done on.
    #[inline]
    pub fn wing(self) -> Option<Wing> {
        let wing = if self.to > self.from { Wing::King } else { Wing::Queen };
        (self.kind == MoveKind::Castle).then_some(wing)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}-{} {:?}", self.role, self.from, self.to, self.kind)
    }
}

/// The half of the board where a castling takes place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wing {
    /// Towards the h-file: `O-O`.
    King,
    /// Towards the a-file: `O-O-O`.
    Queen,
}

/// How many moves a position can have at most.
///
/// A position has at most sixteen men a side. Fifteen of them have at most 27 moves each
/// (a queen; a pawn has at most twelve) and the king has eight and two castlings: 415.
pub const MAX_MOVES: usize = 512;

/// The moves of one position, without allocation.
#[derive(Clone)]
pub struct MoveList {
    len: usize,
    moves: [Move; MAX_MOVES],
}

impl MoveList {
    /// An empty list.
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

    /// Adds a move. A list that is full stays as it is, which no position can bring about.
    #[inline(always)]
    pub fn push(&mut self, mv: Move) {
        if let Some(slot) = self.moves.get_mut(self.len) {
            *slot = mv;
            self.len += 1;
        }
    }

    /// Adds a move to each of some squares.
    ///
    /// Four at a time, the last ones overwritten by what comes next: how many targets a piece
    /// has is hard to guess for the processor, how many fours is less so.
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

    /// Keeps the moves for which the question is answered with yes.
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
