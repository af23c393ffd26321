//! Finds one legal move without generating the others.
//!
//! Notation names a role and a target, and sometimes an origin. Looking backward from the target
//! finds the few pieces that could be meant, and each of them is then tested for leaving its own
//! king safe.

use crate::board::castled_squares;
use crate::{
    Bitboard, CastlingSide, Color, File, Move, MoveKind, Piece, Position, Promotion, Rank, Role,
    Square, attacks,
};

impl Position {
    /// Returns the squares in `among` from which a piece of this role can legally move to `to`.
    /// Pawn moves and castling are not considered.
    #[inline]
    pub fn legal_origins(&self, role: Role, to: Square, among: Bitboard) -> Bitboard {
        let turn = self.turn();
        let ours = self.color(turn);
        if ours.contains(to) || role == Role::Pawn {
            return Bitboard::EMPTY;
        }
        // A piece attacks the target exactly if the same piece on the target would attack it.
        let piece = Piece { color: turn, role };
        let seen = attacks::of_piece(piece, to, self.occupied());
        let mut origins = seen & ours & self.role(role) & among;
        for from in origins {
            if !self.is_king_safe_after(role, from, to) {
                origins = origins.without(from);
            }
        }
        origins
    }

    /// Returns `true` if our king is not attacked after a piece moves from `from` to `to`. The
    /// move must be pseudo-legal, and neither castling nor en passant.
    #[inline(always)]
    pub(crate) fn is_king_safe_after(&self, role: Role, from: Square, to: Square) -> bool {
        let turn = self.turn();
        let occupied = self.occupied().without(from).with(to);
        let king = if role == Role::King { to } else { self.king(turn) };
        (self.pieces().attackers(!turn, king, occupied).without(to)).is_empty()
    }

    /// Returns the legal move of a pawn on `file` to `to`, if there is one.
    #[inline]
    pub fn legal_pawn_move(
        &self,
        file: File,
        to: Square,
        promotion: Option<Promotion>,
    ) -> Option<Move> {
        let turn = self.turn();
        let is_last = to.rank() == Rank::Eighth.relative_to(turn);
        if is_last != promotion.is_some() {
            return None;
        }
        let pawns = self.role(Role::Pawn) & self.color(turn);
        let back = turn.fold(-1, 1);
        let from = to.offset(file as i32 - to.file() as i32, back)?;
        let normal = promotion.map_or(MoveKind::Normal, MoveKind::Promotion);
        if file != to.file() {
            return self.legal_pawn_capture(from, to, normal).filter(|_| pawns.contains(from));
        }
        if self.occupied().contains(to) {
            return None;
        }
        let (from, kind) = if pawns.contains(from) {
            (from, normal)
        } else {
            (self.double_step_origin(to)?, MoveKind::DoubleStep)
        };
        let mv = Move::new(from, to, Role::Pawn, kind);
        self.is_king_safe_after(Role::Pawn, from, to).then_some(mv)
    }

    /// Returns the square of the pawn that can reach `to` by a double step.
    #[inline]
    pub(crate) fn double_step_origin(&self, to: Square) -> Option<Square> {
        let turn = self.turn();
        let back = turn.fold(-1, 1);
        let (passed, from) = (to.offset(0, back)?, to.offset(0, 2 * back)?);
        let pawns = self.role(Role::Pawn) & self.color(turn);
        let is_possible = to.rank() == Rank::Fourth.relative_to(turn)
            && !self.occupied().contains(passed)
            && pawns.contains(from);
        is_possible.then_some(from)
    }

    /// Returns the legal capture on `to` by the pawn on `from`.
    #[inline]
    fn legal_pawn_capture(&self, from: Square, to: Square, normal: MoveKind) -> Option<Move> {
        if !attacks::pawn(self.turn(), from).contains(to) {
            return None;
        }
        if self.color(!self.turn()).contains(to) {
            let mv = Move::new(from, to, Role::Pawn, normal);
            return self.is_king_safe_after(Role::Pawn, from, to).then_some(mv);
        }
        let is_en_passant =
            self.en_passant() == Some(to) && self.en_passant_origins(to).contains(from);
        is_en_passant.then_some(Move::new(from, to, Role::Pawn, MoveKind::EnPassant))
    }

    /// Returns the castling move on a side, or `None` if it is not legal.
    pub fn legal_castling(&self, side: CastlingSide) -> Option<Move> {
        let turn = self.turn();
        let king = self.king(turn);
        let rights = self.castling_rooks() & self.color(turn);
        let rook =
            rights.into_iter().find(|&rook| (rook > king) == (side == CastlingSide::King))?;
        let (king_to, rook_to) = castled_squares(king, rook);
        let path = attacks::between(king, king_to).with(king_to);
        let way = path | attacks::between(rook, rook_to).with(rook_to);
        let others = self.occupied().without(king).without(rook);
        if (way & others).any() {
            return None;
        }
        let is_attacked = |square: Square, occupied: Bitboard| {
            self.pieces().attackers(!turn, square, occupied).any()
        };
        // The rook may be what shields the king's path. It stays in place while the king passes,
        // but is gone once the king has arrived.
        let walking = others.with(rook);
        let is_safe = path.with(king).into_iter().all(|square| !is_attacked(square, walking))
            && !is_attacked(king_to, others.with(rook_to));
        is_safe.then_some(Move::new(king, rook, Role::King, MoveKind::Castle))
    }

    /// Returns the legal move from one square to another, or `None` if there is none. Castling is
    /// not considered.
    #[inline]
    pub fn legal_move(
        &self,
        from: Square,
        to: Square,
        promotion: Option<Promotion>,
    ) -> Option<Move> {
        let piece = self.piece_at(from).filter(|piece| piece.color == self.turn())?;
        if piece.role == Role::Pawn {
            let found = self.legal_pawn_move(from.file(), to, promotion);
            return found.filter(|mv| mv.from() == from);
        }
        let is_legal =
            promotion.is_none() && self.legal_origins(piece.role, to, from.into()).contains(from);
        is_legal.then_some(Move::new(from, to, piece.role, MoveKind::Normal))
    }

    /// Returns `true` if the move is legal in this position. It need not come from this crate.
    pub fn is_legal(&self, mv: Move) -> bool {
        let found = match mv.castling_side() {
            Some(side) => self.legal_castling(side),
            None => self.legal_move(mv.from(), mv.to(), mv.promotion()),
        };
        found == Some(mv)
    }

    /// Returns the pawns that may capture en passant on a square.
    fn en_passant_origins(&self, passed: Square) -> Bitboard {
        use crate::side::{Black, White};
        match self.turn() {
            Color::White => self.board().en_passant_capturers::<White>(passed),
            Color::Black => self.board().en_passant_capturers::<Black>(passed),
        }
    }
}
