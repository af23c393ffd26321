//! Reads and resolves a SAN move in a single pass, for files with millions of moves.
//!
//! Handles only the common forms and gives up on everything else, wrong or rare. Callers that get
//! `None` fall back to [`San::parse`](super::San::parse) and [`resolve`](super::San::resolve),
//! which report what is wrong. Few branches depend on the letters, because the branch predictor
//! cannot guess those.

use crate::side::{Black, Side, White};
use crate::{Bitboard, Color, File, Move, MoveKind, Position, Rank, Role, Square, attacks};

/// Marks a byte that is not a piece letter.
const NO_ROLE: u8 = 255;

/// The index of the role that each byte names as a piece letter. A pawn has no letter.
static ROLES: [u8; 256] = {
    let mut roles = [NO_ROLE; 256];
    let mut role = 1;
    while role < 6 {
        roles[Role::ALL[role as usize].letter() as usize] = role;
        role += 1;
    }
    roles
};

/// The index for a missing letter, which leaves the origin open.
const NO_LETTER: usize = 256;

/// The origins that a letter allows: a file or a rank, or none for any other letter.
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
    /// Returns the legal move for SAN text in a common form. Returns `None` for castling,
    /// promotions and other rare forms, and for errors.
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
        if role == NO_ROLE {
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
        // Usually exactly one piece could move there on an empty board, and its path is clear.
        // Checking the path last keeps that test off the critical path of the next move.
        let mut origins = origins & self.role(role) & ours & attacks::on_empty_board(role, to);
        if origins.has_multiple() {
            origins = self.quick_choice(role, origins, to);
        }
        let from = origins.first()?;
        let is_clear = (attacks::between(from, to) & (ours | theirs)).is_empty();
        let is_sound =
            is_clear && !origins.has_multiple() && self.is_king_safe_after(role, from, to);
        is_sound.then_some(Move::new(from, to, role, MoveKind::Normal))
    }

    /// Narrows several candidates down to those with a clear path, and to the legal ones if that
    /// still leaves more than one.
    #[inline(always)]
    fn quick_choice(&self, role: Role, mut origins: Bitboard, to: Square) -> Bitboard {
        let occupied = self.occupied();
        for from in origins {
            if (attacks::between(from, to) & occupied).any() {
                origins = origins.without(from);
            }
        }
        if origins.has_multiple() { self.legal_origins(role, to, origins) } else { origins }
    }

    /// Resolves a pawn move or capture that does not reach the last rank.
    #[inline(always)]
    fn quick_pawn<S: Side>(&self, text: &[u8]) -> Option<Move> {
        let pawns = self.color(S::COLOR) & self.role(Role::Pawn);
        let (from, to, kind) = match *text {
            [file, rank] => self.quick_step::<S>(pawns, quick_square(file, rank)?)?,
            [file, b'x', to_file, rank] => {
                let to = quick_square(to_file, rank)?;
                let beside = attacks::pawn(<S::Other as Side>::COLOR, to) & pawns;
                let from = (beside & ORIGINS[usize::from(file)]).first()?;
                // `ORIGINS` also has an entry for rank digits, but `5xd6` is not SAN.
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

/// Returns whether the move captures, and the possible origins. `before` is the text before the
/// target square: a piece letter, at most one letter or digit of the origin, and perhaps an `x`.
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
