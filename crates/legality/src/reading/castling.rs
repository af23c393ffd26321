//! Reads the castling field, letter by letter.

use castellan_rules::{Bitboard, Color, File, Piece, Pieces, Rank, Role, Square};

use super::{Fields, TextErrors, placement, quoted};
use crate::{Code, Field};

/// Returns whether castling letters are in the usual order: White's first, and kingside before
/// queenside. File letters may come in either order.
pub(crate) fn is_in_usual_order(field: &str) -> bool {
    let place = |c: char| match c {
        'K' => 0,
        'Q' => 2,
        'A'..='H' => 1,
        'k' => 3,
        'q' => 5,
        _ => 4,
    };
    // A file letter may stand before or after the `K` or `Q` of its own side.
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

/// How the letters `KQkq` are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Letters {
    /// As in standard chess: they mean the rook in the corner.
    Standard,
    /// As in X-FEN: they mean the outermost rook on that side of the king, or the corner if there
    /// is none.
    Chess960,
}

/// Returns the rook square that a castling letter means on this board.
pub(crate) fn rook_of_letter(pieces: &Pieces, letter: char, letters: Letters) -> Option<Square> {
    let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
    let rank = Rank::First.relative_to(color);
    let corner_file = match letter.to_ascii_lowercase() {
        'k' => File::H,
        'q' => File::A,
        file => return Some(Square::new(File::from_letter(file)?, rank)),
    };
    let outermost = match letters {
        Letters::Standard => None,
        Letters::Chess960 => outermost_rook(pieces, color, corner_file),
    };
    Some(outermost.unwrap_or(Square::new(corner_file, rank)))
}

/// Returns the outermost rook of a color on one side of its king, if both stand on their first
/// rank.
pub(crate) fn outermost_rook(pieces: &Pieces, color: Color, corner_file: File) -> Option<Square> {
    let home = Bitboard::rank(Rank::First.relative_to(color));
    let rooks = pieces.piece(Piece { color, role: Role::Rook }) & home;
    let king = (pieces.piece(Piece { color, role: Role::King }) & home).first()?;
    if corner_file == File::H {
        rooks.last().filter(|&rook| rook > king)
    } else {
        rooks.first().filter(|&rook| rook < king)
    }
}

/// Decides how to read a castling field if the caller does not say: a file letter that is
/// impossible in standard chess makes it Chess960.
pub(super) fn letters_of(pieces: &Pieces, word: &str) -> Letters {
    let is_beyond_standard = |c: char| {
        let color = if c.is_ascii_uppercase() { Color::White } else { Color::Black };
        let kings = pieces.piece(Piece { color, role: Role::King });
        let is_king_home = kings.contains(Square::new(File::E, Rank::First.relative_to(color)));
        is_file(c) && !(is_king_home && matches!(c.to_ascii_lowercase(), 'a' | 'h'))
    };
    if word.contains(is_beyond_standard) { Letters::Chess960 } else { Letters::Standard }
}

/// Returns the rooks that the letters of a castling field mean. Other characters are ignored.
pub(super) fn rooks_of(pieces: &Pieces, word: &str, letters: Letters) -> Bitboard {
    word.chars().filter_map(|c| rook_of_letter(pieces, c, letters)).collect()
}

/// Reports what is wrong with the letters themselves.
pub(super) fn check(fields: &Fields<'_>, pieces: &Pieces, errors: &mut TextErrors<'_>) {
    let word = fields.get(Field::Castling);
    let Some(span) = fields.span(Field::Castling).filter(|_| word != "-") else { return };
    let mut rooks = Bitboard::EMPTY;
    let mut bad_until = 0;
    for (at, c) in word.char_indices() {
        // Two letters for the same rook are an error in either reading.
        match rook_of_letter(pieces, c, Letters::Chess960) {
            Some(rook) if rooks.contains(rook) => {
                let letter = quoted(c.encode_utf8(&mut [0; 4]));
                errors.add(Code::RepeatedCastling, span.start + at, [letter]);
            }
            Some(rook) => rooks |= rook.into(),
            None if c == '-' => errors.add(Code::CastlingDash, span.start + at, []),
            // Consecutive bad characters are one error.
            None if at < bad_until => {}
            None => {
                let bad = bad_letters(&word[at..]);
                bad_until = at + bad.len();
                errors.add(Code::BadCastling, span.start + at, [quoted(bad)]);
            }
        }
    }
    let is_sound = !word.contains(is_no_letter);
    if is_sound && !is_in_usual_order(word) {
        errors.add(Code::CastlingOrder, span.start, [quoted(word)]);
    }
}

/// Returns whether a character is not a castling letter.
pub(crate) fn is_no_letter(c: char) -> bool {
    rook_of_letter(&Pieces::EMPTY, c, Letters::Standard).is_none()
}

/// Returns the leading characters of a text that cannot be part of a castling field.
pub(crate) fn bad_letters(text: &str) -> &str {
    let is_good = |c: char| c == '-' || !is_no_letter(c);
    &text[..text.find(is_good).unwrap_or(text.len())]
}

/// Returns the offset, in bytes from the start of the field, of the first letter that means one
/// of the given rooks, or else of the first letter of a side.
pub(super) fn first_of(
    fields: &Fields<'_>,
    squares: Bitboard,
    color: Option<Color>,
    is_chess960: bool,
) -> Option<usize> {
    let word = fields.get(Field::Castling);
    let mut errors = TextErrors { text: fields.text, findings: Vec::new() };
    let pieces = placement::read(fields.get(Field::Placement), 0, &mut errors)?;
    let letters = if is_chess960 { Letters::Chess960 } else { letters_of(&pieces, word) };
    let is_meant = |c| rook_of_letter(&pieces, c, letters).is_some_and(|it| squares.contains(it));
    let is_of_side = |c: char| {
        color.is_some_and(|color| color.fold(c.is_ascii_uppercase(), c.is_ascii_lowercase()))
    };
    word.find(is_meant).or_else(|| word.find(is_of_side))
}
