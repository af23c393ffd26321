//! Forsyth-Edwards Notation: six fields, or the first four.
//!
//! Castling rights are read as X-FEN (`KQkq` mean the outermost rooks) and as Shredder-FEN
//! (`HAha` name the rooks' files), also mixed, which is what Chess960 needs. Standard chess is one
//! of its starts and needs no reading of its own: games that other programs send are played as they
//! are. Whether a FEN was meant to be one of standard chess is a question for the FEN doctor.

mod parse;
mod placement;
mod write;

pub use parse::{ExpectedInFen, ParseFenError, parse};
pub use write::{CastlingLetters, EnPassantField, FenStyle, write};

use crate::{Bitboard, Color, File, Piece, Position, Rank, Reasons, Role, Setup, Square, Wing};

/// Why a text does not give a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FenError {
    /// It is not a FEN.
    #[error(transparent)]
    Syntax(#[from] ParseFenError),
    /// It is one, of something that cannot be played.
    #[error(transparent)]
    Unplayable(#[from] Reasons),
}

impl Position {
    /// The position of a FEN of six fields, or of four with the clocks at 0 and 1.
    ///
    /// ```
    /// use castellan_rules::Position;
    /// let position = Position::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - -")?;
    /// assert_eq!(position.to_fen(), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    /// let error = Position::from_fen("4k3/8/8/8/8/8/4P4/4K3 w - -").unwrap_err();
    /// assert_eq!(error.to_string(), "at byte 16: expected a rank of 8 squares, this one has 9");
    /// # Ok::<(), castellan_rules::FenError>(())
    /// ```
    pub fn from_fen(text: &str) -> Result<Position, FenError> {
        let mut setup = Setup::empty();
        parse::parse_into(text, &mut setup)?;
        Ok(setup.position()?)
    }

    /// The FEN that says just what matters: X-FEN castling letters, and an en passant square
    /// only if a capture there is legal.
    pub fn to_fen(&self) -> String {
        self.to_fen_in(FenStyle::default())
    }

    /// The FEN in a style of choice.
    pub fn to_fen_in(&self, style: FenStyle) -> String {
        let mut setup = self.to_setup();
        if style.en_passant == EnPassantField::Legal {
            setup.en_passant = self.en_passant();
        }
        write(&setup, style.castling)
    }
}

/// The square of the rook that `K`, `Q`, `k` or `q` means: the outermost one on that side of
/// the king. Where there is none it is the corner, for the checks to complain of.
fn outermost_rook(setup: &Setup, color: Color, wing: Wing) -> Square {
    let rank = Rank::First.relative_to(color);
    let home = Bitboard::rank(rank);
    let rooks = setup.pieces.piece(Piece { color, role: Role::Rook }) & home;
    let king = setup.pieces.piece(Piece { color, role: Role::King }) & home;
    let beyond = |rook: Option<Square>, is_beyond: fn(&Square, &Square) -> bool| {
        rook.zip(king.first()).filter(|(rook, king)| is_beyond(rook, king)).map(|(rook, _)| rook)
    };
    match wing {
        Wing::King => beyond(rooks.last(), Square::gt).unwrap_or(Square::new(File::H, rank)),
        Wing::Queen => beyond(rooks.first(), Square::lt).unwrap_or(Square::new(File::A, rank)),
    }
}
