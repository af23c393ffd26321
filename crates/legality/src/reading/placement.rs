//! Reads the placement field rank by rank, continuing to the end despite errors.

use std::ops::Range;

use castellan_rules::{Bitboard, Color, File, Piece, Pieces, Rank, Role, Square};

use super::{Faults, quoted};
use crate::{Code, Value};

/// The text of one rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Row<'a> {
    pub(crate) text: &'a str,
    /// Where the rank begins, in bytes from the start of the field.
    pub(crate) at: usize,
}

/// Returns the ranks of a placement field, starting with the eighth.
pub(crate) fn rows(field: &str) -> impl Iterator<Item = Row<'_>> + Clone {
    let mut at = 0;
    field.split('/').map(move |text| {
        let row = Row { text, at };
        at += text.len() + 1;
        row
    })
}

/// The meaning of one character of a rank.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Glyph {
    Man(Piece),
    Empty(usize),
    /// A digit that is invalid in a rank, 0 or 9. The intended number of squares is clear.
    BadDigit(usize),
    /// A character that does not belong there. The piece is set if it is clear which one was
    /// meant.
    Bad(Option<Piece>),
}

impl Glyph {
    fn of(c: char) -> Glyph {
        match (Piece::from_letter(c), c) {
            (Some(piece), _) => Glyph::Man(piece),
            (None, '1'..='8') => Glyph::Empty(c as usize - '0' as usize),
            (None, '0' | '9') => Glyph::BadDigit(c as usize - '0' as usize),
            (None, _) => Glyph::Bad(figurine(c)),
        }
    }

    /// Returns how many squares the character covers, counting an unknown one as `bad`.
    fn width(self, bad: usize) -> usize {
        match self {
            Glyph::Man(_) | Glyph::Bad(Some(_)) => 1,
            Glyph::Empty(count) | Glyph::BadDigit(count) => count,
            Glyph::Bad(None) => bad,
        }
    }

    fn piece(self) -> Option<Piece> {
        match self {
            Glyph::Man(piece) | Glyph::Bad(Some(piece)) => Some(piece),
            Glyph::Empty(_) | Glyph::BadDigit(_) | Glyph::Bad(None) => None,
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

impl Row<'_> {
    fn glyphs(&self) -> impl Iterator<Item = (usize, Glyph)> {
        self.text.char_indices().map(|(at, c)| (at, Glyph::of(c)))
    }

    /// Returns how many squares the rank has if each unknown character counts as `bad`.
    pub(crate) fn width(&self, bad: usize) -> usize {
        self.glyphs().map(|(_, glyph)| glyph.width(bad)).sum()
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
        for (place, glyph) in self.glyphs() {
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
    fn men(&self) -> impl Iterator<Item = (File, Piece)> {
        let bad = self.bad_width();
        let mut index = 0;
        self.glyphs().filter_map(move |(_, glyph)| {
            let file = File::from_index(index);
            index += glyph.width(bad);
            file.zip(glyph.piece())
        })
    }
}

/// Reads the pieces of a placement field that begins at a byte offset of the text, and reports
/// all errors. Returns `None` if the field does not look like a placement.
pub(super) fn read(field: &str, at: usize, faults: &mut Faults<'_>) -> Option<Pieces> {
    let count = rows(field).count();
    for (index, row) in rows(field).enumerate().take(8) {
        let rank = Rank::ALL[7 - index];
        check_letters(row, rank, at, faults);
        check_digits(row, rank, at, faults);
        let is_end = count < 8 && index + 1 == count;
        check_length(row, rank, at, is_end, faults);
    }
    let number = Value::Number(count as u64);
    if let Some(ninth) = rows(field).nth(8) {
        faults.add(Code::ManyRanks, at + ninth.at, [number]);
    } else if count < 8 {
        faults.add(Code::MissingRank, at + field.len(), [number]);
    }
    let pieces = men(field, count.saturating_sub(8));
    (count > 1 && pieces.occupied().any()).then_some(pieces)
}

/// Returns the pieces. If there are surplus ranks, drops empty strings left by extra slashes, or
/// else empty ranks.
fn men(field: &str, surplus: usize) -> Pieces {
    let mut to_drop = surplus;
    let dropped = if rows(field).any(|row| row.text.is_empty()) { "" } else { "8" };
    let kept = rows(field).filter(|row| {
        let is_dropped = to_drop > 0 && row.text == dropped;
        to_drop -= usize::from(is_dropped);
        !is_dropped
    });
    let mut pieces = Pieces::EMPTY;
    for (row, rank) in kept.zip(Rank::ALL.into_iter().rev()) {
        for (file, piece) in row.men() {
            pieces.put(piece, Square::new(file, rank));
        }
    }
    pieces
}

/// Reports characters that are neither pieces nor digits; consecutive ones are one error.
fn check_letters(row: Row<'_>, rank: Rank, at: usize, faults: &mut Faults<'_>) {
    let is_bad = |c: char| matches!(Glyph::of(c), Glyph::Bad(_) | Glyph::BadDigit(_));
    let mut rest = row.text;
    while let Some(start) = rest.find(is_bad) {
        let end = rest[start..].find(|c| !is_bad(c)).map_or(rest.len(), |length| start + length);
        let before = row.text.len() - rest.len();
        let squares = row.covered(before + start..before + end, rank);
        let place = at + row.at + before + start;
        faults.add_on(squares, Code::BadPiece, place, [quoted(&rest[start..end])]);
        rest = &rest[end..];
    }
}

/// Reports consecutive digits, which should be a single one.
fn check_digits(row: Row<'_>, rank: Rank, at: usize, faults: &mut Faults<'_>) {
    let is_digit = |c: char| matches!(c, '1'..='8');
    let mut rest = row.text;
    while let Some(start) = rest.find(is_digit) {
        let end = rest[start..].find(|c| !is_digit(c)).map_or(rest.len(), |length| start + length);
        let before = row.text.len() - rest.len();
        if end - start > 1 {
            let second = at + row.at + before + start + 1;
            let squares = row.covered(before + start..before + end, rank);
            faults.add_on(squares, Code::TwoDigits, second, [quoted(&rest[start..end])]);
        }
        rest = &rest[end..];
    }
}

/// Reports a rank that does not have eight squares. Points at the first character beyond the
/// eighth square, or at the end if the rank is too short.
fn check_length(row: Row<'_>, rank: Rank, at: usize, is_end: bool, faults: &mut Faults<'_>) {
    let found = row.width(row.bad_width());
    // If the text ends inside the placement, the missing ranks are reported once, not once more
    // for an empty last rank.
    if found == 8 || is_end && found == 0 {
        return;
    }
    let mut covered = 0;
    let too_much = row.glyphs().find(|(_, glyph)| {
        covered += glyph.width(row.bad_width());
        covered > 8
    });
    let place = too_much.map_or(row.text.len(), |(place, _)| place);
    let values = [Value::Number(rank.index() as u64 + 1), Value::Number(found as u64)];
    faults.add_on(Bitboard::rank(rank), Code::RankLength, at + row.at + place, values);
}

/// Returns the offset, in bytes from the start of the field, of the first character that covers
/// one of the given squares.
pub(super) fn first_of(field: &str, squares: Bitboard) -> Option<usize> {
    rows(field).zip(Rank::ALL.into_iter().rev()).find_map(|(row, rank)| {
        let mut index = 0;
        let place = row.glyphs().find_map(|(place, glyph)| {
            let width = glyph.width(row.bad_width());
            let covered = index..(index + width).min(8);
            index += width;
            let is_here = |file: usize| squares.contains(Square::new(File::ALL[file], rank));
            covered.into_iter().any(is_here).then_some(place)
        });
        place.map(|place| row.at + place)
    })
}
