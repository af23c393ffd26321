//! The state of a position, and making moves.
//!
//! This module is responsible for the pieces and all other hashed state, together with the hash.
//! The fields are private to this file, so no other code can move a piece and forget to update
//! the hash. Queries live in `position`.

use std::mem::offset_of;

use crate::board::{Board, castled_squares};
use crate::side::{Black, Side, White};
use crate::{
    Bitboard, Clocks, Color, Move, MoveKind, NoObserver, Observer, Piece, Pieces, Promotion, Role,
    Setup, Square, zobrist,
};

/// A position that can be played from: pieces, side to move, castling rights, en passant and
/// clocks.
///
/// Positions come only from a [`Setup`] that passed validation and from legal moves. A position
/// is small enough to copy: making a move returns a new position and leaves the old one
/// unchanged.
///
/// Two positions are equal if they are the same under the repetition rule (FIDE 9.2.3): the same
/// pieces on the same squares, the same side to move, the same castling rights, and the same
/// legal en passant capture, if any. The clocks do not count.
///
/// ```
/// use castellan_rules::{Position, UciMove};
/// let start = Position::start();
/// let mv = UciMove::parse("e2e4")?.resolve(&start)?;
/// let next = start.play(mv)?;
/// assert_eq!(next.to_fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
// Aligned so that the bitboards, which moves update with wide loads and stores, share one cache
// line. Straddling two lines makes every move 50 percent slower.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Position {
    board: Board,
    hash: u64,
    fullmove_number: u32,
    halfmove_clock: u16,
    turn: Color,
}

const _: () = assert!(size_of::<Position>() == 128 && offset_of!(Position, board) == 0);

/// The standard start position as a constant, because so many callers begin there. A test
/// compares it with Chess960 start position 518.
const START: Position = {
    let pieces = Pieces::START;
    let rooks = pieces.role(Role::Rook);
    let mut sets = [[0; 6]; 2];
    let mut index = 0;
    while index < 12 {
        let (color, role) = (Color::ALL[index / 6], Role::ALL[index % 6]);
        sets[index / 6][index % 6] = pieces.color(color).0 & pieces.role(role).0;
        index += 1;
    }
    Position {
        board: Board::new(pieces, rooks),
        hash: zobrist::constant(&sets, rooks.0),
        fullmove_number: 1,
        halfmove_clock: 0,
        turn: Color::White,
    }
};

impl Position {
    /// Returns the standard start position.
    #[inline]
    pub const fn start() -> Position {
        START
    }

    /// Creates the position of a validated setup. Missing clocks default to 0 and 1, and a move
    /// number of 0 becomes 1.
    #[inline(always)]
    pub(crate) fn of_checked(setup: &Setup) -> Position {
        let board = Board::new(setup.pieces, setup.castling_rooks);
        let board = match (setup.en_passant, setup.turn) {
            (None, _) => board,
            (Some(passed), Color::White) => board.with_step_over::<White>(passed),
            (Some(passed), Color::Black) => board.with_step_over::<Black>(passed),
        };
        let hash = pieces_hash(&setup.pieces) ^ rights_hash(&board, setup.turn);
        let clocks = setup.clocks.unwrap_or(Clocks { halfmove_clock: 0, fullmove_number: 1 });
        Position {
            board,
            hash,
            fullmove_number: clocks.fullmove_number.max(1),
            halfmove_clock: clocks.halfmove_clock,
            turn: setup.turn,
        }
    }

    #[inline(always)]
    pub(crate) fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the piece placement.
    #[inline(always)]
    pub fn pieces(&self) -> &Pieces {
        self.board.pieces()
    }

    /// Returns the side to move.
    #[inline(always)]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Returns the rooks of both colors that may still castle.
    #[inline(always)]
    pub fn castling_rooks(&self) -> Bitboard {
        self.board.castling_rooks()
    }

    /// Returns the square that a pawn passed over on the previous move, whether or not an en
    /// passant capture is legal.
    #[inline]
    pub fn passed_square(&self) -> Option<Square> {
        self.board.last_double_step().passed(self.turn)
    }

    /// Returns the target square of an en passant capture if one is legal.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        self.passed_square().filter(|_| self.board.last_double_step().is_capturable())
    }

    /// Returns the number of moves by either side since the last capture or pawn move.
    #[inline]
    pub fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// Returns the number of the current move, which starts at 1 and increases after each move by
    /// Black.
    #[inline]
    pub fn fullmove_number(&self) -> u32 {
        self.fullmove_number
    }

    /// Returns the Zobrist hash. Equal positions have equal hashes, and different ones almost
    /// never do.
    #[inline(always)]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Computes the hash from scratch. It always equals [`hash`](Position::hash), which tests
    /// verify.
    pub fn recomputed_hash(&self) -> u64 {
        pieces_hash(self.pieces()) ^ rights_hash(&self.board, self.turn)
    }

    /// Returns `true` if the positions are the same under the repetition rule, which ignores the
    /// clocks (FIDE 9.2.3).
    pub(crate) fn is_same_position(&self, other: &Position) -> bool {
        self.hash == other.hash
            && self.pieces() == other.pieces()
            && self.turn == other.turn
            && self.castling_rooks() == other.castling_rooks()
            && self.en_passant() == other.en_passant()
    }

    /// Returns the position after a move of the side to move, `S`.
    ///
    /// The move must be legal; an illegal one gives a meaningless position. Nearly all moves are
    /// normal, so a branch between two paths predicts better than one between five.
    #[inline(always)]
    pub(crate) fn after<S: Side, O: Observer>(&self, mv: Move, observer: &mut O) -> Position {
        match mv.kind {
            MoveKind::Normal => {
                self.shifted::<S, O>(Move { kind: MoveKind::Normal, ..mv }, observer)
            }
            _ => self.after_special::<S, O>(mv, observer),
        }
    }

    /// Like [`after`](Position::after), but writes into an existing position.
    #[inline(always)]
    pub(crate) fn after_into<S: Side>(&self, mv: Move, next: &mut Position) {
        if mv.kind == MoveKind::Normal {
            let mv = Move { kind: MoveKind::Normal, ..mv };
            *next = self.shifted::<S, _>(mv, &mut NoObserver);
        } else {
            *next = self.after_special::<S, _>(mv, &mut NoObserver);
        }
    }

    #[inline(never)]
    fn after_special<S: Side, O: Observer>(&self, mv: Move, observer: &mut O) -> Position {
        match mv.kind {
            MoveKind::Castle => self.castled::<S, O>(mv, observer),
            _ => self.shifted::<S, O>(mv, observer),
        }
    }

    /// Returns the position after any move except castling.
    #[inline(always)]
    fn shifted<S: Side, O: Observer>(&self, mv: Move, observer: &mut O) -> Position {
        let board = self.board.shifted::<S>(mv);
        let before = Piece { color: S::COLOR, role: mv.role };
        let role = mv.promotion().map_or(mv.role, Promotion::role);
        let after = Piece { color: S::COLOR, role };
        let mut hash = self.hash_after(&board)
            ^ zobrist::piece(before, mv.from)
            ^ zobrist::piece(after, mv.to);
        observer.removed(before, mv.from);
        let mut is_quiet = mv.role != Role::Pawn;
        if let Some((captured, square)) = self.captured_of(<S::Other as Side>::COLOR, mv) {
            hash ^= zobrist::piece(captured, square);
            observer.removed(captured, square);
            is_quiet = false;
        }
        observer.placed(after, mv.to);
        Position {
            board,
            hash,
            fullmove_number: self.fullmove_number_after::<S>(),
            halfmove_clock: if is_quiet { self.halfmove_clock.saturating_add(1) } else { 0 },
            turn: <S::Other as Side>::COLOR,
        }
    }

    /// Returns the piece that a legal move captures, and its square.
    ///
    /// ```
    /// use castellan_rules::{Piece, Position, Square, UciMove};
    /// let position = Position::from_fen("4k3/8/8/3pP3/8/8/8/4K3 w - d6")?;
    /// let mv = UciMove::parse("e5d6")?.resolve(&position)?;
    /// let pawn = Piece::from_letter('p').unwrap();
    /// assert_eq!(position.captured(mv), Some((pawn, Square::D5)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn captured(&self, mv: Move) -> Option<(Piece, Square)> {
        self.captured_of(!self.turn, mv)
    }

    /// Returns `true` if a legal move is a capture.
    #[inline]
    pub fn is_capture(&self, mv: Move) -> bool {
        self.pieces().color(!self.turn).contains(mv.capture_square())
    }

    /// Returns the piece of a color that a move of the other color captures. Castling captures
    /// nothing, because it goes to the square of the side's own rook.
    #[inline(always)]
    fn captured_of(&self, color: Color, mv: Move) -> Option<(Piece, Square)> {
        let square = mv.capture_square();
        let is_capture = self.pieces().color(color).contains(square);
        is_capture.then(|| (Piece { color, role: self.pieces().captured_role(square) }, square))
    }

    fn castled<S: Side, O: Observer>(&self, mv: Move, observer: &mut O) -> Position {
        let king = Piece { color: S::COLOR, role: Role::King };
        let rook = Piece { color: S::COLOR, role: Role::Rook };
        let (king_to, rook_to) = castled_squares(mv.from, mv.to);
        observer.removed(king, mv.from);
        observer.removed(rook, mv.to);
        observer.placed(king, king_to);
        observer.placed(rook, rook_to);
        let board = self.board.castled::<S>(mv);
        let hash = self.hash_after(&board)
            ^ zobrist::piece(king, mv.from)
            ^ zobrist::piece(rook, mv.to)
            ^ zobrist::piece(king, king_to)
            ^ zobrist::piece(rook, rook_to);
        Position { board, hash, ..self.after_null_move() }
    }

    /// Returns the position after a null move: the other side is to move.
    pub(crate) fn after_null_move(&self) -> Position {
        let board = self.board.without_step();
        let fullmove_number = match self.turn {
            Color::White => self.fullmove_number_after::<White>(),
            Color::Black => self.fullmove_number_after::<Black>(),
        };
        Position {
            board,
            hash: self.hash_after(&board),
            fullmove_number,
            halfmove_clock: self.halfmove_clock.saturating_add(1),
            turn: !self.turn,
        }
    }

    /// Returns the hash updated for everything a move changes except the pieces: side to move,
    /// castling rights and en passant.
    #[inline(always)]
    fn hash_after(&self, board: &Board) -> u64 {
        let lost = self.castling_rooks() & !board.castling_rooks();
        let mut hash = self.hash ^ zobrist::turn(Color::Black);
        if lost.any() {
            hash ^= zobrist::castling(lost);
        }
        if self.board.last_double_step().is_capturable() {
            hash ^= self.board.last_double_step().key();
        }
        hash ^ board.last_double_step().key()
    }

    /// Returns the move number after a move of `S`.
    #[inline(always)]
    fn fullmove_number_after<S: Side>(&self) -> u32 {
        match S::COLOR {
            Color::White => self.fullmove_number,
            Color::Black => self.fullmove_number.saturating_add(1),
        }
    }
}

/// Returns the part of the hash that covers the pieces.
fn pieces_hash(pieces: &Pieces) -> u64 {
    let mut hash = 0;
    for color in Color::ALL {
        for role in Role::ALL {
            let piece = Piece { color, role };
            for square in pieces.piece(piece) {
                hash ^= zobrist::piece(piece, square);
            }
        }
    }
    hash
}

/// Returns the part of the hash that covers the side to move, castling rights and en passant.
#[inline(always)]
fn rights_hash(board: &Board, turn: Color) -> u64 {
    let rooks = board.castling_rooks();
    let castling = if rooks.any() { zobrist::castling(rooks) } else { 0 };
    zobrist::turn(turn) ^ board.last_double_step().key() ^ castling
}
