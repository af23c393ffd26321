//! A move taken back: the move, what it captured, and the position it was played in.
//!
//! The position before the move is the weakest that fits: the one that claims the least. It keeps
//! the current castling rights, because pieces with a right have never moved, and gains one only if
//! castling is taken back. It has an en passant square only if an en passant capture is taken back.
//! If the weakest position is impossible, so is the true one.

use std::fmt;

use castellan_rules::{Bitboard, Color, Move, MoveKind, Piece, Role, Setup, castled_squares};

use crate::Case;

/// A move that may have been the last one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct RetroMove {
    /// The move, as it was played in the position before.
    pub(crate) mv: Move,
    /// The role of the captured piece, if any; a pawn if the capture was en passant.
    pub(crate) captured: Option<Role>,
}

impl RetroMove {
    /// Returns the position in which the move was played to reach this one.
    pub(crate) fn before(&self, case: &Case) -> Case {
        let mover = case.last_mover();
        let mut setup = Setup {
            turn: mover,
            en_passant: None,
            castling_rooks: case.setup.castling_rooks,
            ..case.setup
        };
        let RetroMove { mv, captured } = *self;
        if mv.kind() == MoveKind::Castle {
            let (king_to, rook_to) = castled_squares(mv.from(), mv.to());
            setup.pieces.clear(king_to);
            setup.pieces.clear(rook_to);
            setup.pieces.put(Piece { color: mover, role: Role::Rook }, mv.to());
            setup.castling_rooks |= mv.to().into();
        } else {
            setup.pieces.clear(mv.to());
        }
        setup.pieces.put(Piece { color: mover, role: mv.role() }, mv.from());
        if let Some(role) = captured {
            setup.pieces.put(Piece { color: !mover, role }, mv.capture_square());
            setup.en_passant = (mv.kind() == MoveKind::EnPassant).then_some(mv.to());
        }
        Case { setup, is_standard: case.is_standard }
    }

    /// Returns whether two moves differ at most in what they captured.
    pub(crate) fn is_same_move(&self, other: &RetroMove) -> bool {
        self.mv == other.mv && self.captured.is_some() == other.captured.is_some()
    }
}

/// Writes the move in long notation, such as `Ng1-f3`, `e5xd6 e.p.` and `b7-b8=Q`, without naming
/// the captured piece.
impl fmt::Display for RetroMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RetroMove { mv, captured } = *self;
        if mv.kind() == MoveKind::Castle {
            return f.write_str(if mv.to() > mv.from() { "O-O" } else { "O-O-O" });
        }
        if mv.role() != Role::Pawn {
            write!(f, "{}", mv.role().letter())?;
        }
        let dash = if captured.is_some() { 'x' } else { '-' };
        write!(f, "{}{dash}{}", mv.from(), mv.to())?;
        if let Some(promotion) = mv.promotion() {
            write!(f, "={}", promotion.letter())?;
        }
        f.write_str(if mv.kind() == MoveKind::EnPassant { " e.p." } else { "" })
    }
}

/// Returns whether the game may have begun here: White to move, all pieces present, every pawn at
/// home.
///
/// Any arrangement of the back rank is accepted, because without castling rights it is unknown
/// which of the 960 start positions it was.
pub(super) fn may_be_start(case: &Case) -> bool {
    let pieces = &case.setup.pieces;
    let homes = Bitboard(0xffff) | Bitboard(0xffff << 48);
    case.setup.turn == Color::White
        && pieces.occupied() == homes
        && pieces.color(Color::White) == Bitboard(0xffff)
        && pieces.role(Role::Pawn) == Bitboard(0x00ff_0000_0000_ff00)
}
