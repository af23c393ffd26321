//! Engine evaluations.

use std::fmt;

/// An evaluation from White's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Score {
    /// Advantage in hundredths of a pawn.
    Centipawns(i32),
    /// Mate in this many moves; negative if Black mates.
    Mate(i32),
}

/// An evaluation and its search depth.
///
/// ```
/// use castellan_pgn::{Eval, Score};
/// let eval = Eval::parse("-1.05,22").unwrap();
/// assert_eq!(eval, Eval { score: Score::Centipawns(-105), depth: Some(22) });
/// assert_eq!(Eval::parse("#-3").unwrap().score, Score::Mate(-3));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Eval {
    /// The evaluation.
    pub score: Score,
    /// Search depth in plies; `None` if not given.
    pub depth: Option<u32>,
}

/// Maximum number of pawns, or of moves to mate, that is accepted.
const MAX_WHOLE: i32 = 1_000_000;

impl Eval {
    /// Parses a number of pawns with at most two decimals, or `#` and a number of moves,
    /// optionally followed by a comma and a depth.
    pub fn parse(text: &str) -> Option<Eval> {
        let (score, depth) = match text.split_once(',') {
            Some((score, depth)) => (score, Some(u32::try_from(whole(depth.trim())?).ok()?)),
            None => (text, None),
        };
        let score = match score.strip_prefix('#') {
            Some(moves) => {
                let (sign, moves) = sign(moves);
                Score::Mate(sign * whole(moves)?)
            }
            None => Score::Centipawns(centipawns(score)?),
        };
        Some(Eval { score, depth })
    }
}

impl fmt::Display for Eval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.score {
            Score::Mate(moves) => write!(f, "#{moves}")?,
            Score::Centipawns(score) => {
                let (sign, size) = (if score < 0 { "-" } else { "" }, score.unsigned_abs());
                write!(f, "{sign}{}.{:02}", size / 100, size % 100)?;
            }
        }
        self.depth.map_or(Ok(()), |depth| write!(f, ",{depth}"))
    }
}

fn centipawns(text: &str) -> Option<i32> {
    let (sign, size) = sign(text);
    let (pawns, hundredths) = match size.split_once('.') {
        None => (whole(size)?, 0),
        Some((pawns, decimals)) => {
            let scale = match decimals.len() {
                1 => 10,
                2 => 1,
                _ => return None,
            };
            (if pawns.is_empty() { 0 } else { whole(pawns)? }, whole(decimals)? * scale)
        }
    };
    Some(sign * (pawns * 100 + hundredths))
}

fn sign(text: &str) -> (i32, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Parses a number that consists of decimal digits only, up to `MAX_WHOLE`.
fn whole(text: &str) -> Option<i32> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let number: i32 = if is_number { text.parse().ok()? } else { return None };
    (number <= MAX_WHOLE).then_some(number)
}
