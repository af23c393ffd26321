//! Standard Algebraic Notation, the way people write moves.
//!
//! Reading takes two steps. [`San::parse`] looks only at the text; [`San::resolve`] finds the
//! legal move it means in a position. [`write()`] returns the canonical spelling of a move.

mod parse;
mod quick;
mod resolve;
mod write;

use std::fmt;

use crate::{CastlingSide, File, Promotion, Rank, Role, Square};

pub use parse::{ExpectedInSan, ParseSanError};
pub use resolve::ResolveSanError;
pub use write::write;

/// The check or checkmate mark at the end of a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CheckMark {
    /// `+`
    Check,
    /// `#`
    Checkmate,
}

/// The content of a SAN move, without the mark at its end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SanMove {
    /// `O-O` or `O-O-O`.
    Castle(CastlingSide),
    /// Any other move.
    Normal {
        /// The role of the moving piece.
        role: Role,
        /// The file of the origin, if given.
        file: Option<File>,
        /// The rank of the origin, if given.
        rank: Option<Rank>,
        /// Whether the move is written as a capture.
        is_capture: bool,
        /// The target square.
        to: Square,
        /// The promotion piece, if given.
        promotion: Option<Promotion>,
    },
}

/// A parsed SAN move, which is not yet tied to a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct San {
    /// The move.
    pub mv: SanMove,
    /// The check mark, if given.
    pub mark: Option<CheckMark>,
}

impl fmt::Display for San {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mv {
            SanMove::Castle(CastlingSide::King) => f.write_str("O-O")?,
            SanMove::Castle(CastlingSide::Queen) => f.write_str("O-O-O")?,
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
