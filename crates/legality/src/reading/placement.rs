//! Reads the placement field rank by rank, continuing to the end despite errors.

use std::ops::Range;

use castellan_rules::{Bitboard, Color, File, Piece, Pieces, Rank, Role, Square};

use super::{TextErrors, quoted};
use crate::{Code, Value};

/// The text of one rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RankText<'a> {
    pub(crate) text: &'a str,
    /// Where the rank begins, in bytes from the start of the field.
    pub(crate) at: usize,
}

/// Returns the ranks of a placement field, starting with the eighth.
pub(crate) fn rank_texts(field: &str) -> impl Iterator<Item = RankText<'_>> + Clone {
    let mut at = 0;
    field.split('/').map(move |text| {
        let rank_text = RankText { text, at };
        at += text.len() + 1;
        rank_text
    })
}

/// The meaning of one character of a rank.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PlacementChar {
    Piece(Piece),
    Empty(usize),
    /// A digit that is invalid in a rank, 0 or 9. The intended number of squares is clear.
    BadDigit(usize),
    /// A character that does not belong there. The piece is set if it is clear which one was
    /// meant.
    Bad(Option<Piece>),
}

impl PlacementChar {
    fn of(c: char) -> PlacementChar {
        match (Piece::from_letter(c), c) {
            (Some(piece), _) => PlacementChar::Piece(piece),
            (None, '1'..='8') => PlacementChar::Empty(c as usize - '0' as usize),
            (None, '0' | '9') => PlacementChar::BadDigit(c as usize - '0' as usize),
            (None, _) => PlacementChar::Bad(figurine(c)),
        }
    }

    /// Returns how many squares the character covers, counting an unknown one as `bad`.
    fn width(self, bad: usize) -> usize {
        match self {
            PlacementChar::Piece(_) | PlacementChar::Bad(Some(_)) => 1,
            PlacementChar::Empty(count) | PlacementChar::BadDigit(count) => count,
            PlacementChar::Bad(None) => bad,
        }
    }

    fn piece(self) -> Option<Piece> {
        match self {
            PlacementChar::Piece(piece) | PlacementChar::Bad(Some(piece)) => Some(piece),
            PlacementChar::Empty(_) | PlacementChar::BadDigit(_) | PlacementChar::Bad(None) => None,
        }
    }
}

/// Returns the piece of a figurine such as ♞.
pub(crate) fn figurine(c: char) -> Option<Piece> {
    const ROLES: [Role; 6] =
        [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];
    let index = (c as usize).checked_sub('♔' as usize).filter(|&index| index < 12)?;
    let color = if index < 6 { Color::White } else { Color::Black };
    Some(Piece { color, role: ROLES[index % 6] })
}

impl RankText<'_> {
    fn chars(&self) -> impl Iterator<Item = (usize, PlacementChar)> {
        self.text.char_indices().map(|(at, c)| (at, PlacementChar::of(c)))
    }

    /// Returns how many squares the rank has if each unknown character counts as `bad`.
    pub(crate) fn width(&self, bad: usize) -> usize {
        self.chars().map(|(_, glyph)| glyph.width(bad)).sum()
    }

    /// Returns whether every character is a digit, so that the rank must be empty.
    pub(crate) fn is_digits(&self) -> bool {
        !self.text.is_empty() && self.text.chars().all(|c| c.is_ascii_digit())
    }

    /// Returns how many squares an unknown character stands for: one, unless the rank is complete
    /// without it.
    fn bad_width(&self) -> usize {
        usize::from(self.width(0) != 8)
    }

    /// Returns the squares described by a byte range of the rank's text.
    fn covered(&self, bytes: Range<usize>, rank: Rank) -> Bitboard {
        let bad = self.bad_width();
        let mut index = 0;
        let mut squares = Bitboard::EMPTY;
        for (place, glyph) in self.chars() {
            let files = index..index + glyph.width(bad);
            index = files.end;
            if bytes.contains(&place) {
                let files = files.filter_map(File::from_index);
                squares |= files.map(|file| Square::new(file, rank)).collect();
            }
        }
        squares
    }

    /// Returns the pieces with their files, as far as they fit on the rank.
    fn pieces(&self) -> impl Iterator<Item = (File, Piece)> {
        let bad = self.bad_width();
        let mut index = 0;
        self.chars().filter_map(move |(_, glyph)| {
            let file = File::from_index(index);
            index += glyph.width(bad);
            file.zip(glyph.piece())
        })
    }
}

/// Reads the pieces of a placement field that begins at a byte offset of the text, and reports
/// all errors. Returns `None` if the field does not look like a placement.
pub(super) fn read(field: &str, at: usize, errors: &mut TextErrors<'_>) -> Option<Pieces> {
    let count = rank_texts(field).count();
    for (index, rank_text) in rank_texts(field).enumerate().take(8) {
        let rank = Rank::ALL[7 - index];
        check_letters(rank_text, rank, at, errors);
        check_digits(rank_text, rank, at, errors);
        let is_end = count < 8 && index + 1 == count;
        check_length(rank_text, rank, at, is_end, errors);
    }
    let number = Value::Number(count as u64);
    if let Some(ninth) = rank_texts(field).nth(8) {
        errors.add(Code::TooManyRanks, at + ninth.at, [number]);
    } else if count < 8 {
        errors.add(Code::MissingRank, at + field.len(), [number]);
    }
    let pieces = pieces(field, count.saturating_sub(8));
    (count > 1 && pieces.occupied().any()).then_some(pieces)
}

/// Returns the pieces. If there are surplus ranks, drops empty strings left by extra slashes, or
/// else empty ranks.
fn pieces(field: &str, surplus: usize) -> Pieces {
    let mut to_drop = surplus;
    let dropped =
        if rank_texts(field).any(|rank_text| rank_text.text.is_empty()) { "" } else { "8" };
    let kept = rank_texts(field).filter(|rank_text| {
        let is_dropped = to_drop > 0 && rank_text.text == dropped;
        to_drop -= usize::from(is_dropped);
        !is_dropped
    });
    let mut pieces = Pieces::EMPTY;
    for (rank_text, rank) in kept.zip(Rank::ALL.into_iter().rev()) {
        for (file, piece) in rank_text.pieces() {
            pieces.put(piece, Square::new(file, rank));
        }
    }
    pieces
}

/// Reports characters that are neither pieces nor digits; consecutive ones are one error.
fn check_letters(rank_text: RankText<'_>, rank: Rank, at: usize, errors: &mut TextErrors<'_>) {
    let is_bad = |c: char| {
        matches!(PlacementChar::of(c), PlacementChar::Bad(_) | PlacementChar::BadDigit(_))
    };
    let mut rest = rank_text.text;
    while let Some(start) = rest.find(is_bad) {
        let end = rest[start..].find(|c| !is_bad(c)).map_or(rest.len(), |length| start + length);
        let before = rank_text.text.len() - rest.len();
        let squares = rank_text.covered(before + start..before + end, rank);
        let place = at + rank_text.at + before + start;
        errors.add_on(squares, Code::BadPiece, place, [quoted(&rest[start..end])]);
        rest = &rest[end..];
    }
}

/// Reports consecutive digits, which should be a single one.
fn check_digits(rank_text: RankText<'_>, rank: Rank, at: usize, errors: &mut TextErrors<'_>) {
    let is_digit = |c: char| matches!(c, '1'..='8');
    let mut rest = rank_text.text;
    while let Some(start) = rest.find(is_digit) {
        let end = rest[start..].find(|c| !is_digit(c)).map_or(rest.len(), |length| start + length);
        let before = rank_text.text.len() - rest.len();
        if end - start > 1 {
            let second = at + rank_text.at + before + start + 1;
            let squares = rank_text.covered(before + start..before + end, rank);
            errors.add_on(squares, Code::TwoDigits, second, [quoted(&rest[start..end])]);
        }
        rest = &rest[end..];
    }
}

/// Reports a rank that does not have eight squares. Points at the first character beyond the
/// eighth square, or at the end if the rank is too short.
fn check_length(
    rank_text: RankText<'_>,
    rank: Rank,
    at: usize,
    is_end: bool,
    errors: &mut TextErrors<'_>,
) {
    let found = rank_text.width(rank_text.bad_width());
    // If the text ends inside the placement, the missing ranks are reported once, not once more
    // for an empty last rank.
    if found == 8 || is_end && found == 0 {
        return;
    }
    let mut covered = 0;
    let too_much = rank_text.chars().find(|(_, glyph)| {
        covered += glyph.width(rank_text.bad_width());
        covered > 8
    });
    let place = too_much.map_or(rank_text.text.len(), |(place, _)| place);
    let values = [Value::Number(rank.index() as u64 + 1), Value::Number(found as u64)];
    errors.add_on(Bitboard::rank(rank), Code::RankLength, at + rank_text.at + place, values);
}

/// Returns the offset, in bytes from the start of the field, of the first character that covers
/// one of the given squares.
pub(super) fn first_of(field: &str, squares: Bitboard) -> Option<usize> {
    rank_texts(field).zip(Rank::ALL.into_iter().rev()).find_map(|(rank_text, rank)| {
        let mut index = 0;
        let place = rank_text.chars().find_map(|(place, glyph)| {
            let width = glyph.width(rank_text.bad_width());
            let covered = index..(index + width).min(8);
            index += width;
            let is_here = |file: usize| squares.contains(Square::new(File::ALL[file], rank));
            covered.into_iter().any(is_here).then_some(place)
        });
        place.map(|place| rank_text.at + place)
    })
}
