//! Castling in reverse.

use std::ops::ControlFlow;

use castellan_rules::{Bitboard, File, Move, MoveKind, Rank, Role, Square, castled_squares};

use super::super::retro_move::RetroMove;
use super::RetroMoves;

impl RetroMoves<'_> {
    /// Visits castling, which is rare enough to be verified with the rules crate. In Chess960 the
    /// king and rook may have come from any squares of their rank.
    pub(super) fn visit_castling<V>(&mut self, visitor: &mut V) -> ControlFlow<()>
    where
        V: FnMut(RetroMove) -> ControlFlow<()>,
    {
        let rank = Rank::First.relative_to(self.mover);
        let home = Bitboard::rank(rank);
        if (self.case.setup.castling_rooks & home).any() {
            return ControlFlow::Continue(());
        }
        let king = self.case.piece(self.mover, Role::King);
        let rooks = self.case.piece(self.mover, Role::Rook);
        for (king_file, rook_file, corner) in
            [(File::G, File::F, File::H), (File::C, File::D, File::A)]
        {
            let at = |file| Square::new(file, rank);
            if !(king.contains(at(king_file)) && rooks.contains(at(rook_file))) {
                continue;
            }
            let free = home & !self.occupied.without(at(king_file)).without(at(rook_file));
            let is_usual = self.case.is_standard;
            let kings = if is_usual { free & at(File::E).into() } else { free };
            let corners = if is_usual { free & at(corner).into() } else { free };
            for from in kings {
                for rook in corners.without(from) {
                    self.visit_castling_from(from, rook, (at(king_file), at(rook_file)), visitor)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn visit_castling_from<V>(
        &mut self,
        from: Square,
        rook: Square,
        castled: (Square, Square),
        visitor: &mut V,
    ) -> ControlFlow<()>
    where
        V: FnMut(RetroMove) -> ControlFlow<()>,
    {
        let mv = Move::new(from, rook, Role::King, MoveKind::Castle);
        let retro_move = RetroMove { mv, captured: None };
        if castled_squares(from, rook) == castled
            && let Ok(before) = retro_move.before(self.case).setup.position()
            && before.is_legal(mv)
        {
            visitor(retro_move)?;
        }
        ControlFlow::Continue(())
    }
}
