//! Parses text into [`San`]. Parsing either consumes all of the text or fails with the position
//! of the error.

use std::fmt;
use std::str::FromStr;

use super::{CheckMark, San, SanMove};
use crate::{CastlingSide, File, Promotion, Rank, Role, Square};

/// Why text is not a SAN move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseSanError {
    /// The offset of the unexpected byte, from 0; the length of the text if it ended too early.
    pub at: usize,
    /// What was expected at that offset.
    pub expected: ExpectedInSan,
}

/// What was expected in a SAN move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpectedInSan {
    /// A piece letter, a file or `O-O`.
    Move,
    /// A target square.
    Square,
    /// `Q`, `R`, `B` or `N`.
    Promotion,
    /// The end of the text.
    End,
}

impl fmt::Display for ParseSanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: expected ", self.at)?;
        f.write_str(match self.expected {
            ExpectedInSan::Move => "a move such as e4, Nf3, exd5, e8=Q or O-O",
            ExpectedInSan::Square => "a square such as e4",
            ExpectedInSan::Promotion => "Q, R, B or N",
            ExpectedInSan::End => "the end of the text",
        })
    }
}

impl std::error::Error for ParseSanError {}

impl San {
    /// Parses a move. The check mark is optional.
    ///
    /// ```
    /// use castellan_rules::San;
    /// assert_eq!(San::parse("Nbxd2+")?.to_string(), "Nbxd2+");
    /// assert_eq!(San::parse("e8=K").unwrap_err().to_string(), "at byte 3: expected Q, R, B or N");
    /// # Ok::<(), castellan_rules::ParseSanError>(())
    /// ```
    pub fn parse(text: &str) -> Result<San, ParseSanError> {
        San::parse_bytes(text.as_bytes())
    }

    /// Parses a move from bytes, which need not be UTF-8.
    #[inline]
    pub fn parse_bytes(text: &[u8]) -> Result<San, ParseSanError> {
        let mut input = SanInput { bytes: text, at: 0 };
        let mv = match input.peek() {
            Some(b'O') => input.castle()?,
            _ => input.normal()?,
        };
        let mark = input.take(|byte| match byte {
            b'+' => Some(CheckMark::Check),
            b'#' => Some(CheckMark::Checkmate),
            _ => None,
        });
        match input.peek() {
            None => Ok(San { mv, mark }),
            Some(_) => Err(input.error(ExpectedInSan::End)),
        }
    }
}

impl FromStr for San {
    type Err = ParseSanError;

    fn from_str(text: &str) -> Result<San, ParseSanError> {
        San::parse(text)
    }
}

struct SanInput<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl SanInput<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn error(&self, expected: ExpectedInSan) -> ParseSanError {
        ParseSanError { at: self.at, expected }
    }

    /// Consumes the next byte if `meaning` returns a value for it.
    fn take<T>(&mut self, meaning: impl FnOnce(u8) -> Option<T>) -> Option<T> {
        let value = self.peek().and_then(meaning)?;
        self.at += 1;
        Some(value)
    }

    fn take_byte(&mut self, wanted: u8) -> bool {
        self.take(|byte| (byte == wanted).then_some(())).is_some()
    }

    fn take_text(&mut self, wanted: &[u8]) -> bool {
        let is_next = self.bytes[self.at..].starts_with(wanted);
        self.at += if is_next { wanted.len() } else { 0 };
        is_next
    }

    fn file(&mut self) -> Option<File> {
        self.take(|byte| File::from_letter(byte.into()))
    }

    fn rank(&mut self) -> Option<Rank> {
        self.take(|byte| Rank::from_digit(byte.into()))
    }

    fn castle(&mut self) -> Result<SanMove, ParseSanError> {
        if self.take_text(b"O-O-O") {
            Ok(SanMove::Castle(CastlingSide::Queen))
        } else if self.take_text(b"O-O") {
            Ok(SanMove::Castle(CastlingSide::King))
        } else {
            Err(self.error(ExpectedInSan::Move))
        }
    }

    /// Parses any move except castling. The target comes last, so the square read first is the
    /// origin only if another square follows.
    fn normal(&mut self) -> Result<SanMove, ParseSanError> {
        let role = self.take(|byte| Role::from_letter(byte.into()).filter(|&r| r != Role::Pawn));
        let (file, rank) = (self.file(), self.rank());
        if role.is_none() && file.is_none() {
            return Err(ParseSanError { at: 0, expected: ExpectedInSan::Move });
        }
        let is_capture = self.take_byte(b'x');
        let role = role.unwrap_or(Role::Pawn);
        let next = self.file();
        let (file, rank, to) = match (file, rank, next) {
            (_, _, Some(to_file)) => {
                let to_rank = self.rank().ok_or(self.error(ExpectedInSan::Square))?;
                (file, rank, Square::new(to_file, to_rank))
            }
            (Some(file), Some(rank), None) if !is_capture => (None, None, Square::new(file, rank)),
            _ => return Err(self.error(ExpectedInSan::Square)),
        };
        let promotion = self.promotion(role)?;
        Ok(SanMove::Normal { role, file, rank, is_capture, to, promotion })
    }

    fn promotion(&mut self, role: Role) -> Result<Option<Promotion>, ParseSanError> {
        if role != Role::Pawn || !self.take_byte(b'=') {
            return Ok(None);
        }
        let promotion =
            self.take(|byte| Role::from_letter(byte.into()).and_then(Promotion::from_role));
        promotion.map(Some).ok_or(self.error(ExpectedInSan::Promotion))
    }
}
