//! Reasons why a move is illegal, worded for the person who tried it.

use std::fmt;

use crate::board::castled_squares;
use crate::{
    Bitboard, CastlingSide, Color, Piece, Position, Promotion, Rank, Role, Square, attacks,
};

/// Why a move is illegal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IllegalMoveReason {
    /// There is no piece on the origin square.
    EmptySquare(Square),
    /// The piece belongs to the opponent.
    NotYourPiece(Square),
    /// The player's own piece stands on the target square (FIDE 3.1).
    OwnPieceOnTarget(Square),
    /// A piece of this role does not move that way.
    WrongMovement(Role, Square, Square),
    /// Another piece stands in the way (FIDE 3.5).
    Blocked(Role, Square, Square),
    /// A pawn moves diagonally only to capture (FIDE 3.7.3).
    NothingToCapture(Square),
    /// A pawn that reaches the last rank must be promoted.
    PromotionMissing,
    /// Only a pawn that reaches the last rank is promoted.
    PromotionImpossible,
    /// The king is in check and would remain in check (FIDE 3.9.2).
    StillInCheck,
    /// The piece is pinned to the king (FIDE 3.9.2).
    Pinned(Role, Square),
    /// The king would stand on an attacked square (FIDE 3.9.2).
    KingIntoCheck(Square),
    /// The king or the rook has moved, or there is no such rook (FIDE 3.8.2.1).
    NoCastlingRight(CastlingSide),
    /// A piece stands where the king or the rook must pass (FIDE 3.8.2.2).
    CastlingBlocked(CastlingSide),
    /// The king is in check (FIDE 3.8.2.2).
    CastlingInCheck,
    /// The king would cross or reach an attacked square (FIDE 3.8.2.2).
    CastlingThroughCheck(CastlingSide),
    /// The move is a null move.
    NullMove,
}

impl fmt::Display for IllegalMoveReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            IllegalMoveReason::EmptySquare(from) => write!(f, "there is no piece on {from}"),
            IllegalMoveReason::NotYourPiece(from) => {
                write!(f, "the piece on {from} is the opponent's")
            }
            IllegalMoveReason::OwnPieceOnTarget(to) => write!(f, "your own piece is on {to}"),
            IllegalMoveReason::WrongMovement(role, from, to) => {
                write!(f, "a {} cannot move from {from} to {to}", role.name())
            }
            IllegalMoveReason::Blocked(role, from, to) => {
                write!(f, "the {}'s path from {from} to {to} is blocked", role.name())
            }
            IllegalMoveReason::NothingToCapture(to) => {
                write!(f, "there is nothing to capture on {to}")
            }
            IllegalMoveReason::PromotionMissing => {
                f.write_str("the pawn must promote to a queen, rook, bishop or knight")
            }
            IllegalMoveReason::PromotionImpossible => {
                f.write_str("only a pawn that reaches the last rank can promote")
            }
            IllegalMoveReason::StillInCheck => f.write_str("the king would still be in check"),
            IllegalMoveReason::Pinned(role, from) => {
                write!(f, "the {} on {from} is pinned to the king", role.name())
            }
            IllegalMoveReason::KingIntoCheck(to) => write!(f, "the king would be in check on {to}"),
            IllegalMoveReason::NoCastlingRight(side) => {
                write!(f, "castling {} is no longer possible", side_name(side))
            }
            IllegalMoveReason::CastlingBlocked(side) => {
                write!(f, "castling {} is blocked by a piece", side_name(side))
            }
            IllegalMoveReason::CastlingInCheck => {
                f.write_str("the king is in check and cannot castle")
            }
            IllegalMoveReason::CastlingThroughCheck(side) => {
                write!(f, "the king cannot castle {} through or into check", side_name(side))
            }
            IllegalMoveReason::NullMove => f.write_str("a null move is not allowed"),
        }
    }
}

impl std::error::Error for IllegalMoveReason {}

fn side_name(side: CastlingSide) -> &'static str {
    match side {
        CastlingSide::King => "kingside",
        CastlingSide::Queen => "queenside",
    }
}

/// Explains why a move is illegal. The move must not be legal.
pub(crate) fn explain(
    position: &Position,
    from: Square,
    to: Square,
    promotion: Option<Promotion>,
) -> IllegalMoveReason {
    let turn = position.turn();
    let Some(piece) = position.piece_at(from) else {
        return IllegalMoveReason::EmptySquare(from);
    };
    if piece.color != turn {
        return IllegalMoveReason::NotYourPiece(from);
    }
    if piece.role != Role::Pawn && promotion.is_some() {
        return IllegalMoveReason::PromotionImpossible;
    }
    if let Some(side) = castling_attempt(position, piece, from, to) {
        let our_rooks = position.role(Role::Rook) & position.color(turn);
        if our_rooks.contains(to) && !position.castling_rooks().contains(to) {
            return IllegalMoveReason::NoCastlingRight(side);
        }
        if !is_castling_legal(position, side) {
            return explain_castling(position, side);
        }
    }
    if position.color(turn).contains(to) {
        return IllegalMoveReason::OwnPieceOnTarget(to);
    }
    if let Some(refusal) = explain_movement(position, piece, from, to) {
        return refusal;
    }
    let is_promotion = piece.role == Role::Pawn && to.rank() == Rank::Eighth.relative_to(turn);
    match (is_promotion, promotion) {
        (true, None) => IllegalMoveReason::PromotionMissing,
        (false, Some(_)) => IllegalMoveReason::PromotionImpossible,
        _ if piece.role == Role::King => IllegalMoveReason::KingIntoCheck(to),
        _ if position.is_check() => IllegalMoveReason::StillInCheck,
        _ => IllegalMoveReason::Pinned(piece.role, from),
    }
}

/// Returns the side if this king move can only be an attempt to castle.
fn castling_attempt(
    position: &Position,
    piece: Piece,
    from: Square,
    to: Square,
) -> Option<CastlingSide> {
    let home = Rank::First.relative_to(piece.color);
    let takes_rook = position.piece_at(to) == Some(Piece { role: Role::Rook, ..piece });
    let is_far = from.file().index().abs_diff(to.file().index()) == 2;
    let is_attempt = piece.role == Role::King
        && from.rank() == home
        && to.rank() == home
        && (takes_rook || is_far);
    is_attempt.then_some(if to > from { CastlingSide::King } else { CastlingSide::Queen })
}

fn is_castling_legal(position: &Position, side: CastlingSide) -> bool {
    position.legal_moves().iter().any(|mv| mv.castling_side() == Some(side))
}

/// Explains why castling on a side is illegal.
pub(crate) fn explain_castling(position: &Position, side: CastlingSide) -> IllegalMoveReason {
    let turn = position.turn();
    let king = position.king(turn);
    let is_on_side = |rook: &Square| (*rook > king) == (side == CastlingSide::King);
    let rights = position.castling_rooks() & position.color(turn);
    let Some(rook) = rights.into_iter().find(is_on_side) else {
        return IllegalMoveReason::NoCastlingRight(side);
    };
    let (king_to, rook_to) = castled_squares(king, rook);
    let way = attacks::between(king, king_to).with(king_to)
        | attacks::between(rook, rook_to).with(rook_to);
    if (way & position.occupied().without(king).without(rook)).any() {
        IllegalMoveReason::CastlingBlocked(side)
    } else if position.is_check() {
        IllegalMoveReason::CastlingInCheck
    } else {
        IllegalMoveReason::CastlingThroughCheck(side)
    }
}

/// Explains why a piece cannot move there, leaving the safety of its king aside.
fn explain_movement(
    position: &Position,
    piece: Piece,
    from: Square,
    to: Square,
) -> Option<IllegalMoveReason> {
    if piece.role == Role::Pawn {
        return explain_pawn(position, piece.color, from, to);
    }
    if !attacks::of_piece(piece, from, Bitboard::EMPTY).contains(to) {
        return Some(IllegalMoveReason::WrongMovement(piece.role, from, to));
    }
    let is_reached = attacks::of_piece(piece, from, position.occupied()).contains(to);
    (!is_reached).then_some(IllegalMoveReason::Blocked(piece.role, from, to))
}

fn explain_pawn(
    position: &Position,
    color: Color,
    from: Square,
    to: Square,
) -> Option<IllegalMoveReason> {
    let forward = color.fold(1, -1);
    let step = from.offset(0, forward);
    let double_step = (from.rank() == Rank::Second.relative_to(color))
        .then(|| from.offset(0, 2 * forward))
        .flatten();
    if attacks::pawn(color, from).contains(to) {
        let is_capture =
            position.color(!color).contains(to) || position.passed_square() == Some(to);
        return (!is_capture).then_some(IllegalMoveReason::NothingToCapture(to));
    }
    if Some(to) != step && Some(to) != double_step {
        return Some(IllegalMoveReason::WrongMovement(Role::Pawn, from, to));
    }
    let way = attacks::between(from, to).with(to);
    (way & position.occupied()).any().then_some(IllegalMoveReason::Blocked(Role::Pawn, from, to))
}
