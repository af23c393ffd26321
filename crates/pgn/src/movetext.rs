//! What a move text means in a position.
//!
//! The standard's own spelling is tried first and costs nothing more. Only what fails is read
//! again with the lenience that files in the wild need: other letters for castling, promotions
//! without an equals sign, both squares named, figurines, capture marks left out.

mod lenient;
#[cfg(test)]
mod tests;

use castellan_rules::{Move, Position, San};

use crate::ProblemKind;

/// What was played.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Played {
    /// A legal move.
    Move(Move),
    /// A null move: the turn is passed, which annotators do.
    Null,
}

/// A move text that was understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resolved {
    /// What was played.
    pub played: Played,
    /// What a strict reader would complain of.
    pub forgiven: Option<ProblemKind>,
}

impl Played {
    /// The position after it; nothing for a null move in check, which would leave a king to be
    /// captured.
    #[inline]
    pub fn after(self, position: &Position) -> Option<Position> {
        match self {
            Played::Move(mv) => Some(position.play_unchecked(mv)),
            Played::Null => position.pass(),
        }
    }
}

/// The move a text means, in whatever spelling, or why it means none.
///
/// ```
/// use castellan_pgn::{Played, ProblemKind, resolve};
/// use castellan_rules::Position;
/// let start = Position::start();
/// assert_eq!(resolve(&start, b"Nf3").unwrap().forgiven, None);
/// let long = resolve(&start, b"Ng1-f3").unwrap();
/// assert_eq!(long.forgiven, Some(ProblemKind::LongAlgebraic));
/// assert_eq!(long.played, resolve(&start, b"Nf3").unwrap().played);
/// ```
#[inline]
pub fn resolve(position: &Position, text: &[u8]) -> Result<Resolved, ProblemKind> {
    match position.quick_san(text) {
        Some(mv) => Ok(Resolved { played: Played::Move(mv), forgiven: None }),
        None => resolve_carefully(position, text),
    }
}

#[inline(never)]
fn resolve_carefully(position: &Position, text: &[u8]) -> Result<Resolved, ProblemKind> {
    if let Ok(san) = San::parse_bytes(text)
        && let Ok(mv) = san.resolve(position)
    {
        return Ok(Resolved { played: Played::Move(mv), forgiven: None });
    }
    lenient::resolve(position, text)
}
