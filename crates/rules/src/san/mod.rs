//! Standard Algebraic Notation: moves as people write them.
//!
//! Reading is in two steps. [`San::parse`] knows only the text; [`San::resolve`] finds the
//! legal move it means in a position. [`write()`] gives the one exact spelling of a move.

mod parse;
mod quick;
mod resolve;
mod write;

use std::fmt;

use crate::{File, Promotion, Rank, Role, Square, Wing};

pub use parse::{ExpectedInSan, ParseSanError};
pub use resolve::ResolveSanError;
pub use write::write;

/// The mark at the end of a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CheckMark {
    /// `+`
    Check,
    /// `#`
    Checkmate,
}

/// What a move in SAN says, apart from marks at its end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SanMove {
    /// `O-O` or `O-O-O`.
    Castle(Wing),
    /// Any other.
    Normal {
        /// What moves.
        role: Role,
        /// The file it comes from, where that is said.
        file: Option<File>,
        /// The rank it comes from, where that is said.
        rank: Option<Rank>,
        /// Whether it is said to capture.
        is_capture: bool,
        /// Where it goes.
        to: Square,
        /// What it becomes.
        promotion: Option<Promotion>,
    },
}

/// A move in SAN, as text that has been understood, not yet a move in a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct San {
    /// The move.
    pub mv: SanMove,
    /// The mark at its end.
    pub mark: Option<CheckMark>,
}

impl fmt::Display for San {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mv {
            SanMove::Castle(Wing::King) => f.write_str("O-O")?,
            SanMove::Castle(Wing::Queen) => f.write_str("O-O-O")?,
            SanMove::Normal { role, file, rank, is_capture, to, promotion } => {
                if role != Role::Pawn {
                    write!(f, "{}", role.letter())?;
                }
                file.map_or(Ok(()), |file| write!(f, "{}", file.letter()))?;
                rank.map_or(Ok(()), |rank| write!(f, "{}", rank.digit()))?;
                write!(f, "{}{to}", if is_capture { "x" } else { "" })?;
                promotion.map_or(Ok(()), |promotion| write!(f, "={}", promotion.letter()))?;
            }
        }
        match self.mark {
            None => Ok(()),
            Some(CheckMark::Check) => f.write_str("+"),
            Some(CheckMark::Checkmate) => f.write_str("#"),
        }
    }
}
