//! What decides which moves there are, and how a move changes it.
//!
//! Owns: the pieces, the castling rights, the last double step. Does not know: the hash and the
//! clocks, which [`Position`](crate::Position) adds. Counting positions needs neither and is
//! quicker without.

use crate::side::Side;
use crate::{
    Bitboard, Color, File, Move, MoveKind, Piece, Pieces, Promotion, Rank, Role, Square, attacks,
    zobrist,
};

/// A pawn's double step on the move before, in one byte: nothing, or the file, and whether
/// an en passant capture is legal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct LastStep(u8);

impl LastStep {
    pub(crate) const NONE: LastStep = LastStep(0);
    const LEGAL: u8 = 16;
    const STEP: u8 = 8;

    #[inline(always)]
    fn new(file: File, is_legal: bool) -> LastStep {
        LastStep(file as u8 | LastStep::STEP | if is_legal { LastStep::LEGAL } else { 0 })
    }

    #[inline(always)]
    pub(crate) fn is_legal(self) -> bool {
        self.0 & LastStep::LEGAL != 0
    }

    /// Its part of the hash: only a legal capture makes a position another one.
    #[inline(always)]
    pub(crate) fn key(self) -> u64 {
        if self.is_legal() { zobrist::en_passant(File::ALL[usize::from(self.0 & 7)]) } else { 0 }
    }

    /// The square passed over, if the side to move is `turn`.
    #[inline(always)]
    pub(crate) fn passed(self, turn: Color) -> Option<Square> {
        let square = Square::new(File::ALL[usize::from(self.0 & 7)], Rank::Sixth.relative_to(turn));
        (self != LastStep::NONE).then_some(square)
    }
}

/// See the top of this file.
#[derive(Clone, Copy)]
pub(crate) struct Scene {
    pieces: Pieces,
    castling_rooks: Bitboard,
    last_step: LastStep,
}

impl Scene {
    pub(crate) const fn new(pieces: Pieces, castling_rooks: Bitboard) -> Scene {
        Scene { pieces, castling_rooks, last_step: LastStep::NONE }
    }

    /// The same, after the opponent of `S` has passed over a square with a pawn.
    pub(crate) fn with_step_over<S: Side>(self, passed: Square) -> Scene {
        let capturers = self.en_passant_capturers::<S>(passed);
        Scene { last_step: LastStep::new(passed.file(), capturers.any()), ..self }
    }

    /// The same, with the chance of an en passant capture gone.
    pub(crate) fn without_step(self) -> Scene {
        Scene { last_step: LastStep::NONE, ..self }
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
    pub(crate) fn last_step(&self) -> LastStep {
        self.last_step
    }

    /// The square of a legal en passant capture by `S`, who is to move.
    #[inline(always)]
    pub(crate) fn en_passant<S: Side>(&self) -> Option<Square> {
        if self.last_step.is_legal() { self.last_step.passed(S::COLOR) } else { None }
    }

    /// The pawns of the side to move, `S`, that may capture en passant.
    #[inline(always)]
    pub(crate) fn en_passant_capturers<S: Side>(&self, passed: Square) -> Bitboard {
        self.capturers::<S>(passed, S::back(passed.into()))
    }

    /// The pawns of `S` that may capture a pawn which has passed over a square and whose bit on
    /// the board, before or after its step, is `victim`.
    ///
    /// Two men leave the capturing pawn's rank at once, which no pin foresees, so the king is
    /// looked at on the board as it would be.
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

    /// The scene after a move of `S`, who is to move. The move must be legal here; another one
    /// gives a scene without sense.
    #[inline(always)]
    pub(crate) fn after<S: Side>(&self, mv: Move) -> Scene {
        if mv.kind == MoveKind::Castle { self.castled::<S>(mv) } else { self.shifted::<S>(mv) }
    }

    /// The scene after any move but castling.
    ///
    /// It is written once, in one piece: changing sets one by one in a copy costs more than
    /// twice as much, because what reads them back in wide registers waits for the narrow
    /// writes.
    #[inline(always)]
    pub(crate) fn shifted<S: Side>(&self, mv: Move) -> Scene {
        let mut emptied = Bitboard::of(mv.from) | mv.to.into();
        let mut last_step = LastStep::NONE;
        match mv.kind {
            MoveKind::DoubleStep => last_step = self.step_taken::<S>(mv),
            MoveKind::EnPassant => emptied |= S::back(mv.to.into()),
            MoveKind::Normal | MoveKind::Promotion(_) | MoveKind::Castle => {}
        }
        let role = mv.promotion().map_or(mv.role, Promotion::role);
        let home = if mv.role == Role::King { S::rank(Rank::First) } else { Bitboard::EMPTY };
        Scene {
            pieces: self.pieces.replaced(emptied, Piece { color: S::COLOR, role }, mv.to),
            castling_rooks: self.castling_rooks & !(emptied | home),
            last_step,
        }
    }

    /// The scene after castling.
    #[inline(never)]
    pub(crate) fn castled<S: Side>(&self, mv: Move) -> Scene {
        let (king_to, rook_to) = castled_squares(mv.from, mv.to);
        let mut pieces = self.pieces;
        pieces.clear(mv.from);
        pieces.clear(mv.to);
        pieces.put(Piece { color: S::COLOR, role: Role::King }, king_to);
        pieces.put(Piece { color: S::COLOR, role: Role::Rook }, rook_to);
        Scene::new(pieces, self.castling_rooks & !S::rank(Rank::First))
    }

    /// What a double step of `S` leaves behind: whether a pawn stands beside its target, and if
    /// so, whether it may capture.
    #[inline(always)]
    fn step_taken<S: Side>(&self, step: Move) -> LastStep {
        let passed = S::forward(Bitboard::of(step.from)).first_or_a1();
        let theirs = self.pieces.color(<S::Other as Side>::COLOR) & self.pieces.role(Role::Pawn);
        let is_legal = (attacks::pawn(S::COLOR, passed) & theirs).any()
            && self.capturers::<S::Other>(passed, step.from.into()).any();
        LastStep::new(passed.file(), is_legal)
    }
}

/// Where king and rook go when the king castles with the rook on a square: to the g- and
/// f-files or to the c- and d-files, wherever they come from (FIDE Guidelines II.3.2).
#[inline]
pub(crate) fn castled_squares(king: Square, rook: Square) -> (Square, Square) {
    let (king_file, rook_file) = if rook > king { (File::G, File::F) } else { (File::C, File::D) };
    (Square::new(king_file, king.rank()), Square::new(rook_file, king.rank()))
}
