//! Requests about single positions.

#[cfg(feature = "table")]
use castellan_rules::Position;
use castellan_rules::{CastlingSpelling, Move};
use serde::Deserialize;

use crate::error::ApiError;
#[cfg(feature = "table")]
use crate::error::ErrorCode;
use crate::position::parse_fen;
use crate::view::PositionView;

/// A request about a position.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct PositionRequest {
    fen: String,
}

pub(crate) fn position(request: &PositionRequest) -> Result<PositionView, ApiError> {
    let position = parse_fen(&request.fen)?;
    let moves: Vec<Move> = position.legal_moves().iter().copied().collect();
    let castling = CastlingSpelling::for_game(position.is_chess960());
    Ok(PositionView::new(&position, &moves, castling))
}

/// A request for a Chess960 starting position by its number.
#[cfg(feature = "table")]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct StartNumber {
    number: u16,
}

#[cfg(feature = "table")]
pub(crate) fn chess960(request: &StartNumber) -> Result<PositionView, ApiError> {
    let unknown =
        || ApiError::new(ErrorCode::BadNumber, "starting positions are numbered from 0 to 959");
    let position = Position::chess960(request.number).ok_or_else(unknown)?;
    Ok(PositionView::new(&position, &[], CastlingSpelling::KingTakesRook))
}
