//! Reading a SAN move and finding it in one go: for files with millions of them.
//!
//! Knows the usual shapes only and gives up on everything else, wrong or rare. Whoever gets
//! nothing asks [`San::parse`](super::San::parse) and [`resolve`](super::San::resolve), which say
//! what is wrong. Branches that hang on the letters are few, because nobody can guess them.

use crate::side::{Black, Side, White};
use crate::{Bitboard, Color, File, Move, MoveKind, Position, Rank, Role, Square, attacks};

/// Not the letter of a piece.
const NONE: u8 = 255;

static ROLES: [u8; 256] = {
    let mut roles = [NONE; 256];
    let mut role = 1;
    while role < 6 {
        roles[Role::ALL[role as usize].letter() as usize] = role;
        role += 1;
    }
    roles
};

/// Where no letter is, which says nothing about the origin.
const NO_LETTER: usize = 256;

/// The origins a letter allows: a file or a rank, and none if it is something else.
static ORIGINS: [Bitboard; 257] = {
    let mut origins = [Bitboard::EMPTY; 257];
    let mut index = 0;
    while index < 8 {
        origins[b'a' as usize + index] = Bitboard::file(File::ALL[index]);
        origins[b'1' as usize + index] = Bitboard::rank(Rank::ALL[index]);
        index += 1;
    }
    origins[NO_LETTER] = Bitboard::FULL;
    origins
};

impl Position {
    /// The legal move of a SAN text in its usual shape; nothing for castling, promotions and
    /// whatever else is rare, and for what is wrong.
    ///
    /// ```
    /// use castellan_rules::{Position, San};
    /// let start = Position::start();
    /// let quick = start.quick_san(b"Nf3");
    /// assert_eq!(quick, Some(San::parse("Nf3")?.resolve(&start)?));
    /// assert_eq!(start.quick_san(b"O-O"), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline(always)]
    pub fn quick_san(&self, text: &[u8]) -> Option<Move> {
        match self.turn() {
            Color::White => self.quick::<White>(text),
            Color::Black => self.quick::<Black>(text),
        }
    }

    #[inline(always)]
    fn quick<S: Side>(&self, text: &[u8]) -> Option<Move> {
        let has_mark = matches!(text.last(), Some(b'+' | b'#'));
        let text = &text[..text.len() - usize::from(has_mark)];
        let role = ROLES[usize::from(*text.first()?)];
        if role == NONE {
            return self.quick_pawn::<S>(text);
        }
        let (&[file, rank], before) = text.split_last_chunk().map(|(b, s)| (s, b))?;
        let to = quick_square(file, rank)?;
        let (is_capture, origins) = quick_origins(before)?;
        let role = Role::ALL[usize::from(role)];
        let (ours, theirs) = (self.color(S::COLOR), self.color(<S::Other as Side>::COLOR));
        if ours.contains(to) || theirs.contains(to) != is_capture {
            return None;
        }
        // Nearly always one piece could go there on an empty board, and then its way is clear:
        // that the way is looked at last keeps it off what the next move waits for.
        let mut origins = origins & self.role(role) & ours & attacks::on_empty_board(role, to);
        if origins.is_many() {
            origins = self.quick_choice(role, origins, to);
        }
        let from = origins.first()?;
        let is_clear = (attacks::between(from, to) & (ours | theirs)).is_empty();
        let is_sound = is_clear && !origins.is_many() && self.is_king_safe_after(role, from, to);
        is_sound.then_some(Move::new(from, to, role, MoveKind::Normal))
    }

    /// The pieces among several that can go to a square, legally if that makes a difference.
    #[inline(always)]
    fn quick_choice(&self, role: Role, mut origins: Bitboard, to: Square) -> Bitboard {
        let occupied = self.occupied();
        for from in origins {
            if (attacks::between(from, to) & occupied).any() {
                origins = origins.without(from);
            }
        }
        if origins.is_many() { self.legal_origins(role, to, origins) } else { origins }
    }

    /// A pawn's step or capture, not on the last rank.
    #[inline(always)]
    fn quick_pawn<S: Side>(&self, text: &[u8]) -> Option<Move> {
        let pawns = self.color(S::COLOR) & self.role(Role::Pawn);
        let (from, to, kind) = match *text {
            [file, rank] => self.quick_step::<S>(pawns, quick_square(file, rank)?)?,
            [file, b'x', to_file, rank] => {
                let to = quick_square(to_file, rank)?;
                let beside = attacks::pawn(<S::Other as Side>::COLOR, to) & pawns;
                let from = (beside & ORIGINS[usize::from(file)]).first()?;
                let is_plain =
                    self.color(<S::Other as Side>::COLOR).contains(to) && file.is_ascii_lowercase();
                (from, to, is_plain.then_some(MoveKind::Normal)?)
            }
            _ => return None,
        };
        let is_sound =
            !S::rank(Rank::Eighth).contains(to) && self.is_king_safe_after(Role::Pawn, from, to);
        is_sound.then_some(Move::new(from, to, Role::Pawn, kind))
    }

    #[inline(always)]
    fn quick_step<S: Side>(
        &self,
        pawns: Bitboard,
        to: Square,
    ) -> Option<(Square, Square, MoveKind)> {
        let target = Bitboard::of(to);
        let (one, two) = (S::back(target), S::back(S::back(target)));
        let occupied = self.occupied();
        let can_double = (two & pawns & S::rank(Rank::Second)).any() && (one & occupied).is_empty();
        if (target & occupied).any() {
            None
        } else if (one & pawns).any() {
            Some((one.first_or_a1(), to, MoveKind::Normal))
        } else if can_double {
            Some((two.first_or_a1(), to, MoveKind::DoubleStep))
        } else {
            None
        }
    }
}

/// What stands between a piece's letter and the target: whether it captures, and where it may
/// come from. `before` is the text up to the target.
#[inline(always)]
fn quick_origins(before: &[u8]) -> Option<(bool, Bitboard)> {
    let is_capture = before.last() == Some(&b'x');
    let hints = &before[1..before.len() - usize::from(is_capture)];
    let letter = hints.first().map_or(NO_LETTER, |&letter| usize::from(letter));
    (hints.len() <= 1).then_some((is_capture, ORIGINS[letter]))
}

#[inline(always)]
fn quick_square(file: u8, rank: u8) -> Option<Square> {
    let (file, rank) = (file.wrapping_sub(b'a'), rank.wrapping_sub(b'1'));
    (file < 8 && rank < 8).then(|| Square::wrapping(u32::from(rank) * 8 + u32::from(file)))
}
