//! The part of a case that this module examines: cases with equal keys have equal answers.

use castellan_rules::{Bitboard, Color, Rank, Role};

use crate::Case;
use crate::material::Material;

/// The pawns, the number of pieces of each other kind, and the pieces that may never have moved.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct CaptureKey {
    pawns: [Bitboard; 2],
    material: [Material; 2],
    castling_rooks: Bitboard,
    /// The kings, if either side may castle; empty otherwise.
    kings: Bitboard,
    /// The bishops on the first and last ranks: at home, or where they may have promoted.
    edge_bishops: [Bitboard; 2],
    is_standard: bool,
}

impl CaptureKey {
    /// Extracts the key from a case.
    pub(crate) fn of(case: &Case) -> CaptureKey {
        let case = case.before_double_step();
        let setup = &case.setup;
        let edges = Bitboard::rank(Rank::First) | Bitboard::rank(Rank::Eighth);
        let kings = setup.pieces.role(Role::King);
        CaptureKey {
            pawns: Color::ALL.map(|color| case.piece(color, Role::Pawn)),
            material: Color::ALL.map(|color| Material::of(&setup.pieces, color)),
            castling_rooks: setup.castling_rooks,
            kings: if setup.castling_rooks.any() { kings } else { Bitboard::EMPTY },
            edge_bishops: Color::ALL.map(|color| case.piece(color, Role::Bishop) & edges),
            is_standard: case.is_standard,
        }
    }
}
