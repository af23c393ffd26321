//! Reads moves in nonstandard spellings.

use castellan_rules::san::SanMove;
use castellan_rules::{
    CastlingSide, File, IllegalMoveReason, Move, Position, Promotion, Rank, ResolveSanError, Role,
    San, Square, UciMove,
};

use super::{Played, Resolved};
use crate::{MAX_MOVE_BYTES, ProblemKind};

/// Finds the move that a text denotes, if it is not the exact SAN of a legal move.
#[cold]
pub(super) fn resolve(position: &Position, text: &[u8]) -> Result<Resolved, ProblemKind> {
    if text.len() > MAX_MOVE_BYTES {
        return Err(ProblemKind::OverLimit("the length of a move"));
    }
    if matches!(text, b"--" | b"Z0" | b"z0" | b"@@@@" | b"null" | b"0000") {
        return null_move(position);
    }
    let (letters, forgiven) = plain_letters(text)?;
    if let Some(side) = castling(&letters) {
        let forgiven = forgiven.or(Some(ProblemKind::CastlingSpelling));
        return castle(position, side).map(|mv| found(mv, forgiven));
    }
    let Some(parts) = MoveParts::parse(&letters) else { return Err(ProblemKind::UnknownToken) };
    let (mv, spelling) = parts.find(position)?;
    Ok(found(mv, forgiven.or(spelling)))
}

fn found(mv: Move, forgiven: Option<ProblemKind>) -> Resolved {
    Resolved { played: Played::Move(mv), forgiven }
}

fn null_move(position: &Position) -> Result<Resolved, ProblemKind> {
    match position.null_move() {
        Some(_) => Ok(Resolved { played: Played::Null, forgiven: Some(ProblemKind::NullMove) }),
        None => Err(ProblemKind::Refused(IllegalMoveReason::StillInCheck)),
    }
}

/// Replaces figurines by letters and removes the marks at the end.
fn plain_letters(text: &[u8]) -> Result<(Vec<u8>, Option<ProblemKind>), ProblemKind> {
    let mut letters = Vec::with_capacity(text.len());
    let mut forgiven = None;
    for letter in String::from_utf8_lossy(text).chars() {
        if letter.is_ascii() {
            letters.push(letter as u8);
        } else if let Some(role) = figurine(letter) {
            forgiven = Some(ProblemKind::Figurine);
            // A pawn has no letter in standard notation.
            letters.extend((role != Role::Pawn).then_some(role.letter() as u8));
        } else {
            return Err(ProblemKind::UnknownToken);
        }
    }
    let end = letters.iter().rposition(|byte| !b"+#!?".contains(byte)).map_or(0, |at| at + 1);
    letters.truncate(end);
    Ok((letters, forgiven))
}

/// Returns the role of a chess symbol, white or black.
fn figurine(letter: char) -> Option<Role> {
    const KINGS_DOWN: [Role; 6] =
        [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];
    let index = (letter as usize).checked_sub('\u{2654}' as usize)?;
    (index < 12).then(|| KINGS_DOWN[index % 6])
}

/// Returns the side of a castling move in any spelling: `0-0`, `o-o-o`, `OO`.
fn castling(letters: &[u8]) -> Option<CastlingSide> {
    let mut circles = 0;
    for (at, byte) in letters.iter().enumerate() {
        match byte {
            b'O' | b'o' | b'0' => circles += 1,
            b'-' if at > 0 => {}
            _ => return None,
        }
    }
    match circles {
        2 => Some(CastlingSide::King),
        3 => Some(CastlingSide::Queen),
        _ => None,
    }
}

fn castle(position: &Position, side: CastlingSide) -> Result<Move, ProblemKind> {
    San { mv: SanMove::Castle(side), mark: None }
        .resolve(position)
        .map_err(ProblemKind::IllegalMove)
}

/// The parts of a move text.
#[derive(Debug)]
struct MoveParts {
    role: Option<Role>,
    file: Option<File>,
    rank: Option<Rank>,
    to: Square,
    promotion: Option<Promotion>,
    has_capture_mark: bool,
    /// What is nonstandard about the letters themselves.
    spelling: Option<ProblemKind>,
}

impl MoveParts {
    /// Parses a role, a full or partial origin, a capture mark or hyphen, a target and a
    /// promotion.
    fn parse(letters: &[u8]) -> Option<MoveParts> {
        let mut rest = letters;
        let mut spelling = None;
        let role = take_role(&mut rest, &mut spelling);
        let promotion = take_promotion(&mut rest, &mut spelling);
        let to_rank = take_last(&mut rest, Rank::from_digit)?;
        let to_file = take_last(&mut rest, File::from_letter)?;
        let has_capture_mark = take_last(&mut rest, |letter| "xX:".find(letter)).is_some();
        if take_last(&mut rest, |letter| (letter == '-').then_some(())).is_some() {
            spelling = Some(ProblemKind::LongAlgebraic);
        }
        let rank = take_last(&mut rest, Rank::from_digit);
        let file = take_last(&mut rest, File::from_letter);
        let to = Square::new(to_file, to_rank);
        let parts = MoveParts { role, file, rank, to, promotion, has_capture_mark, spelling };
        rest.is_empty().then_some(parts)
    }

    /// Finds the one legal move that matches, and the deviation to forgive.
    fn find(self, position: &Position) -> Result<(Move, Option<ProblemKind>), ProblemKind> {
        if let (Some(file), Some(rank)) = (self.file, self.rank) {
            return self.find_from(position, Square::new(file, rank));
        }
        let san = SanMove::Normal {
            role: self.role.unwrap_or(Role::Pawn),
            file: self.file,
            rank: self.rank,
            is_capture: self.has_capture_mark,
            to: self.to,
            promotion: self.promotion,
        };
        let found = San { mv: san, mark: None }.find(position);
        let mv = found.map_err(|error| match error {
            ResolveSanError::Ambiguous(one, other) => ProblemKind::Ambiguous(one, other),
            other => ProblemKind::IllegalMove(other),
        })?;
        let is_marked = self.has_capture_mark == position.is_capture(mv);
        let mark = (!is_marked).then_some(ProblemKind::CaptureMark);
        Ok((mv, self.spelling.or(mark)))
    }

    /// Finds the move from a square that is named in full.
    fn find_from(
        self,
        position: &Position,
        from: Square,
    ) -> Result<(Move, Option<ProblemKind>), ProblemKind> {
        let (to, promotion) = (self.to, self.promotion);
        let meant = UciMove::Normal { from, to, promotion };
        let mv = meant.resolve(position).map_err(ProblemKind::Refused)?;
        if let Some(role) = self.role
            && role != mv.role()
        {
            return Err(ProblemKind::IllegalMove(ResolveSanError::NoPiece(role, to)));
        }
        let is_long = self.role.is_none() || self.spelling.is_some();
        let kind = if is_long { ProblemKind::LongAlgebraic } else { ProblemKind::OverSpecified };
        Ok((mv, Some(kind)))
    }
}

/// Takes the letter of a role at the beginning. A lowercase `b` is a file; other lowercase
/// letters are forgiven, and so is a letter for a pawn.
fn take_role(rest: &mut &[u8], spelling: &mut Option<ProblemKind>) -> Option<Role> {
    let (&first, tail) = rest.split_first()?;
    let role = Role::from_letter(char::from(first.to_ascii_uppercase()))?;
    if first == b'b' {
        return None;
    }
    if first.is_ascii_lowercase() || role == Role::Pawn {
        *spelling = Some(ProblemKind::Spelling);
    }
    *rest = tail;
    Some(role)
}

/// Takes a promotion at the end: `=Q`, `Q`, `(Q)`, `/Q`, also in lowercase.
fn take_promotion(rest: &mut &[u8], spelling: &mut Option<ProblemKind>) -> Option<Promotion> {
    let (before, letter) = match *rest {
        [before @ .., b'(', letter, b')']
        | [before @ .., b'=' | b'/', letter]
        | [before @ .., letter] => (before, *letter),
        [] => return None,
    };
    let role = Role::from_letter(char::from(letter.to_ascii_uppercase()))?;
    let promotion = Promotion::from_role(role)?;
    let is_standard = rest.len() == before.len() + 2 && rest[before.len()] == b'=';
    if !is_standard || letter.is_ascii_lowercase() {
        *spelling = Some(ProblemKind::PromotionSpelling);
    }
    *rest = before;
    Some(promotion)
}

/// Takes the last character if it has a meaning.
fn take_last<T>(rest: &mut &[u8], meaning: impl FnOnce(char) -> Option<T>) -> Option<T> {
    let (&last, before) = rest.split_last()?;
    let value = meaning(char::from(last))?;
    *rest = before;
    Some(value)
}
