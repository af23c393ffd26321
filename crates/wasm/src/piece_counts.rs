//! Counts the pieces of each kind on a board.

use castellan_rules::{Color, Piece, Pieces, Role};
use serde::Serialize;

/// The number of pieces of one kind, also by the color of their squares.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Count {
    piece: char,
    count: usize,
    light: usize,
    dark: usize,
}

/// Counts the pieces of each kind, also by the color of their squares.
pub(crate) fn counts(pieces: &Pieces) -> Vec<Count> {
    let kinds = Color::ALL
        .into_iter()
        .flat_map(|color| Role::ALL.into_iter().map(move |role| Piece { color, role }));
    kinds
        .map(|piece| {
            let squares = pieces.piece(piece);
            let light = squares.into_iter().filter(|square| square.is_light()).count();
            let count = squares.count();
            Count { piece: piece.letter(), count, light, dark: count - light }
        })
        .collect()
}
