//! Moves in the notation of the Universal Chess Interface.

use std::fmt;
use std::str::FromStr;

use crate::board::castled_squares;
use crate::illegal_move::explain;
use crate::{
    CastlingSide, File, IllegalMoveReason, Move, MoveKind, Position, Promotion, Rank, Square,
};

/// How castling is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CastlingSpelling {
    /// `e1g1`, as in standard chess.
    KingTwoSquares,
    /// `e1h1`, as in Chess960, where `e1g1` might mean an ordinary king move.
    KingTakesRook,
}

impl CastlingSpelling {
    /// Returns the spelling for a game of Chess960 or of standard chess.
    pub fn for_game(is_chess960: bool) -> CastlingSpelling {
        if is_chess960 { CastlingSpelling::KingTakesRook } else { CastlingSpelling::KingTwoSquares }
    }
}

/// A move as text: two squares and an optional promotion piece, or the null move.
///
/// ```
/// use castellan_rules::{Position, UciMove};
/// let position = Position::start();
/// assert!(UciMove::parse("g1f3")?.resolve(&position).is_ok());
/// assert_eq!(UciMove::parse("e2e4q?").unwrap_err().to_string(),
///     "at byte 5: expected the end of the text");
/// # Ok::<(), castellan_rules::ParseUciMoveError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UciMove {
    /// The null move, `0000`.
    Null,
    /// A move from one square to another.
    Normal {
        /// The origin square.
        from: Square,
        /// The target square.
        to: Square,
        /// The promotion piece, if any.
        promotion: Option<Promotion>,
    },
}

/// Why text is not a UCI move, and at which byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseUciMoveError {
    /// There is no square where one must be.
    #[error("at byte {at}: expected a square such as e2")]
    ExpectedSquare {
        /// The byte offset, from 0.
        at: usize,
    },
    /// The promotion letter is not one of `q`, `r`, `b` and `n`.
    #[error("at byte {at}: expected q, r, b or n")]
    ExpectedPromotion {
        /// The byte offset, from 0.
        at: usize,
    },
    /// There is text after the move.
    #[error("at byte {at}: expected the end of the text")]
    TrailingText {
        /// The byte offset, from 0.
        at: usize,
    },
}

impl UciMove {
    /// Parses a move. All letters must be lower case.
    pub fn parse(text: &str) -> Result<UciMove, ParseUciMoveError> {
        let bytes = text.as_bytes();
        if bytes == b"0000" {
            return Ok(UciMove::Null);
        }
        let from = parse_square(bytes, 0)?;
        let to = parse_square(bytes, 2)?;
        let promotion = bytes.get(4).map(|&byte| parse_promotion(byte)).transpose()?;
        if bytes.len() > 5 {
            return Err(ParseUciMoveError::TrailingText { at: 5 });
        }
        Ok(UciMove::Normal { from, to, promotion })
    }

    /// Returns the UCI form of a move.
    pub fn from_move(mv: Move, castling: CastlingSpelling) -> UciMove {
        let is_two_squares = castling == CastlingSpelling::KingTwoSquares;
        let to = if mv.kind() == MoveKind::Castle && is_two_squares {
            castled_squares(mv.from(), mv.to()).0
        } else {
            mv.to()
        };
        UciMove::Normal { from: mv.from(), to, promotion: mv.promotion() }
    }

    /// Finds the legal move that is meant in a position. Both castling spellings are accepted. If
    /// `f1g1` could be an ordinary king move or castling, it is the king move.
    pub fn resolve(self, position: &Position) -> Result<Move, IllegalMoveReason> {
        let UciMove::Normal { from, to, promotion } = self else {
            return Err(IllegalMoveReason::NullMove);
        };
        if let Some(mv) = position.legal_move(from, to, promotion) {
            return Ok(mv);
        }
        let side = if to > from { CastlingSide::King } else { CastlingSide::Queen };
        let castling = position.legal_castling(side).filter(|mv| {
            let is_far = from.file().index().abs_diff(to.file().index()) > 1;
            let king_to = castled_squares(mv.from(), mv.to()).0;
            mv.from() == from && promotion.is_none() && (mv.to() == to || is_far && king_to == to)
        });
        castling.ok_or_else(|| explain(position, from, to, promotion))
    }
}

fn parse_square(bytes: &[u8], at: usize) -> Result<Square, ParseUciMoveError> {
    let byte = |at: usize| bytes.get(at).map(|&byte| char::from(byte));
    let file = byte(at).and_then(File::from_letter);
    let rank = byte(at + 1).and_then(Rank::from_digit);
    match (file, rank) {
        (Some(file), Some(rank)) => Ok(Square::new(file, rank)),
        _ => Err(ParseUciMoveError::ExpectedSquare { at }),
    }
}

fn parse_promotion(letter: u8) -> Result<Promotion, ParseUciMoveError> {
    match letter {
        b'q' => Ok(Promotion::Queen),
        b'r' => Ok(Promotion::Rook),
        b'b' => Ok(Promotion::Bishop),
        b'n' => Ok(Promotion::Knight),
        _ => Err(ParseUciMoveError::ExpectedPromotion { at: 4 }),
    }
}

impl FromStr for UciMove {
    type Err = ParseUciMoveError;

    fn from_str(text: &str) -> Result<UciMove, ParseUciMoveError> {
        UciMove::parse(text)
    }
}

impl fmt::Display for UciMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            UciMove::Null => f.write_str("0000"),
            UciMove::Normal { from, to, promotion } => {
                write!(f, "{from}{to}")?;
                promotion.map_or(Ok(()), |promotion| {
                    write!(f, "{}", promotion.letter().to_ascii_lowercase())
                })
            }
        }
    }
}
