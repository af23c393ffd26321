//! Questions about single positions.

use castellan_rules::{CastlingSpelling, Move};
use serde::Deserialize;

use crate::desk::{Answer, told};
use crate::position::parse_fen;
use crate::view::PositionView;

/// A position to look at.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PositionQuestion {
    fen: String,
}

pub(crate) fn position(question: &PositionQuestion) -> Answer {
    let position = parse_fen(&question.fen)?;
    let moves: Vec<Move> = position.legal_moves().iter().copied().collect();
    told(PositionView::new(&position, &moves, CastlingSpelling::KingTwoSquares))
}
