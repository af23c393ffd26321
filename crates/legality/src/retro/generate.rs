//! Generates every move that may have been the last one.
//!
//! This module generates moves of all kinds in reverse. Invariant, which tests verify in both
//! directions: a move is generated if and only if it is legal in the position before it and leads
//! to this one, provided that in the position before it the kings are not adjacent, the opponent of
//! the mover is not in check, and the pieces and promotions fit the initial set.
//!
//! The role of a captured piece matters to neither king: the piece stood where the mover stands
//! now, and any check it gave was answered by capturing it.

mod castling;

use std::ops::ControlFlow;

use castellan_rules::{
    Bitboard, Color, Move, MoveKind, Piece, Promotion, Rank, Role, Square, attacks,
};

use super::explain::WhyNotMoved;
use super::retro_move::RetroMove;
use crate::Case;
use crate::material::Material;

/// The data that all moves of the last mover share, computed once.
pub(super) struct RetroMoves<'a> {
    case: &'a Case,
    mover: Color,
    occupied: Bitboard,
    ours: Bitboard,
    /// The king of the side to move now, which must not have been attacked before the last move.
    king: Square,
    /// The pieces that attack this king now.
    pub(super) checkers: Bitboard,
    /// The material of the side to move and of the mover, counted when first needed.
    theirs: Option<Material>,
    own: Option<Material>,
}

impl<'a> RetroMoves<'a> {
    /// Prepares to generate the moves that may have led to a case.
    #[inline]
    pub(super) fn of(case: &'a Case) -> RetroMoves<'a> {
        let pieces = &case.setup.pieces;
        let mover = case.last_mover();
        let occupied = pieces.occupied();
        let king = king_of(case, case.setup.turn);
        let checkers = pieces.attackers(mover, king, occupied);
        let ours = pieces.color(mover);
        RetroMoves { case, mover, occupied, ours, king, checkers, theirs: None, own: None }
    }

    /// Returns the king that must not have been attacked before the last move.
    pub(super) fn king(&self) -> Square {
        self.king
    }

    /// Returns whether there is any such move.
    #[inline]
    pub(super) fn exist(&mut self) -> bool {
        self.visit(&mut |_| ControlFlow::Break(())).is_break()
    }

    /// Returns whether there is a move that neither captured nor moved a pawn.
    pub(super) fn exist_quiet(&mut self) -> bool {
        let stop = &mut |_| ControlFlow::Break(());
        self.case.setup.en_passant.is_none()
            && (self.visit_quiet(stop).is_break() || self.visit_castling(stop).is_break())
    }

    /// Returns whether there is a move that captured or moved a pawn.
    pub(super) fn exist_zeroing(&mut self) -> bool {
        let stop = &mut |_| ControlFlow::Break(());
        match self.case.setup.en_passant {
            Some(passed) => self.visit_step_over(passed, stop).is_break(),
            None => self.visit_zeroing(stop).is_break(),
        }
    }

    /// Returns all moves, captures last.
    pub(super) fn all(&mut self) -> Vec<RetroMove> {
        let mut all = Vec::new();
        let flow = self.visit(&mut |retro_move| {
            all.push(retro_move);
            ControlFlow::Continue(())
        });
        debug_assert!(flow.is_continue(), "the visitor never stops");
        all
    }

    /// Returns at most `most` of the moves by pieces other than pawns that captured nothing.
    pub(super) fn some_quiet(&mut self, most: usize) -> Vec<RetroMove> {
        let mut some = Vec::with_capacity(most);
        if self.case.setup.en_passant.is_some() {
            return some;
        }
        let flow = self.visit_quiet(&mut |retro_move| {
            some.push(retro_move);
            if some.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        debug_assert!(flow.is_continue() || some.len() == most, "only the limit stops");
        some
    }

    /// Passes each move to a visitor until the visitor stops.
    #[inline]
    fn visit<V>(&mut self, visitor: &mut V) -> ControlFlow<()>
    where
        V: FnMut(RetroMove) -> ControlFlow<()>,
    {
        if let Some(passed) = self.case.setup.en_passant {
            return self.visit_step_over(passed, visitor);
        }
        self.visit_quiet(visitor)?;
        self.visit_castling(visitor)?;
        self.visit_zeroing(visitor)
    }

    /// Visits captures and pawn moves.
    #[inline]
    fn visit_zeroing<V>(&mut self, visitor: &mut V) -> ControlFlow<()>
    where
        V: FnMut(RetroMove) -> ControlFlow<()>,
    {
        self.visit_pawn_steps(visitor)?;
        self.visit_captures(visitor)?;
        self.visit_pawn_captures(visitor)?;
        self.visit_promotions(visitor)
    }

    /// Visits the double step that an en passant square records.
    fn visit_step_over<V>(&mut self, passed: Square, visitor: &mut V) -> ControlFlow<()>
    where
        V: FnMut(RetroMove) -> ControlFlow<()>,
    {
        let forward = self.mover.fold(1, -1);
        let squares = passed.offset(0, -forward).zip(passed.offset(0, forward));
        if let Some((from, to)) = squares {
            self.visit_quiet_pawn(from, to, MoveKind::DoubleStep, visitor)?;
        }
        ControlFlow::Continue(())
    }

    /// Visits moves of pieces other than pawns that captured nothing.
    #[inline]
    fn visit_quiet<V>(&mut self, visitor: &mut V) -> ControlFlow<()>
    where
        V: FnMut(RetroMove) -> ControlFlow<()>,
    {
        for role in [Role::Knight, Role::Queen, Role::Rook, Role::Bishop, Role::King] {
            for to in self.movable(role) {
                for from in self.origins(role, to) {
                    let occupied = self.occupied.without(to).with(from);
                    if self.is_king_alone(role, from, to, occupied) {
                        let mv = Move::new(from, to, role, MoveKind::Normal);
                        visitor(RetroMove { mv, captured: None })?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits moves of pieces other than pawns that captured something.
    fn visit_captures<V>(&mut self, visitor: &mut V) -> ControlFlow<()>
    where
        V: FnMut(RetroMove) -> ControlFlow<()>,
    {
        if self.theirs().is_complete() {
            return ControlFlow::Continue(());
        }
        for role in [Role::Knight, Role::Queen, Role::Rook, Role::Bishop, Role::King] {
            for to in self.movable(role) {
                for from in self.origins(role, to) {
                    if self.is_king_alone(role, from, to, self.occupied.with(from)) {
                        let mv = Move::new(from, to, role, MoveKind::Normal);
                        self.visit_victims(mv, visitor)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits a capturing move once for each kind of piece it can have captured.
    fn visit_victims<V>(&mut self, mv: Move, visitor: &mut V) -> ControlFlow<()>
    where
        V: FnMut(RetroMove) -> ControlFlow<()>,
    {
        for role in self.theirs().victims(mv.to()) {
            visitor(RetroMove { mv, captured: Some(role) })?;
        }
        ControlFlow::Continue(())
    }

    fn visit_pawn_steps<V>(&mut self, visitor: &mut V) -> ControlFlow<()>
    where
        V: FnMut(RetroMove) -> ControlFlow<()>,
    {
        let back = self.mover.fold(-1, 1);
        let home = Bitboard::rank(Rank::Second.relative_to(self.mover));
        let fourth = Bitboard::rank(Rank::Fourth.relative_to(self.mover));
        for to in self.case.piece(self.mover, Role::Pawn) & !home {
            let Some(from) = to.offset(0, back).filter(|&from| !self.occupied.contains(from))
            else {
                continue;
            };
            self.visit_quiet_pawn(from, to, MoveKind::Normal, visitor)?;
            if fourth.contains(to)
                && let Some(from) =
                    from.offset(0, back).filter(|&from| !self.occupied.contains(from))
            {
                self.visit_quiet_pawn(from, to, MoveKind::DoubleStep, visitor)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn visit_quiet_pawn<V>(
        &mut self,
        from: Square,
        to: Square,
        kind: MoveKind,
        visitor: &mut V,
    ) -> ControlFlow<()>
    where
        V: FnMut(RetroMove) -> ControlFlow<()>,
    {
        if self.is_king_alone(Role::Pawn, from, to, self.occupied.without(to).with(from)) {
            visitor(RetroMove { mv: Move::new(from, to, Role::Pawn, kind), captured: None })?;
        }
        ControlFlow::Continue(())
    }

    fn visit_pawn_captures<V>(&mut self, visitor: &mut V) -> ControlFlow<()>
    where
        V: FnMut(RetroMove) -> ControlFlow<()>,
    {
        if self.theirs().is_complete() {
            return ControlFlow::Continue(());
        }
        let home = Bitboard::rank(Rank::Second.relative_to(self.mover));
        for to in self.case.piece(self.mover, Role::Pawn) & !home {
            for from in attacks::pawn(!self.mover, to) & !self.occupied {
                if self.is_king_alone(Role::Pawn, from, to, self.occupied.with(from)) {
                    self.visit_victims(Move::new(from, to, Role::Pawn, MoveKind::Normal), visitor)?;
                }
                self.visit_en_passant(from, to, visitor)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits an en passant capture, which requires that the captured pawn's path from its home
    /// is empty now.
    fn visit_en_passant<V>(&mut self, from: Square, to: Square, visitor: &mut V) -> ControlFlow<()>
    where
        V: FnMut(RetroMove) -> ControlFlow<()>,
    {
        let victim = Square::new(to.file(), from.rank());
        let home = to.offset(0, self.mover.fold(1, -1));
        let is_possible = to.rank() == Rank::Sixth.relative_to(self.mover)
            && !self.occupied.contains(victim)
            && home.is_some_and(|home| !self.occupied.contains(home))
            && self.theirs().can_regain(Role::Pawn, victim);
        let occupied = self.occupied.without(to).with(from).with(victim);
        if is_possible && self.is_king_alone(Role::Pawn, from, to, occupied) {
            let mv = Move::new(from, to, Role::Pawn, MoveKind::EnPassant);
            visitor(RetroMove { mv, captured: Some(Role::Pawn) })?;
        }
        ControlFlow::Continue(())
    }

    fn visit_promotions<V>(&mut self, visitor: &mut V) -> ControlFlow<()>
    where
        V: FnMut(RetroMove) -> ControlFlow<()>,
    {
        let last = Bitboard::rank(Rank::Eighth.relative_to(self.mover));
        for promotion in Promotion::ALL {
            for to in self.case.piece(self.mover, promotion.role()) & last {
                if self.own().can_demote(promotion, to) {
                    self.visit_demotions(promotion, to, visitor)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn visit_demotions<V>(
        &mut self,
        promotion: Promotion,
        to: Square,
        visitor: &mut V,
    ) -> ControlFlow<()>
    where
        V: FnMut(RetroMove) -> ControlFlow<()>,
    {
        let kind = MoveKind::Promotion(promotion);
        let straight = to.offset(0, self.mover.fold(-1, 1));
        if let Some(from) = straight.filter(|&from| !self.occupied.contains(from)) {
            self.visit_quiet_pawn(from, to, kind, visitor)?;
        }
        for from in attacks::pawn(!self.mover, to) & !self.occupied {
            if self.is_king_alone(Role::Pawn, from, to, self.occupied.with(from)) {
                self.visit_victims(Move::new(from, to, Role::Pawn, kind), visitor)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns the pieces of a role that may have moved; pieces with a castling right never have.
    #[inline]
    fn movable(&self, role: Role) -> Bitboard {
        let rights = self.case.setup.castling_rooks & self.ours;
        if role == Role::King && rights.any() {
            return Bitboard::EMPTY;
        }
        self.case.piece(self.mover, role) & !rights
    }

    /// Returns the empty squares from which a piece can have come. If another piece gives check,
    /// this one must have uncovered the check, so it came from between that piece and the king.
    #[inline]
    fn origins(&self, role: Role, to: Square) -> Bitboard {
        let piece = Piece { color: self.mover, role };
        let mut origins = attacks::of_piece(piece, to, self.occupied) & !self.occupied;
        for checker in self.checkers.without(to) {
            origins &= attacks::between(checker, self.king);
        }
        origins
    }

    /// Returns whether the king to move now was not attacked before the last move, when the piece
    /// now on `to` stood on `from` in the given role and these squares were occupied.
    #[inline]
    fn is_king_alone(&self, role: Role, from: Square, to: Square, occupied: Bitboard) -> bool {
        let pieces = &self.case.setup.pieces;
        let king = self.king;
        let (lines, diagonals) = (attacks::rook(king, occupied), attacks::bishop(king, occupied));
        let queens = pieces.role(Role::Queen);
        let others = self.ours.without(to)
            & (attacks::pawn(!self.mover, king) & pieces.role(Role::Pawn)
                | attacks::knight(king) & pieces.role(Role::Knight)
                | lines & (pieces.role(Role::Rook) | queens)
                | diagonals & (pieces.role(Role::Bishop) | queens));
        let own = match role {
            Role::Pawn => attacks::pawn(!self.mover, king),
            Role::Knight => attacks::knight(king),
            Role::Bishop => diagonals,
            Role::Rook => lines,
            Role::Queen => lines | diagonals,
            Role::King => attacks::king(king),
        };
        others.is_empty() && !own.contains(from)
    }

    /// Returns why a piece did not make the last move, given that no piece did.
    pub(super) fn why_not_moved(&mut self, role: Role, to: Square) -> WhyNotMoved {
        let rights = self.case.setup.castling_rooks & self.ours;
        if rights.contains(to) || role == Role::King && rights.any() {
            return WhyNotMoved::MayCastle;
        }
        let home = Bitboard::rank(Rank::Second.relative_to(self.mover));
        if role == Role::Pawn && home.contains(to) {
            return WhyNotMoved::HomePawn;
        }
        let piece = Piece { color: self.mover, role };
        let origins = if role == Role::Pawn {
            let behind = to.offset(0, self.mover.fold(-1, 1)).map_or(Bitboard::EMPTY, Bitboard::of);
            let sides = attacks::pawn(!self.mover, to);
            if self.theirs().is_complete() { behind } else { behind | sides }
        } else {
            attacks::of_piece(piece, to, self.occupied)
        };
        let free = origins & !self.occupied;
        if free.is_empty() {
            WhyNotMoved::ShutIn
        } else if role == Role::King && (free & !attacks::king(self.king)).is_empty() {
            WhyNotMoved::BesideKing
        } else {
            WhyNotMoved::KingInCheck
        }
    }

    fn theirs(&mut self) -> Material {
        *self
            .theirs
            .get_or_insert_with(|| Material::of(&self.case.setup.pieces, self.case.setup.turn))
    }

    fn own(&mut self) -> Material {
        *self.own.get_or_insert_with(|| Material::of(&self.case.setup.pieces, self.mover))
    }
}

/// Returns the square of a side's king.
fn king_of(case: &Case, color: Color) -> Square {
    case.piece(color, Role::King).first().expect("each side of a case has a king")
}
