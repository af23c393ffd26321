//! Writes a [`Setup`] as text.

use super::outermost_rook;
use crate::{Bitboard, CastlingSide, Color, File, Rank, Setup, Square};

/// How castling rights are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CastlingLetters {
    /// `KQkq`, and a file letter only for a rook that is not the outermost (X-FEN).
    #[default]
    XFen,
    /// Always the rook's file, `HAha` (Shredder-FEN).
    Shredder,
}

/// When an en passant square is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EnPassantField {
    /// If a capture there is legal.
    #[default]
    Legal,
    /// After every double step, as the PGN standard requires.
    Always,
}

/// The options for writing a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FenStyle {
    /// How castling rights are written.
    pub castling: CastlingLetters,
    /// When an en passant square is written.
    pub en_passant: EnPassantField,
}

/// Writes a setup as a FEN, with four fields if it has no clocks.
pub fn write(setup: &Setup, castling: CastlingLetters) -> String {
    let mut text = String::with_capacity(90);
    write_placement(setup, &mut text);
    text.push_str(setup.turn.fold(" w ", " b "));
    write_castling(setup, castling, &mut text);
    text.push(' ');
    match setup.en_passant {
        Some(passed) => text.extend([passed.file().letter(), passed.rank().digit()]),
        None => text.push('-'),
    }
    if let Some(clocks) = setup.clocks {
        text.push(' ');
        write_number(clocks.halfmove_clock.into(), &mut text);
        text.push(' ');
        write_number(clocks.fullmove_number, &mut text);
    }
    text
}

fn write_placement(setup: &Setup, text: &mut String) {
    for rank in Rank::ALL.into_iter().rev() {
        let mut empty = 0;
        for file in File::ALL {
            match setup.pieces.piece_at(Square::new(file, rank)) {
                None => empty += 1,
                Some(piece) => {
                    write_empty(empty, text);
                    empty = 0;
                    text.push(piece.letter());
                }
            }
        }
        write_empty(empty, text);
        if rank != Rank::First {
            text.push('/');
        }
    }
}

fn write_empty(count: u8, text: &mut String) {
    if count > 0 {
        text.push(char::from(b'0' + count));
    }
}

fn write_castling(setup: &Setup, letters: CastlingLetters, text: &mut String) {
    let length = text.len();
    for color in Color::ALL {
        let home = Bitboard::rank(Rank::First.relative_to(color));
        let mut rooks = setup.castling_rooks & home;
        while let Some(rook) = rooks.last() {
            rooks = rooks.without(rook);
            let letter = castling_letter(setup, color, rook, letters);
            text.push(color.fold(letter.to_ascii_uppercase(), letter));
        }
    }
    if text.len() == length {
        text.push('-');
    }
}

fn castling_letter(setup: &Setup, color: Color, rook: Square, letters: CastlingLetters) -> char {
    let is_outermost = |side| outermost_rook(setup, color, side) == rook;
    match letters {
        CastlingLetters::XFen if is_outermost(CastlingSide::King) => 'k',
        CastlingLetters::XFen if is_outermost(CastlingSide::Queen) => 'q',
        _ => rook.file().letter(),
    }
}

fn write_number(number: u32, text: &mut String) {
    if number >= 10 {
        write_number(number / 10, text);
    }
    text.extend(char::from_digit(number % 10, 10));
}
