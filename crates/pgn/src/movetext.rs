//! The meaning of a move text in a position.
//!
//! The standard spelling is tried first and costs nothing extra. Only if it fails is the text
//! read again with the tolerance that real files need: other letters for castling, promotions
//! without an equals sign, both squares named, figurines, missing capture marks.

mod lenient;
#[cfg(test)]
mod tests;

use castellan_rules::{Move, Position, San};

use crate::ProblemKind;

/// What is played at one ply of a game tree: a move, or the null move of an annotator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Played {
    /// A legal move.
    Move(Move),
    /// A null move, which passes the turn; annotators use it.
    Null,
}

/// A move text that was understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resolved {
    /// The move that the text denotes.
    pub played: Played,
    /// The fault in the spelling that was tolerated; `None` if the spelling is correct.
    pub forgiven: Option<ProblemKind>,
}

impl Played {
    /// Returns the position after the move; `None` for a null move in check, which would leave
    /// the king to be captured.
    #[inline]
    pub fn after(self, position: &Position) -> Option<Position> {
        match self {
            Played::Move(mv) => Some(position.play_unchecked(mv)),
            Played::Null => position.null_move(),
        }
    }
}

/// Finds the move that a text denotes, in any supported spelling, or returns why there is none.
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
