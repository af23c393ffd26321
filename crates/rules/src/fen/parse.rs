//! Parses text into a [`Setup`]. Parsing either consumes all of the text or fails with the
//! position of the error.

use std::fmt;

use super::{outermost_rook, placement};
use crate::{CastlingSide, Clocks, Color, File, Piece, Rank, Setup, Square};

/// Why text is not a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseFenError {
    /// The offset of the unexpected byte, from 0; the length of the text if it ended too early.
    pub at: usize,
    /// What was expected at that offset.
    pub expected: ExpectedInFen,
}

/// What was expected in a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpectedInFen {
    /// A piece letter or a digit from 1 to 8.
    PieceOrDigit,
    /// A piece letter, because two digits in a row must be written as one.
    PieceAfterDigit,
    /// A rank of exactly eight squares.
    EightSquares {
        /// The number of squares counted when the error became clear.
        found: u8,
    },
    /// A slash and another rank, because there are eight.
    Slash,
    /// A single space and the next field.
    Space,
    /// `w` or `b`.
    Turn,
    /// `-` or castling letters.
    Castling,
    /// A castling right that was not given before.
    NewCastling,
    /// `-` or a square.
    EnPassant,
    /// The half-move clock.
    HalfmoveClock,
    /// The move number.
    FullmoveNumber,
    /// A number that fits the field.
    SmallerNumber,
    /// The end of the text.
    End,
}

impl fmt::Display for ExpectedInFen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ExpectedInFen::PieceOrDigit => "a piece letter (KQRBNP, kqrbnp) or a digit from 1 to 8",
            ExpectedInFen::PieceAfterDigit => "a piece letter, not a second digit in a row",
            ExpectedInFen::EightSquares { found } => {
                return write!(f, "a rank of 8 squares, but this one has {found}");
            }
            ExpectedInFen::Slash => "'/' and another rank (there must be 8)",
            ExpectedInFen::Space => "a single space and the next field",
            ExpectedInFen::Turn => "the side to move, 'w' or 'b'",
            ExpectedInFen::Castling => "castling rights, '-' or letters such as KQkq or HAha",
            ExpectedInFen::NewCastling => "each castling right only once",
            ExpectedInFen::EnPassant => "the en passant square or '-'",
            ExpectedInFen::HalfmoveClock => "the half-move clock, a number",
            ExpectedInFen::FullmoveNumber => "the move number",
            ExpectedInFen::SmallerNumber => "a smaller number",
            ExpectedInFen::End => "the end of the text",
        })
    }
}

impl fmt::Display for ParseFenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: expected {}", self.at, self.expected)
    }
}

impl std::error::Error for ParseFenError {}

/// Parses a FEN with six fields or with four. Use [`Setup::position`] to validate the result.
pub fn parse(text: &str) -> Result<Setup, ParseFenError> {
    let mut setup = Setup::empty();
    parse_into(text, &mut setup)?;
    Ok(setup)
}

/// Like [`parse`], but fills an empty setup, which saves moving it around afterward.
pub(super) fn parse_into(text: &str, setup: &mut Setup) -> Result<(), ParseFenError> {
    let mut input = FenInput { bytes: text.as_bytes(), at: 0 };
    input.placement(setup)?;
    input.space()?;
    setup.turn = input.turn()?;
    input.space()?;
    input.castling(setup)?;
    input.space()?;
    setup.en_passant = input.en_passant()?;
    if input.peek().is_some() {
        input.space()?;
        let halfmove_clock = input.number(ExpectedInFen::HalfmoveClock)?;
        input.space()?;
        let fullmove_number = input.number(ExpectedInFen::FullmoveNumber)?;
        setup.clocks = Some(Clocks { halfmove_clock, fullmove_number });
        if input.peek().is_some() {
            return Err(input.error(ExpectedInFen::End));
        }
    }
    Ok(())
}

struct FenInput<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl FenInput<'_> {
    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn error(&self, expected: ExpectedInFen) -> ParseFenError {
        ParseFenError { at: self.at, expected }
    }

    /// Consumes the next byte if `meaning` returns a value for it, and fails otherwise.
    fn take<T>(
        &mut self,
        expected: ExpectedInFen,
        meaning: impl FnOnce(u8) -> Option<T>,
    ) -> Result<T, ParseFenError> {
        let value = self.peek().and_then(meaning).ok_or(self.error(expected))?;
        self.at += 1;
        Ok(value)
    }

    fn space(&mut self) -> Result<(), ParseFenError> {
        self.take(ExpectedInFen::Space, |byte| (byte == b' ').then_some(()))
    }

    fn placement(&mut self, setup: &mut Setup) -> Result<(), ParseFenError> {
        // The fast reader returns `None` for any error.
        if let Some((pieces, length)) = placement::read(self.bytes) {
            setup.pieces = pieces;
            self.at = length;
            return Ok(());
        }
        self.careful_placement(setup)
    }

    /// Parses the placement rank by rank, to find the exact error.
    #[cold]
    fn careful_placement(&mut self, setup: &mut Setup) -> Result<(), ParseFenError> {
        for rank in Rank::ALL.into_iter().rev() {
            self.careful_rank(rank, setup)?;
            if rank != Rank::First {
                self.take(ExpectedInFen::Slash, |byte| (byte == b'/').then_some(()))?;
            }
        }
        Ok(())
    }

    /// Parses one rank, up to but not including the byte that ends it.
    fn careful_rank(&mut self, rank: Rank, setup: &mut Setup) -> Result<(), ParseFenError> {
        let mut found: u8 = 0;
        let mut is_after_digit = false;
        while let Some(byte) = self.peek().filter(|byte| !matches!(byte, b'/' | b' ')) {
            let piece = Piece::from_letter(byte.into());
            let is_digit = matches!(byte, b'1'..=b'8');
            if piece.is_none() && !is_digit {
                return Err(self.error(ExpectedInFen::PieceOrDigit));
            }
            if is_digit && is_after_digit {
                return Err(self.error(ExpectedInFen::PieceAfterDigit));
            }
            let square = File::from_index(found.into()).map(|file| Square::new(file, rank));
            found += if is_digit { byte - b'0' } else { 1 };
            if found > 8 {
                return Err(self.error(ExpectedInFen::EightSquares { found }));
            }
            if let Some((piece, square)) = piece.zip(square) {
                setup.pieces.put(piece, square);
            }
            is_after_digit = is_digit;
            self.at += 1;
        }
        if found == 8 { Ok(()) } else { Err(self.error(ExpectedInFen::EightSquares { found })) }
    }

    fn turn(&mut self) -> Result<Color, ParseFenError> {
        self.take(ExpectedInFen::Turn, |byte| match byte {
            b'w' => Some(Color::White),
            b'b' => Some(Color::Black),
            _ => None,
        })
    }

    fn castling(&mut self, setup: &mut Setup) -> Result<(), ParseFenError> {
        if self.peek() == Some(b'-') {
            self.at += 1;
            return Ok(());
        }
        let start = self.at;
        while self.at == start || !matches!(self.peek(), None | Some(b' ')) {
            let at = self.at;
            let rook = self.take(ExpectedInFen::Castling, |byte| castling_rook(setup, byte))?;
            if setup.castling_rooks.contains(rook) {
                return Err(ParseFenError { at, expected: ExpectedInFen::NewCastling });
            }
            setup.castling_rooks |= rook.into();
        }
        Ok(())
    }

    fn en_passant(&mut self) -> Result<Option<Square>, ParseFenError> {
        if self.peek() == Some(b'-') {
            self.at += 1;
            return Ok(None);
        }
        let expected = ExpectedInFen::EnPassant;
        let file = self.take(expected, |byte| File::from_letter(byte.into()))?;
        let rank = self.take(expected, |byte| Rank::from_digit(byte.into()))?;
        Ok(Some(Square::new(file, rank)))
    }

    /// Parses decimal digits into a number that must fit the type.
    fn number<T: TryFrom<u64>>(&mut self, expected: ExpectedInFen) -> Result<T, ParseFenError> {
        let start = self.at;
        let mut number = 0_u64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            number = number.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        if self.at == start {
            return Err(self.error(expected));
        }
        let too_large = ParseFenError { at: start, expected: ExpectedInFen::SmallerNumber };
        T::try_from(number).map_err(|_| too_large)
    }
}

/// Returns the rook that a castling letter means on this board.
fn castling_rook(setup: &Setup, letter: u8) -> Option<Square> {
    let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
    match letter.to_ascii_lowercase() {
        b'k' => Some(outermost_rook(setup, color, CastlingSide::King)),
        b'q' => Some(outermost_rook(setup, color, CastlingSide::Queen)),
        file => {
            let file = File::from_letter(file.into())?;
            Some(Square::new(file, Rank::First.relative_to(color)))
        }
    }
}
