//! From text to a [`Setup`]: everything is read or it fails, with the place.

use std::fmt;

use super::outermost_rook;
use crate::{Clocks, Color, File, Piece, Rank, Role, Setup, Square, Wing};

/// Why a text is not a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseFenError {
    /// The offset of the byte that does not fit, from 0; the length of the text if it ended.
    pub at: usize,
    /// What should have been there.
    pub expected: ExpectedInFen,
}

/// What should have been in a FEN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpectedInFen {
    /// A piece letter or a digit from 1 to 8.
    PieceOrDigit,
    /// A piece letter, for two digits in a row should be one.
    PieceAfterDigit,
    /// A rank that adds up to eight squares.
    EightSquares {
        /// How many it has, counted up to where that became clear.
        found: u8,
    },
    /// A slash and another rank: there are eight.
    Slash,
    /// One space and the next field.
    Space,
    /// `w` or `b`.
    Turn,
    /// `-` or castling letters.
    Castling,
    /// A castling letter that was not there before.
    NewCastling,
    /// `-` or a square.
    EnPassant,
    /// The half-move clock.
    HalfmoveClock,
    /// The number of the move.
    FullmoveNumber,
    /// A smaller number.
    SmallerNumber,
    /// Nothing more.
    End,
}

impl fmt::Display for ParseFenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: expected ", self.at)?;
        f.write_str(match self.expected {
            ExpectedInFen::PieceOrDigit => "a piece letter (KQRBNP, kqrbnp) or a digit from 1 to 8",
            ExpectedInFen::PieceAfterDigit => "a piece letter, not a second digit in a row",
            ExpectedInFen::EightSquares { found } => {
                return write!(f, "a rank of 8 squares, this one has {found}");
            }
            ExpectedInFen::Slash => "'/' and another rank, there are 8",
            ExpectedInFen::Space => "one space and the next field",
            ExpectedInFen::Turn => "the side to move, 'w' or 'b'",
            ExpectedInFen::Castling => "castling rights, '-' or letters such as KQkq or HAha",
            ExpectedInFen::NewCastling => "each castling right once",
            ExpectedInFen::EnPassant => "the en passant square or '-'",
            ExpectedInFen::HalfmoveClock => "the half-move clock, a number",
            ExpectedInFen::FullmoveNumber => "the move number",
            ExpectedInFen::SmallerNumber => "a smaller number",
            ExpectedInFen::End => "nothing more",
        })
    }
}

impl std::error::Error for ParseFenError {}

/// Reads a FEN of six fields or of four. Whether it makes sense is for [`Setup::position`].
pub fn parse(text: &str) -> Result<Setup, ParseFenError> {
    let mut input = Input {
        bytes: text.as_bytes(),
        at: 0,
    };
    let mut setup = Setup::empty();
    input.placement(&mut setup)?;
    input.space()?;
    setup.turn = input.turn()?;
    input.space()?;
    input.castling(&mut setup)?;
    input.space()?;
    setup.en_passant = input.en_passant()?;
    if input.peek().is_some() {
        input.space()?;
        let halfmove_clock = input.number(ExpectedInFen::HalfmoveClock)?;
        input.space()?;
        let fullmove_number = input.number(ExpectedInFen::FullmoveNumber)?;
        setup.clocks = Some(Clocks {
            halfmove_clock,
            fullmove_number,
        });
        if input.peek().is_some() {
            return Err(input.error(ExpectedInFen::End));
        }
    }
    Ok(setup)
}

/// What a byte means in the first field.
#[derive(Clone, Copy)]
enum Glyph {
    Piece(Piece),
    Empty(u8),
    Slash,
    Space,
    Other,
}

static GLYPHS: [Glyph; 256] = {
    let mut glyphs = [Glyph::Other; 256];
    let mut byte = 0;
    while byte < 128 {
        glyphs[byte] = match byte as u8 {
            b'/' => Glyph::Slash,
            b' ' => Glyph::Space,
            digit @ b'1'..=b'8' => Glyph::Empty(digit - b'0'),
            letter => match Piece::from_letter(letter as char) {
                Some(piece) => Glyph::Piece(piece),
                None => Glyph::Other,
            },
        };
        byte += 1;
    }
    glyphs
};

struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Input<'_> {
    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn error(&self, expected: ExpectedInFen) -> ParseFenError {
        ParseFenError {
            at: self.at,
            expected,
        }
    }

    /// Takes one byte if the question is answered with something.
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
        for rank in (0..8).rev() {
            self.rank(rank, setup)?;
            if rank > 0 {
                self.take(ExpectedInFen::Slash, |byte| (byte == b'/').then_some(()))?;
            }
        }
        Ok(())
    }

    /// One rank, up to but without what ends it.
    #[inline(always)]
    fn rank(&mut self, rank: u32, setup: &mut Setup) -> Result<(), ParseFenError> {
        let mut file: u8 = 0;
        let mut is_after_digit = false;
        while let Some(byte) = self.peek() {
            match GLYPHS[usize::from(byte)] {
                Glyph::Piece(_) | Glyph::Empty(1) if file == 8 => {
                    return Err(self.error(ExpectedInFen::EightSquares { found: 9 }));
                }
                Glyph::Piece(piece) => {
                    setup
                        .pieces
                        .add(piece, Square::wrapping(rank * 8 + u32::from(file)));
                    file += 1;
                    is_after_digit = false;
                }
                Glyph::Empty(_) if is_after_digit => {
                    return Err(self.error(ExpectedInFen::PieceAfterDigit));
                }
                Glyph::Empty(count) if file + count > 8 => {
                    return Err(self.error(ExpectedInFen::EightSquares {
                        found: file + count,
                    }));
                }
                Glyph::Empty(count) => {
                    file += count;
                    is_after_digit = true;
                }
                Glyph::Slash | Glyph::Space => break,
                Glyph::Other => return Err(self.error(ExpectedInFen::PieceOrDigit)),
            }
            self.at += 1;
        }
        if file == 8 {
            Ok(())
        } else {
            Err(self.error(ExpectedInFen::EightSquares { found: file }))
        }
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
                return Err(ParseFenError {
                    at,
                    expected: ExpectedInFen::NewCastling,
                });
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

    /// Decimal digits, as many as fit the type.
    fn number<T: TryFrom<u64>>(&mut self, expected: ExpectedInFen) -> Result<T, ParseFenError> {
        let start = self.at;
        let mut number = 0_u64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            number = number
                .saturating_mul(10)
                .saturating_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        if self.at == start {
            return Err(self.error(expected));
        }
        let too_large = ParseFenError {
            at: start,
            expected: ExpectedInFen::SmallerNumber,
        };
        T::try_from(number).map_err(|_| too_large)
    }
}

/// The rook that a castling letter means on this board.
fn castling_rook(setup: &Setup, letter: u8) -> Option<Square> {
    let color = if letter.is_ascii_uppercase() {
        Color::White
    } else {
        Color::Black
    };
    match letter.to_ascii_lowercase() {
        b'k' => Some(outermost_rook(setup, color, Wing::King)),
        b'q' => Some(outermost_rook(setup, color, Wing::Queen)),
        file => {
            let file = File::from_letter(file.into())?;
            Some(Square::new(file, Rank::First.relative_to(color)))
        }
    }
}

const _: () = assert!(Role::ALL.len() == 6 && size_of::<Glyph>() <= 4);
