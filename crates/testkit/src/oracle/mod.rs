//! A slow and simple implementation of chess, as a second opinion.
//!
//! This module contains a mailbox board, its legal moves, FEN input and output, and the ends of
//! the game that follow from a single position. It shares no code with `castellan-rules`; the two
//! are compared only as text, FEN and UCI, so that a mistake in one cannot hide in the other.
//! It is meant to be simple, not fast.
//!
//! Castling is always written as the king taking its own rook (`e1h1`), in standard chess too:
//! this notation is never ambiguous, whatever the starting position.
//!
//! ```
//! use castellan_testkit::oracle::Oracle;
//!
//! let start = Oracle::start();
//! assert_eq!(start.legal_uci().len(), 20);
//! let after = start.play_uci("e2e4").expect("the king's pawn may go two squares");
//! assert_eq!(after.to_fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
//! ```

mod board;
mod castling;
mod fen;
mod moves;

pub use board::{Color, Piece, Role, Square};
pub use fen::ParseOracleFenError;
pub use moves::OracleMove;

use board::Board;
use castling::CastlingRooks;

/// The starting position of standard chess.
pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A position, with everything that determines which moves are legal.
///
/// Invariant: each side has exactly one king, no pawn stands on a back rank, the
/// side that is not to move is not in check, and every castling rook stands on
/// the back rank of its king.
#[derive(Clone, Debug)]
pub struct Oracle {
    board: Board,
    turn: Color,
    castling: CastlingRooks,
    /// The square that the last move's double step passed over, whether or not a capture is
    /// possible there.
    en_passant: Option<Square>,
    halfmove_clock: u32,
    fullmove_number: u32,
}

impl Oracle {
    /// Returns the starting position of standard chess.
    #[must_use]
    pub fn start() -> Oracle {
        Oracle::from_fen(START_FEN).expect("the start position is a position")
    }

    /// Returns the side to move.
    #[must_use]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Returns the piece on a square.
    #[must_use]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board.get(square)
    }

    /// Returns the square of a king.
    #[must_use]
    pub fn king(&self, color: Color) -> Square {
        self.board.find(color, Role::King).next().expect("each side has a king, which never leaves")
    }

    /// Returns the number of half-moves since the last capture or pawn move.
    #[must_use]
    pub fn halfmove_clock(&self) -> u32 {
        self.halfmove_clock
    }

    /// Returns the number of the current move, which increases after Black's moves.
    #[must_use]
    pub fn fullmove_number(&self) -> u32 {
        self.fullmove_number
    }

    /// Returns the legal moves in UCI, sorted by bytes, with castling as king takes rook.
    #[must_use]
    pub fn legal_uci(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.legal_moves().iter().map(ToString::to_string).collect();
        texts.sort_unstable();
        texts
    }

    /// Returns the position after a move, or `None` if the move is not legal.
    #[must_use]
    pub fn play(&self, mv: OracleMove) -> Option<Oracle> {
        let is_legal = self.pseudo_legal_moves().contains(&mv) && !self.exposes_king(mv);
        is_legal.then(|| self.play_unchecked(mv))
    }

    /// Returns the position after a move in UCI, with castling as king takes rook; `None` if the
    /// text is not exactly one of [`Oracle::legal_uci`].
    #[must_use]
    pub fn play_uci(&self, text: &str) -> Option<Oracle> {
        let mv = self.legal_moves().into_iter().find(|mv| mv.to_string() == text)?;
        Some(self.play_unchecked(mv))
    }

    /// Returns the square behind a pawn that can legally be captured en passant now.
    #[must_use]
    pub fn legal_en_passant(&self) -> Option<Square> {
        let target = self.en_passant?;
        let mut moves = self.pseudo_legal_moves().into_iter();
        moves.any(|mv| self.is_en_passant(mv) && !self.exposes_king(mv)).then_some(target)
    }

    /// Returns `true` if the side to move is in check.
    #[must_use]
    pub fn is_check(&self) -> bool {
        self.board.is_attacked(self.king(self.turn), self.turn.opponent())
    }

    /// Returns `true` if the side to move is checkmated (FIDE 5.1.1).
    #[must_use]
    pub fn is_checkmate(&self) -> bool {
        self.is_check() && self.legal_moves().is_empty()
    }

    /// Returns `true` if the side to move is stalemated (FIDE 5.2.1).
    #[must_use]
    pub fn is_stalemate(&self) -> bool {
        !self.is_check() && self.legal_moves().is_empty()
    }

    /// Returns a text that is equal for two positions exactly if they are the same position under
    /// the repetition rule (FIDE 9.2.3): pieces, turn, castling rights, and the en passant square
    /// only while a capture there is legal.
    #[must_use]
    pub fn repetition_key(&self) -> String {
        fen::first_four_fields(self)
    }

    /// Returns the number of move sequences of the given length.
    #[must_use]
    pub fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let moves = self.legal_moves();
        if depth == 1 {
            return moves.len() as u64;
        }
        moves.into_iter().map(|mv| self.play_unchecked(mv).perft(depth - 1)).sum()
    }
}
