//! Builds FENs from the board of an editor, whether legal or not.

use castellan_rules::{CastlingLetters, Clocks, Color, Piece, Setup, Square, fen};
use serde::Deserialize;

use crate::error::{ApiError, ErrorCode};

/// The contents of an editor's board.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Composition {
    /// 64 letters, a1 first; a dot is an empty square.
    board: String,
    is_white_to_move: bool,
    /// Any of the letters `KQkq`.
    castling: String,
    en_passant: Option<String>,
    halfmove_clock: u16,
    fullmove_number: u32,
}

/// Returns the FEN, whether it is legal or not.
pub(crate) fn compose(composition: &Composition) -> Result<String, ApiError> {
    let mut setup = Setup::empty();
    let letters: Vec<char> = composition.board.chars().collect();
    if letters.len() != Square::ALL.len() {
        return Err(ApiError::new(ErrorCode::BadBoard, "a board has 64 squares"));
    }
    for (square, &letter) in Square::ALL.into_iter().zip(&letters) {
        match Piece::from_letter(letter) {
            Some(piece) => setup.pieces.put(piece, square),
            None if letter == '.' => {}
            None => {
                return Err(ApiError::new(ErrorCode::BadBoard, format!("{letter} is not a piece")));
            }
        }
    }
    setup.turn = if composition.is_white_to_move { Color::White } else { Color::Black };
    setup.en_passant = match &composition.en_passant {
        Some(name) => {
            Some(name.parse().map_err(|error| ApiError::new(ErrorCode::BadSquare, error))?)
        }
        None => None,
    };
    let &Composition { halfmove_clock, fullmove_number, .. } = composition;
    setup.clocks = Some(Clocks { halfmove_clock, fullmove_number });
    // Castling rights without a rook cannot be part of a setup, so their field is replaced.
    let fen = fen::write(&setup, CastlingLetters::default());
    let mut fields: Vec<&str> = fen.split(' ').collect();
    let castling = castling_field(&composition.castling);
    fields[2] = &castling;
    Ok(fields.join(" "))
}

/// Returns the rights in their usual order, even if there is no rook: an editor shows what is
/// wrong.
fn castling_field(rights: &str) -> String {
    let field: String = "KQkq".chars().filter(|letter| rights.contains(*letter)).collect();
    if field.is_empty() { "-".into() } else { field }
}
