//! Moves before they are made: trial moves and premoves.
//!
//! This module decides which premoves are possible. A piece may premove to any square that it
//! could reach on some board, because the pieces in its way may have moved by then. Whether the
//! move is legal is checked once its position is on the board.

use castellan_rules::{
    Bitboard, CastlingSpelling, Color, Piece, Position, Promotion, Rank, Role, Square, UciMove,
    attacks,
};
use serde::Deserialize;

use crate::error::ApiError;
use crate::games::PlyView;
use crate::position::{parse_fen, parse_move};
use crate::view::MoveView;

/// A request to try a move.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct TryMoveRequest {
    fen: String,
    uci: String,
    is_chess960: bool,
}

pub(crate) fn try_move(request: &TryMoveRequest) -> Result<PlyView, ApiError> {
    let before = parse_fen(&request.fen)?;
    let mv = parse_move(&before, &request.uci)?;
    Ok(PlyView::new(mv, &before, CastlingSpelling::for_game(request.is_chess960)))
}

/// A position in which a player is waiting for the opponent's move.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct PremoveRequest {
    fen: String,
    is_white: bool,
    is_chess960: bool,
}

pub(crate) fn premoves(request: &PremoveRequest) -> Result<Vec<MoveView>, ApiError> {
    let position = parse_fen(&request.fen)?;
    let color = if request.is_white { Color::White } else { Color::Black };
    let castling = CastlingSpelling::for_game(request.is_chess960);
    let pieces = position.color(color);
    let found = pieces.into_iter().flat_map(|from| {
        let to = reach(&position, from, castling);
        let ready = |to| ready(&position, from, to, castling);
        to.into_iter().flat_map(ready).collect::<Vec<_>>()
    });
    Ok(found.collect())
}

/// Returns the squares that the piece on a square could reach on some board.
fn reach(position: &Position, from: Square, castling: CastlingSpelling) -> Bitboard {
    let Some(piece) = position.piece_at(from) else { return Bitboard::EMPTY };
    match piece.role {
        Role::Pawn => pawn_reach(piece.color, from),
        Role::King => attacks::king(from) | castled(position, piece, from, castling),
        _ => attacks::of_piece(piece, from, Bitboard::EMPTY),
    }
}

fn pawn_reach(color: Color, from: Square) -> Bitboard {
    let ahead = color.fold(1, -1);
    let steps = if from.rank() == Rank::Second.relative_to(color) { 2 } else { 1 };
    let forward = (1..=steps).filter_map(|step| from.offset(0, step * ahead));
    forward.fold(attacks::pawn(color, from), Bitboard::with)
}

/// Returns the king's target squares for castling with each rook that still has the right.
fn castled(position: &Position, king: Piece, from: Square, castling: CastlingSpelling) -> Bitboard {
    let rooks = position.to_setup().castling_rooks & position.color(king.color);
    let place = |rook| castled_to(from, rook, castling);
    rooks.into_iter().filter_map(place).fold(Bitboard::EMPTY, Bitboard::with)
}

fn castled_to(king: Square, rook: Square, castling: CastlingSpelling) -> Option<Square> {
    match castling {
        CastlingSpelling::KingTakesRook => Some(rook),
        CastlingSpelling::KingTwoSquares => king.offset(if rook > king { 2 } else { -2 }, 0),
    }
}

/// Returns the rook that the king castles with if it moves to `to`.
fn castling_rook(
    position: &Position,
    from: Square,
    to: Square,
    castling: CastlingSpelling,
) -> Option<Square> {
    let king = position.piece_at(from).filter(|piece| piece.role == Role::King)?;
    let rooks = position.to_setup().castling_rooks & position.color(king.color);
    let is_meant = |rook: &Square| castled_to(from, *rook, castling) == Some(to);
    rooks.into_iter().find(is_meant).filter(|_| !attacks::king(from).contains(to))
}

/// Returns the premove, or one for each piece that a pawn can promote to.
fn ready(
    position: &Position,
    from: Square,
    to: Square,
    castling: CastlingSpelling,
) -> Vec<MoveView> {
    let promotes = position.piece_at(from).is_some_and(|piece| {
        piece.role == Role::Pawn && to.rank() == Rank::Eighth.relative_to(piece.color)
    });
    let becomes = if promotes { Promotion::ALL.map(Some).to_vec() } else { vec![None] };
    let rook = castling_rook(position, from, to, castling);
    let view = |promotion| MoveView {
        rook: rook.map(|rook| rook.to_string()),
        ..view(position, from, to, promotion)
    };
    becomes.into_iter().map(view).collect()
}

fn view(position: &Position, from: Square, to: Square, promotion: Option<Promotion>) -> MoveView {
    let uci = UciMove::Normal { from, to, promotion }.to_string();
    let color = |square| position.piece_at(square).map(|piece: Piece| piece.color);
    MoveView {
        from: from.to_string(),
        to: to.to_string(),
        san: uci.clone(),
        promotion: promotion.map(|promotion| promotion.letter().to_ascii_lowercase()),
        is_capture: color(to).is_some_and(|other| Some(other) != color(from)),
        rook: None,
        uci,
    }
}
