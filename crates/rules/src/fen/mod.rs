//! Forsyth-Edwards Notation, with all six fields or only the first four.
//!
//! Castling rights are accepted as X-FEN (`KQkq` mean the outermost rooks), as Shredder-FEN
//! (`HAha` name the rooks' files), and mixed, as Chess960 requires. Standard chess is one of the
//! Chess960 starts and needs no parser of its own, so games from other programs are played as
//! they are. Whether a FEN was meant as standard chess is a question for the FEN doctor.

mod parse;
mod placement;
mod write;

pub use parse::{ExpectedInFen, ParseFenError, parse};
pub use write::{CastlingLetters, EnPassantField, FenStyle, write};

use crate::{
    Bitboard, CastlingSide, Color, File, Piece, Position, Rank, Role, Setup, SetupProblems, Square,
};

/// Why text does not give a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FenError {
    /// The text is not a FEN.
    #[error(transparent)]
    Syntax(#[from] ParseFenError),
    /// The text is a FEN, but the position cannot be played.
    #[error(transparent)]
    Unplayable(#[from] SetupProblems),
}

impl Position {
    /// Parses and validates a FEN with six fields, or with four, where the clocks default to 0
    /// and 1.
    ///
    /// ```
    /// use castellan_rules::Position;
    /// let position = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - -")?;
    /// assert_eq!(position.to_fen(), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    /// let error = Position::from_fen("4k3/8/8/8/8/8/4P4/4K3 w - -").unwrap_err();
    /// let expected = "at byte 16: expected a rank of 8 squares, but this one has 9";
    /// assert_eq!(error.to_string(), expected);
    /// # Ok::<(), castellan_rules::FenError>(())
    /// ```
    pub fn from_fen(text: &str) -> Result<Position, FenError> {
        let mut setup = Setup::empty();
        parse::parse_into(text, &mut setup)?;
        Ok(setup.position()?)
    }

    /// Returns the FEN in the default style: X-FEN castling letters, and an en passant square
    /// only if a capture there is legal.
    pub fn to_fen(&self) -> String {
        self.to_fen_in(FenStyle::default())
    }

    /// Returns the FEN in the given style.
    pub fn to_fen_in(&self, style: FenStyle) -> String {
        let mut setup = self.to_setup();
        if style.en_passant == EnPassantField::Legal {
            setup.en_passant = self.en_passant();
        }
        write(&setup, style.castling)
    }
}

/// Returns the square of the rook that `K`, `Q`, `k` or `q` means: the outermost one on that side
/// of the king. If there is none, returns the corner, so that validation reports it.
fn outermost_rook(setup: &Setup, color: Color, side: CastlingSide) -> Square {
    let rank = Rank::First.relative_to(color);
    let home = Bitboard::rank(rank);
    let rooks = setup.pieces.piece(Piece { color, role: Role::Rook }) & home;
    let king = setup.pieces.piece(Piece { color, role: Role::King }) & home;
    let beyond = |rook: Option<Square>, is_beyond: fn(&Square, &Square) -> bool| {
        rook.zip(king.first()).filter(|(rook, king)| is_beyond(rook, king)).map(|(rook, _)| rook)
    };
    match side {
        CastlingSide::King => {
            beyond(rooks.last(), Square::gt).unwrap_or(Square::new(File::H, rank))
        }
        CastlingSide::Queen => {
            beyond(rooks.first(), Square::lt).unwrap_or(Square::new(File::A, rank))
        }
    }
}
