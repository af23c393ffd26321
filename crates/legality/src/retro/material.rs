//! What a side can have had on the board besides its current pieces.
//!
//! A side begins with sixteen pieces, and every piece beyond the initial set was one of its eight
//! pawns (FIDE 2.2 and 3.7.3.3). Bishops are counted by the color of their squares.

use castellan_rules::{Bitboard, Color, Promotion, Rank, Role, Square};

use crate::Case;

/// The piece counts of one side.
#[derive(Clone, Copy)]
pub(super) struct Material {
    total: usize,
    pawns: usize,
    /// The numbers of knights, dark bishops, light bishops, rooks and queens.
    pieces: [usize; 5],
}

/// How many of each kind a side begins with.
const FIRST_SET: [usize; 5] = [2, 1, 1, 2, 1];

/// The roles a captured piece can have had.
const VICTIMS: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

impl Material {
    /// Counts the pieces of a side.
    pub(super) fn of(case: &Case, color: Color) -> Material {
        let count = |role| case.piece(color, role).count();
        let bishops = case.piece(color, Role::Bishop);
        let dark = (bishops & Bitboard::DARK).count();
        Material {
            total: case.setup.pieces.color(color).count(),
            pawns: count(Role::Pawn),
            pieces: [
                count(Role::Knight),
                dark,
                bishops.count() - dark,
                count(Role::Rook),
                count(Role::Queen),
            ],
        }
    }

    /// Returns whether no piece of this side has been captured.
    pub(super) fn is_complete(&self) -> bool {
        self.total >= 16
    }

    /// Returns the roles that a piece of this side captured on a square can have had.
    pub(super) fn victims(&self, square: Square) -> impl Iterator<Item = Role> + use<> {
        let material = *self;
        let is_back = matches!(square.rank(), Rank::First | Rank::Eighth);
        VICTIMS.into_iter().filter(move |&role| {
            !(is_back && role == Role::Pawn) && material.can_regain(role, square)
        })
    }

    /// Returns whether the side can have had one more piece of this role on this square. A side
    /// with sixteen pieces cannot: they are the initial set, pawns and promoted pawns, and there
    /// were no others.
    pub(super) fn can_regain(&self, role: Role, square: Square) -> bool {
        let mut more = *self;
        match kind(role, square) {
            None => more.pawns += 1,
            Some(kind) => more.pieces[kind] += 1,
        }
        more.is_possible()
    }

    /// Returns whether the piece on a square can have been a pawn one move earlier.
    pub(super) fn can_demote(&self, promotion: Promotion, square: Square) -> bool {
        let mut before = *self;
        before.pawns += 1;
        if let Some(kind) = kind(promotion.role(), square) {
            before.pieces[kind] -= 1;
        }
        before.is_possible()
    }

    /// Returns whether enough pawns are gone for the surplus pieces.
    fn is_possible(&self) -> bool {
        let extra = |(&count, &first): (&usize, &usize)| count.saturating_sub(first);
        let promoted: usize = self.pieces.iter().zip(&FIRST_SET).map(extra).sum();
        self.pawns + promoted <= 8
    }
}

/// Returns the index of a piece in the counts, or `None` for pawns and kings.
fn kind(role: Role, square: Square) -> Option<usize> {
    match role {
        Role::Pawn | Role::King => None,
        Role::Knight => Some(0),
        Role::Bishop => Some(1 + usize::from(square.is_light())),
        Role::Rook => Some(3),
        Role::Queen => Some(4),
    }
}
