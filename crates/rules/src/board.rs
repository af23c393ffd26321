//! The part of a position that determines the legal moves, and how a move changes it.
//!
//! This module is responsible for the pieces, the castling rights and the last double step. It
//! leaves the hash and the clocks to [`Position`](crate::Position), because counting positions
//! (perft) needs neither and is faster without them.

use crate::side::Side;
use crate::{
    Bitboard, Color, File, Move, MoveKind, Piece, Pieces, Promotion, Rank, Role, Square, attacks,
    zobrist,
};

/// The double step of a pawn on the previous move, in one byte: none, or the file and whether an
/// en passant capture is legal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct LastDoubleStep(u8);

impl LastDoubleStep {
    pub(crate) const NONE: LastDoubleStep = LastDoubleStep(0);
    // Bits 0 to 2 are the file.
    /// Set if there was a double step.
    const STEP: u8 = 8;
    /// Set if an en passant capture is legal.
    const LEGAL: u8 = 16;

    #[inline(always)]
    fn new(file: File, is_capturable: bool) -> LastDoubleStep {
        LastDoubleStep(
            file as u8
                | LastDoubleStep::STEP
                | if is_capturable { LastDoubleStep::LEGAL } else { 0 },
        )
    }

    /// Returns `true` if the pawn can be captured en passant.
    #[inline(always)]
    pub(crate) fn is_capturable(self) -> bool {
        self.0 & LastDoubleStep::LEGAL != 0
    }

    /// Returns the contribution to the hash: zero unless a capture is legal, because only then
    /// does the step make the position different.
    #[inline(always)]
    pub(crate) fn key(self) -> u64 {
        if self.is_capturable() {
            zobrist::en_passant(File::ALL[usize::from(self.0 & 7)])
        } else {
            0
        }
    }

    /// Returns the square that was passed over, given that `turn` is the side to move.
    #[inline(always)]
    pub(crate) fn passed(self, turn: Color) -> Option<Square> {
        let square = Square::new(File::ALL[usize::from(self.0 & 7)], Rank::Sixth.relative_to(turn));
        (self != LastDoubleStep::NONE).then_some(square)
    }
}

/// The pieces, the castling rights and the last double step.
#[derive(Clone, Copy)]
pub(crate) struct Board {
    pieces: Pieces,
    castling_rooks: Bitboard,
    last_double_step: LastDoubleStep,
}

impl Board {
    pub(crate) const fn new(pieces: Pieces, castling_rooks: Bitboard) -> Board {
        Board { pieces, castling_rooks, last_double_step: LastDoubleStep::NONE }
    }

    /// Returns the board after the opponent of `S` has made a double step over `passed`.
    pub(crate) fn with_step_over<S: Side>(self, passed: Square) -> Board {
        let capturers = self.en_passant_capturers::<S>(passed);
        Board { last_double_step: LastDoubleStep::new(passed.file(), capturers.any()), ..self }
    }

    /// Returns the board with the right to capture en passant removed.
    pub(crate) fn without_step(self) -> Board {
        Board { last_double_step: LastDoubleStep::NONE, ..self }
    }

    #[inline(always)]
    pub(crate) fn pieces(&self) -> &Pieces {
        &self.pieces
    }

    #[inline(always)]
    pub(crate) fn castling_rooks(&self) -> Bitboard {
        self.castling_rooks
    }

    #[inline(always)]
    pub(crate) fn last_double_step(&self) -> LastDoubleStep {
        self.last_double_step
    }

    /// Returns the target square of a legal en passant capture by the side to move, `S`.
    #[inline(always)]
    pub(crate) fn en_passant<S: Side>(&self) -> Option<Square> {
        if self.last_double_step.is_capturable() {
            self.last_double_step.passed(S::COLOR)
        } else {
            None
        }
    }

    /// Returns the pawns of the side to move, `S`, that may capture en passant.
    #[inline(always)]
    pub(crate) fn en_passant_capturers<S: Side>(&self, passed: Square) -> Bitboard {
        self.capturers::<S>(passed, S::back(passed.into()))
    }

    /// Returns the pawns of `S` that may capture a pawn that has passed over `passed`. `victim`
    /// is the square where that pawn stands on this board, which may be before or after its step.
    ///
    /// Two pieces leave the same rank at once, which pin detection does not cover, so attacks on
    /// the king are tested on the board as it would be after the capture.
    #[inline(never)]
    fn capturers<S: Side>(&self, passed: Square, victim: Bitboard) -> Bitboard {
        let ours = self.pieces.color(S::COLOR);
        let king = (ours & self.pieces.role(Role::King)).first_or_a1();
        let beside = attacks::pawn(<S::Other as Side>::COLOR, passed);
        let mut capturers = Bitboard::EMPTY;
        for from in beside & ours & self.pieces.role(Role::Pawn) {
            let occupied = self.pieces.occupied() & !victim & !Bitboard::of(from) | passed.into();
            let attackers = self.pieces.attackers(<S::Other as Side>::COLOR, king, occupied);
            if (attackers & !victim).is_empty() {
                capturers |= from.into();
            }
        }
        capturers
    }

    /// Returns the board after a move of the side to move, `S`. The move must be legal; an
    /// illegal one gives a meaningless board.
    #[inline(always)]
    pub(crate) fn after<S: Side>(&self, mv: Move) -> Board {
        if mv.kind == MoveKind::Castle { self.castled::<S>(mv) } else { self.shifted::<S>(mv) }
    }

    /// Returns the board after any move except castling.
    ///
    /// The new board is written all at once. Changing bitboards one by one in a copy costs more
    /// than twice as much, because wide loads that read them back have to wait for the narrow
    /// stores.
    #[inline(always)]
    pub(crate) fn shifted<S: Side>(&self, mv: Move) -> Board {
        let mut emptied = Bitboard::of(mv.from) | mv.to.into();
        let mut last_double_step = LastDoubleStep::NONE;
        match mv.kind {
            MoveKind::DoubleStep => last_double_step = self.step_taken::<S>(mv),
            MoveKind::EnPassant => emptied |= S::back(mv.to.into()),
            MoveKind::Normal | MoveKind::Promotion(_) | MoveKind::Castle => {}
        }
        let role = mv.promotion().map_or(mv.role, Promotion::role);
        let home = if mv.role == Role::King { S::rank(Rank::First) } else { Bitboard::EMPTY };
        Board {
            pieces: self.pieces.replaced(emptied, Piece { color: S::COLOR, role }, mv.to),
            castling_rooks: self.castling_rooks & !(emptied | home),
            last_double_step,
        }
    }

    /// Returns the board after castling.
    #[inline(never)]
    pub(crate) fn castled<S: Side>(&self, mv: Move) -> Board {
        let (king_to, rook_to) = castled_squares(mv.from, mv.to);
        let mut pieces = self.pieces;
        pieces.clear(mv.from);
        pieces.clear(mv.to);
        pieces.put(Piece { color: S::COLOR, role: Role::King }, king_to);
        pieces.put(Piece { color: S::COLOR, role: Role::Rook }, rook_to);
        Board::new(pieces, self.castling_rooks & !S::rank(Rank::First))
    }

    /// Returns the en passant state after a double step of `S`: whether an enemy pawn stands
    /// beside the target, and if so, whether it may capture.
    #[inline(always)]
    fn step_taken<S: Side>(&self, step: Move) -> LastDoubleStep {
        let passed = S::forward(Bitboard::of(step.from)).first_or_a1();
        let theirs = self.pieces.color(<S::Other as Side>::COLOR) & self.pieces.role(Role::Pawn);
        let is_capturable = (attacks::pawn(S::COLOR, passed) & theirs).any()
            && self.capturers::<S::Other>(passed, step.from.into()).any();
        LastDoubleStep::new(passed.file(), is_capturable)
    }
}

/// Returns where the king and the rook go when the king castles with the rook on a square: to the
/// g- and f-files or to the c- and d-files, wherever they start (FIDE Guidelines II.3.2).
#[inline]
pub fn castled_squares(king: Square, rook: Square) -> (Square, Square) {
    let (king_file, rook_file) = if rook > king { (File::G, File::F) } else { (File::C, File::D) };
    (Square::new(king_file, king.rank()), Square::new(rook_file, king.rank()))
}
