//! Requests about single positions.

#[cfg(feature = "table")]
use castellan_rules::Position;
use castellan_rules::{CastlingSpelling, Move};
use serde::Deserialize;

#[cfg(feature = "table")]
use crate::desk::Failure;
use crate::desk::{Answer, told};
use crate::position::parse_fen;
use crate::view::PositionView;

/// A request about a position.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PositionQuestion {
    fen: String,
}

pub(crate) fn position(question: &PositionQuestion) -> Answer {
    let position = parse_fen(&question.fen)?;
    let moves: Vec<Move> = position.legal_moves().iter().copied().collect();
    let castling = CastlingSpelling::of_chess960(position.is_chess960());
    told(PositionView::new(&position, &moves, castling))
}

/// A request for a Chess960 starting position by its number.
#[cfg(feature = "table")]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StartNumber {
    number: u16,
}

#[cfg(feature = "table")]
pub(crate) fn chess960(asked: &StartNumber) -> Answer {
    let unknown = || Failure::new("bad_number", "starting positions are numbered from 0 to 959");
    let position = Position::chess960(asked.number).ok_or_else(unknown)?;
    told(PositionView::new(&position, &[], CastlingSpelling::KingTakesRook))
}
