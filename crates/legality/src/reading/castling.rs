//! The castling field, letter by letter.

use castellan_rules::{Bitboard, Color, File, Piece, Pieces, Rank, Role, Square};

use super::{Faults, Fields, placement, quoted};
use crate::{Code, Field};

/// Whether letters stand in the order everybody writes them: White's first, and the king's wing
/// before the queen's. File letters are written in either order.
pub(crate) fn is_in_usual_order(field: &str) -> bool {
    let place = |c: char| match c {
        'K' => 0,
        'Q' => 2,
        'A'..='H' => 1,
        'k' => 3,
        'q' => 5,
        _ => 4,
    };
    // A file letter may stand before or after those of its own side.
    let is_before = |one: char, next: char| {
        place(one) <= place(next) || is_file(one) != is_file(next) && is_same_side(one, next)
    };
    field.chars().zip(field.chars().skip(1)).all(|(one, next)| is_before(one, next))
}

fn is_file(c: char) -> bool {
    matches!(c, 'a'..='h' | 'A'..='H')
}

fn is_same_side(one: char, other: char) -> bool {
    one.is_ascii_uppercase() == other.is_ascii_uppercase()
}

/// The rook that a castling letter means among these men. `K` and `Q` mean the outermost one on
/// that side of the king, and the corner if there is none.
pub(crate) fn rook_of_letter(pieces: &Pieces, letter: char) -> Option<Square> {
    let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
    let rank = Rank::First.relative_to(color);
    let home = Bitboard::rank(rank);
    let rooks = pieces.piece(Piece { color, role: Role::Rook }) & home;
    let king = (pieces.piece(Piece { color, role: Role::King }) & home).first();
    let is_beyond = |rook: &Square, wing: File| {
        king.is_some_and(|king| if wing == File::H { *rook > king } else { *rook < king })
    };
    match letter.to_ascii_lowercase() {
        'k' => {
            let rook = rooks.last().filter(|rook| is_beyond(rook, File::H));
            Some(rook.unwrap_or(Square::new(File::H, rank)))
        }
        'q' => {
            let rook = rooks.first().filter(|rook| is_beyond(rook, File::A));
            Some(rook.unwrap_or(Square::new(File::A, rank)))
        }
        file => Some(Square::new(File::from_letter(file)?, rank)),
    }
}

/// The rooks that are said to be able to castle.
pub(super) fn read(fields: &Fields<'_>, pieces: &Pieces, faults: &mut Faults<'_>) -> Bitboard {
    let word = fields.get(Field::Castling);
    let Some(span) = fields.span(Field::Castling).filter(|_| word != "-") else {
        return Bitboard::EMPTY;
    };
    let mut rooks = Bitboard::EMPTY;
    let mut bad_until = 0;
    for (at, c) in word.char_indices() {
        match rook_of_letter(pieces, c) {
            Some(rook) if rooks.contains(rook) => {
                let letter = quoted(c.encode_utf8(&mut [0; 4]));
                faults.add(Code::RepeatedCastling, span.start + at, [letter]);
            }
            Some(rook) => rooks |= rook.into(),
            None if c == '-' => faults.add(Code::CastlingDash, span.start + at, []),
            // Bad letters in a row are one fault.
            None if at < bad_until => {}
            None => {
                let bad = bad_letters(&word[at..]);
                bad_until = at + bad.len();
                faults.add(Code::BadCastling, span.start + at, [quoted(bad)]);
            }
        }
    }
    let is_sound = word.chars().all(|c| rook_of_letter(pieces, c).is_some());
    if is_sound && !is_in_usual_order(word) {
        faults.add(Code::CastlingOrder, span.start, [quoted(word)]);
    }
    rooks
}

/// The characters at the beginning of a text that no castling field has.
pub(crate) fn bad_letters(text: &str) -> &str {
    let is_good = |c: char| c == '-' || rook_of_letter(&Pieces::EMPTY, c).is_some();
    &text[..text.find(is_good).unwrap_or(text.len())]
}

/// The byte, from the beginning of the field, of the first letter that means one of some rooks.
pub(super) fn first_of(fields: &Fields<'_>, squares: Bitboard) -> Option<usize> {
    let mut faults = Faults { text: fields.text, findings: Vec::new() };
    let pieces = placement::read(fields.get(Field::Placement), 0, &mut faults)?;
    let is_meant = |c| rook_of_letter(&pieces, c).is_some_and(|rook| squares.contains(rook));
    fields.get(Field::Castling).find(is_meant)
}
