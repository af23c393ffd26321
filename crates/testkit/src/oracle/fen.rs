//! FEN: a position as six fields of text.
//!
//! The parser accepts X-FEN and Shredder-FEN castling letters, in any order. The writer produces
//! X-FEN: `K` and `Q` for the outermost rook on that side of the king, the file letter for a rook
//! further in, and the en passant square only where a capture is legal.

use std::error::Error;
use std::fmt::{self, Write as _};

use super::Oracle;
use super::board::{Board, Color, Piece, Role, Square};
use super::castling::{CastlingRooks, CastlingSide};

/// Why a text is not a position that the oracle can play from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseOracleFenError {
    /// The text does not have exactly six fields.
    FieldCount,
    /// The first field is not eight ranks of eight squares.
    Placement,
    /// A side does not have exactly one king.
    Kings,
    /// A pawn stands on the first or the last rank.
    PawnOnBackRank,
    /// The second field is neither `w` nor `b`.
    Turn,
    /// The third field names a rook that is not there, or names one twice.
    Castling,
    /// The fourth field is not the square behind a pawn that could just have
    /// moved two squares.
    EnPassant,
    /// The fifth field is not a number.
    HalfmoveClock,
    /// The sixth field is not a number.
    FullmoveNumber,
    /// The side to move could capture the opponent's king.
    OpponentInCheck,
}

impl fmt::Display for ParseOracleFenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FieldCount => "expected six fields separated by single spaces",
            Self::Placement => "field 1: expected eight ranks of eight squares",
            Self::Kings => "field 1: expected one king for each side",
            Self::PawnOnBackRank => "field 1: a pawn stands on the first or last rank",
            Self::Turn => "field 2: expected w or b",
            Self::Castling => "field 3: a castling right without its king and rook, or named twice",
            Self::EnPassant => "field 4: no pawn can just have jumped over this square",
            Self::HalfmoveClock => "field 5: expected a number",
            Self::FullmoveNumber => "field 6: expected a number",
            Self::OpponentInCheck => "the side that is not to move is in check",
        })
    }
}

impl Error for ParseOracleFenError {}

impl Oracle {
    /// Parses a FEN of six fields.
    ///
    /// # Errors
    ///
    /// Fails if a field is malformed, or if the position has no well-defined legal moves; see
    /// [`ParseOracleFenError`].
    pub fn from_fen(fen: &str) -> Result<Oracle, ParseOracleFenError> {
        let fields: Vec<&str> = fen.split(' ').collect();
        let [placement, turn, castling, en_passant, halfmoves, fullmoves] = fields[..] else {
            return Err(ParseOracleFenError::FieldCount);
        };
        let board = parse_placement(placement).ok_or(ParseOracleFenError::Placement)?;
        check_pieces(&board)?;
        let turn = match turn {
            "w" => Color::White,
            "b" => Color::Black,
            _ => return Err(ParseOracleFenError::Turn),
        };
        let castling = parse_castling(castling, &board).ok_or(ParseOracleFenError::Castling)?;
        let en_passant = parse_en_passant(en_passant, &board, turn)?;
        let halfmove_clock = parse_number(halfmoves).ok_or(ParseOracleFenError::HalfmoveClock)?;
        let fullmove_number = parse_number(fullmoves).ok_or(ParseOracleFenError::FullmoveNumber)?;
        let oracle = Oracle { board, turn, castling, en_passant, halfmove_clock, fullmove_number };
        if oracle.board.is_attacked(oracle.king(turn.opponent()), turn) {
            return Err(ParseOracleFenError::OpponentInCheck);
        }
        Ok(oracle)
    }

    /// Returns the position as X-FEN, with the en passant square only where a capture is legal.
    #[must_use]
    pub fn to_fen(&self) -> String {
        format!("{} {} {}", first_four_fields(self), self.halfmove_clock, self.fullmove_number)
    }
}

/// Returns the FEN without the two counters.
pub(super) fn first_four_fields(oracle: &Oracle) -> String {
    let turn = match oracle.turn {
        Color::White => 'w',
        Color::Black => 'b',
    };
    let mut text = String::with_capacity(80);
    write_placement(&oracle.board, &mut text);
    let castling = write_castling(oracle);
    let en_passant = oracle.legal_en_passant().map_or("-".to_owned(), |square| square.to_string());
    write!(text, " {turn} {castling} {en_passant}").expect("writing into a string cannot fail");
    text
}

fn parse_placement(text: &str) -> Option<Board> {
    let mut board = Board::empty();
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != 8 {
        return None;
    }
    for (rank, letters) in (0..8).rev().zip(ranks) {
        let mut file = 0;
        for letter in letters.bytes() {
            if let b'1'..=b'8' = letter {
                file += letter - b'0';
            } else {
                let piece = Piece::from_letter(char::from(letter))?;
                board.set(Square::new(file, rank)?, Some(piece));
                file += 1;
            }
            if file > 8 {
                return None;
            }
        }
        if file != 8 {
            return None;
        }
    }
    Some(board)
}

fn check_pieces(board: &Board) -> Result<(), ParseOracleFenError> {
    for color in [Color::White, Color::Black] {
        if board.find(color, Role::King).count() != 1 {
            return Err(ParseOracleFenError::Kings);
        }
        if board.find(color, Role::Pawn).any(|square| matches!(square.rank(), 0 | 7)) {
            return Err(ParseOracleFenError::PawnOnBackRank);
        }
    }
    Ok(())
}

fn parse_castling(text: &str, board: &Board) -> Option<CastlingRooks> {
    let mut castling = CastlingRooks::default();
    if text == "-" {
        return Some(castling);
    }
    if text.is_empty() {
        return None;
    }
    for letter in text.chars() {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let king =
            board.find(color, Role::King).next().filter(|king| king.rank() == color.back_rank())?;
        let rook = match letter.to_ascii_lowercase() {
            'k' => outermost_rook(board, color, king, CastlingSide::King)?,
            'q' => outermost_rook(board, color, king, CastlingSide::Queen)?,
            file @ 'a'..='h' => Square::parse(&format!("{file}1"))
                .map(|square| king.on_file(square.file()))
                .filter(|square| board.holds(*square, color, Role::Rook))?,
            _ => return None,
        };
        let side = CastlingSide::of(king, rook);
        if castling.get(color, side).is_some() {
            return None;
        }
        castling.set(color, side, rook);
    }
    Some(castling)
}

/// Returns the rook nearest to the edge on one side of the king, on the king's rank.
fn outermost_rook(board: &Board, color: Color, king: Square, side: CastlingSide) -> Option<Square> {
    let mut rooks = board
        .find(color, Role::Rook)
        .filter(|rook| rook.rank() == king.rank() && CastlingSide::of(king, *rook) == side);
    // The rooks are ordered from the a-file to the h-file.
    match side {
        CastlingSide::King => rooks.last(),
        CastlingSide::Queen => rooks.next(),
    }
}

fn parse_en_passant(
    text: &str,
    board: &Board,
    turn: Color,
) -> Result<Option<Square>, ParseOracleFenError> {
    if text == "-" {
        return Ok(None);
    }
    let jumped = Square::parse(text).ok_or(ParseOracleFenError::EnPassant)?;
    let pawn = jumped.step((0, -turn.forward()));
    let home = jumped.step((0, turn.forward()));
    let is_empty = |square| board.get(square).is_none();
    let could_have_jumped = jumped.rank().abs_diff(turn.opponent().back_rank()) == 2
        && is_empty(jumped)
        && home.is_some_and(is_empty)
        && pawn.is_some_and(|square| board.holds(square, turn.opponent(), Role::Pawn));
    could_have_jumped.then_some(Some(jumped)).ok_or(ParseOracleFenError::EnPassant)
}

/// Parses digits only: the standard parser would accept a plus sign.
fn parse_number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

fn write_placement(board: &Board, text: &mut String) {
    for rank in (0..8).rev() {
        let mut gap = 0;
        for piece in (0..8).map(|file| Square::new(file, rank).and_then(|s| board.get(s))) {
            match piece {
                None => gap += 1,
                Some(piece) => {
                    push_gap(text, &mut gap);
                    text.push(piece.letter());
                }
            }
        }
        push_gap(text, &mut gap);
        if rank > 0 {
            text.push('/');
        }
    }
}

fn push_gap(text: &mut String, gap: &mut u8) {
    if *gap > 0 {
        text.push(char::from(b'0' + *gap));
        *gap = 0;
    }
}

fn write_castling(oracle: &Oracle) -> String {
    let mut text = String::new();
    for color in [Color::White, Color::Black] {
        let king = oracle.king(color);
        for side in CastlingSide::ALL {
            let Some(rook) = oracle.castling.get(color, side) else {
                continue;
            };
            let letter = match side {
                _ if outermost_rook(&oracle.board, color, king, side) != Some(rook) => {
                    char::from(b'a' + rook.file())
                }
                CastlingSide::King => 'k',
                CastlingSide::Queen => 'q',
            };
            text.push(match color {
                Color::White => letter.to_ascii_uppercase(),
                Color::Black => letter,
            });
        }
    }
    if text.is_empty() {
        text.push('-');
    }
    text
}
