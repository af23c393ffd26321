//! What a side can have had on the board besides what it has.
//!
//! A side begins with sixteen men, and every piece beyond the first set was one of its eight
//! pawns (FIDE 2.2 and 3.7.3.3). Bishops count by the colour of their squares.

use castellan_rules::{Bitboard, Color, Promotion, Rank, Role, Square};

use crate::Case;

/// The men of one side, counted.
#[derive(Clone, Copy)]
pub(super) struct Material {
    men: usize,
    pawns: usize,
    /// Knights, dark bishops, light bishops, rooks, queens.
    pieces: [usize; 5],
}

/// How many of each the game begins with.
const FIRST_SET: [usize; 5] = [2, 1, 1, 2, 1];

/// The roles a captured man can have had.
const VICTIMS: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

impl Material {
    /// The men of a side.
    pub(super) fn of(case: &Case, color: Color) -> Material {
        let count = |role| case.piece(color, role).count();
        let bishops = case.piece(color, Role::Bishop);
        let dark = (bishops & Bitboard::DARK).count();
        Material {
            men: case.setup.pieces.color(color).count(),
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

    /// Whether nothing of this side has been captured.
    pub(super) fn is_complete(&self) -> bool {
        self.men >= 16
    }

    /// The roles a man of this side can have had who was captured on a square.
    pub(super) fn victims(&self, square: Square) -> impl Iterator<Item = Role> + use<> {
        let material = *self;
        let is_back = matches!(square.rank(), Rank::First | Rank::Eighth);
        VICTIMS.into_iter().filter(move |&role| {
            !(is_back && role == Role::Pawn) && material.can_regain(role, square)
        })
    }

    /// Whether the side can have had one more man of this role on this square. Who has sixteen
    /// can not: they are the first set, pawns and what pawns became, and that is all there was.
    pub(super) fn can_regain(&self, role: Role, square: Square) -> bool {
        let mut more = *self;
        match kind(role, square) {
            None => more.pawns += 1,
            Some(kind) => more.pieces[kind] += 1,
        }
        more.is_possible()
    }

    /// Whether the piece on a square can have been a pawn on the move before.
    pub(super) fn can_demote(&self, promotion: Promotion, square: Square) -> bool {
        let mut before = *self;
        before.pawns += 1;
        if let Some(kind) = kind(promotion.role(), square) {
            before.pieces[kind] -= 1;
        }
        before.is_possible()
    }

    /// Whether the pawns that are gone suffice for the pieces that are too many.
    fn is_possible(&self) -> bool {
        let extra = |(&count, &first): (&usize, &usize)| count.saturating_sub(first);
        let promoted: usize = self.pieces.iter().zip(&FIRST_SET).map(extra).sum();
        self.pawns + promoted <= 8
    }
}

/// The place of a piece in the counts; none for pawns.
fn kind(role: Role, square: Square) -> Option<usize> {
    match role {
        Role::Pawn | Role::King => None,
        Role::Knight => Some(0),
        Role::Bishop => Some(1 + usize::from(square.is_light())),
        Role::Rook => Some(3),
        Role::Queen => Some(4),
    }
}
