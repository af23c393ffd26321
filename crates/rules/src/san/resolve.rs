//! Resolves [`San`] to the legal move it means.

use std::fmt;

use super::{San, SanMove};
use crate::illegal_move::{explain, explain_castling};
use crate::{
    Bitboard, IllegalMoveReason, Move, MoveKind, MoveList, Piece, Position, Rank, Role, Square,
    attacks,
};

/// Why a SAN move does not name a legal move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResolveSanError {
    /// No such piece can reach the square.
    NoPiece(Role, Square),
    /// Exactly one piece could be meant, and this is why it cannot move there.
    Refused(IllegalMoveReason),
    /// Several pieces can move there; these are two of them.
    Ambiguous(Square, Square),
    /// The move is written with `x`, but captures nothing.
    NotACapture(Square),
    /// The move is written without `x`, but it captures.
    IsACapture(Square),
}

impl fmt::Display for ResolveSanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResolveSanError::NoPiece(role, to) => {
                write!(f, "no {} can move to {to}", role.name())
            }
            ResolveSanError::Refused(refusal) => refusal.fmt(f),
            ResolveSanError::Ambiguous(one, other) => {
                write!(f, "ambiguous: the pieces on {one} and {other} can both go there")
            }
            ResolveSanError::NotACapture(to) => write!(f, "there is nothing to capture on {to}"),
            ResolveSanError::IsACapture(to) => {
                write!(f, "the move captures on {to}, so write it with an x")
            }
        }
    }
}

impl std::error::Error for ResolveSanError {}

impl San {
    /// Returns the only legal move that matches.
    ///
    /// Captures must be written with `x`. Check marks are ignored because people forget them;
    /// [`write`](super::write()) produces the correct ones.
    #[inline]
    pub fn resolve(&self, position: &Position) -> Result<Move, ResolveSanError> {
        let mv = self.find(position)?;
        if let SanMove::Normal { is_capture, to, .. } = self.mv
            && is_capture != position.is_capture(mv)
        {
            return Err(if is_capture {
                ResolveSanError::NotACapture(to)
            } else {
                ResolveSanError::IsACapture(to)
            });
        }
        Ok(mv)
    }

    /// Returns the only legal move that matches, whether or not captures are marked correctly.
    #[inline]
    pub fn find(&self, position: &Position) -> Result<Move, ResolveSanError> {
        let SanMove::Normal { role, file, rank, to, promotion, .. } = self.mv else {
            let SanMove::Castle(side) = self.mv else { return Err(self.explain(position)) };
            return position.legal_castling(side).ok_or_else(|| self.explain(position));
        };
        if role == Role::Pawn {
            let found = position.legal_pawn_move(file.unwrap_or(to.file()), to, promotion);
            let is_named = |mv: &Move| rank.is_none_or(|rank| rank == mv.from().rank());
            return found.filter(is_named).ok_or_else(|| self.explain(position));
        }
        let among = file.map_or(Bitboard::FULL, Bitboard::file)
            & rank.map_or(Bitboard::FULL, Bitboard::rank);
        let origins = position.legal_origins(role, to, among);
        match (origins.first(), origins.last()) {
            (Some(from), Some(last)) if from == last => {
                Ok(Move::new(from, to, role, MoveKind::Normal))
            }
            (Some(one), Some(other)) => Err(ResolveSanError::Ambiguous(one, other)),
            _ => Err(self.explain(position)),
        }
    }

    /// Returns every legal move that matches, whether or not captures are marked correctly.
    pub fn candidates(&self, position: &Position) -> MoveList {
        let mut moves = position.legal_moves();
        moves.retain(|mv| match self.mv {
            SanMove::Castle(side) => mv.castling_side() == Some(side),
            SanMove::Normal { role, file, rank, to, promotion, .. } => {
                mv.kind() != MoveKind::Castle
                    && mv.role() == role
                    && mv.to() == to
                    && mv.promotion() == promotion
                    && file.is_none_or(|file| file == mv.from().file())
                    && rank.is_none_or(|rank| rank == mv.from().rank())
            }
        });
        moves
    }

    /// Explains why nothing matches, in terms of the one piece that could be meant, if there is
    /// one.
    #[cold]
    fn explain(&self, position: &Position) -> ResolveSanError {
        let (role, file, rank, to, promotion) = match self.mv {
            SanMove::Castle(side) => {
                return ResolveSanError::Refused(explain_castling(position, side));
            }
            SanMove::Normal { role, file, rank, to, promotion, .. } => {
                (role, file, rank, to, promotion)
            }
        };
        // A pawn capture that was not written as one.
        if !self.candidates(position).is_empty() {
            return ResolveSanError::IsACapture(to);
        }
        let piece = Piece { color: position.turn(), role };
        let is_named = |from: &Square| {
            file.is_none_or(|file| file == from.file())
                && rank.is_none_or(|rank| rank == from.rank())
        };
        let named: Bitboard = position.pieces().piece(piece).into_iter().filter(is_named).collect();
        let able = named.into_iter().filter(|from| could_go(position, piece, *from, to)).collect();
        // Without a named file, only pawns on the target's file could be meant.
        let is_straight = role == Role::Pawn && file.is_none();
        let near = if is_straight { named & Bitboard::file(to.file()) } else { named };
        match only_one(able).or(only_one(near)) {
            Some(from) => ResolveSanError::Refused(explain(position, from, to, promotion)),
            None => ResolveSanError::NoPiece(role, to),
        }
    }
}

fn only_one(squares: Bitboard) -> Option<Square> {
    if squares.has_multiple() { None } else { squares.first() }
}

/// Returns `true` if the piece could move there considering only how it moves.
fn could_go(position: &Position, piece: Piece, from: Square, to: Square) -> bool {
    let forward = piece.color.fold(1, -1);
    let is_at_home = from.rank() == Rank::Second.relative_to(piece.color);
    attacks::of_piece(piece, from, position.occupied()).contains(to)
        || piece.role == Role::Pawn
            && (from.offset(0, forward) == Some(to)
                || is_at_home && from.offset(0, 2 * forward) == Some(to))
}
