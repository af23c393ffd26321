//! Slow, obvious chess: the second opinion.
//!
//! Owns a mailbox board, its legal moves, FEN in and out, and the ends of the
//! game that one position shows. It shares no code with `castellan-rules`; the
//! two meet only as text, FEN and UCI, so that a mistake in one cannot hide in
//! the other. Nothing here is fast, and nothing here should become so.
//!
//! Castling is always spelled king takes rook (`e1h1`), in the normal game too:
//! one spelling that is never ambiguous, whatever the start position.
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

/// The start position of the normal game.
pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A position, with everything that decides what may be played next.
///
/// Invariant: each side has exactly one king, no pawn stands on a back rank, the
/// side that is not to move is not in check, and every castling rook stands on
/// the back rank of its king.
#[derive(Clone, Debug)]
pub struct Oracle {
    board: Board,
    turn: Color,
    castling: CastlingRooks,
    /// The square the last move jumped over, whether or not it can be captured on.
    en_passant: Option<Square>,
    halfmove_clock: u32,
    fullmove_number: u32,
}

impl Oracle {
    /// The start position of the normal game.
    #[must_use]
    pub fn start() -> Oracle {
        Oracle::from_fen(START_FEN).expect("the start position is a position")
    }

    /// Whose turn it is.
    #[must_use]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// What stands on a square.
    #[must_use]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.board.get(square)
    }

    /// The square of a king.
    #[must_use]
    pub fn king(&self, color: Color) -> Square {
        self.board.find(color, Role::King).next().expect("each side has a king, which never leaves")
    }

    /// Half-moves since the last capture or pawn move.
    #[must_use]
    pub fn halfmove_clock(&self) -> u32 {
        self.halfmove_clock
    }

    /// The number of the current move, which grows after Black's moves.
    #[must_use]
    pub fn fullmove_number(&self) -> u32 {
        self.fullmove_number
    }

    /// The legal moves as UCI texts, sorted by bytes, castling as king takes rook.
    #[must_use]
    pub fn legal_uci(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.legal_moves().iter().map(ToString::to_string).collect();
        texts.sort_unstable();
        texts
    }

    /// The position after a move, or nothing if the move is not legal here.
    #[must_use]
    pub fn play(&self, mv: OracleMove) -> Option<Oracle> {
        let is_legal = self.pseudo_legal_moves().contains(&mv) && !self.exposes_king(mv);
        is_legal.then(|| self.play_unchecked(mv))
    }

    /// The position after a move in UCI, castling as king takes rook; nothing if
    /// the text is not exactly one of [`Oracle::legal_uci`].
    #[must_use]
    pub fn play_uci(&self, text: &str) -> Option<Oracle> {
        let mv = self.legal_moves().into_iter().find(|mv| mv.to_string() == text)?;
        Some(self.play_unchecked(mv))
    }

    /// The square behind a pawn that can legally be captured en passant now.
    #[must_use]
    pub fn legal_en_passant(&self) -> Option<Square> {
        let target = self.en_passant?;
        let mut moves = self.pseudo_legal_moves().into_iter();
        moves.any(|mv| self.is_en_passant(mv) && !self.exposes_king(mv)).then_some(target)
    }

    /// Whether the side to move is in check.
    #[must_use]
    pub fn is_check(&self) -> bool {
        self.board.is_attacked(self.king(self.turn), self.turn.opponent())
    }

    /// Whether the side to move is checkmated (FIDE 5.1.1).
    #[must_use]
    pub fn is_checkmate(&self) -> bool {
        self.is_check() && self.legal_moves().is_empty()
    }

    /// Whether the side to move is stalemated (FIDE 5.2.1).
    #[must_use]
    pub fn is_stalemate(&self) -> bool {
        !self.is_check() && self.legal_moves().is_empty()
    }

    /// A text that is equal for two positions exactly if they are the same
    /// position for the repetition rule (FIDE 9.2.3): pieces, turn, castling
    /// rights, and the en passant square only while a capture there is legal.
    #[must_use]
    pub fn repetition_key(&self) -> String {
        fen::first_four_fields(self)
    }

    /// The number of move sequences of a length.
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
