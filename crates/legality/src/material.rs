//! The pieces of a side, counted by kind: what must be promoted, and what a side can have had on
//! the board besides its current pieces.
//!
//! A side begins with sixteen pieces, and every piece beyond the initial set was one of its eight
//! pawns (FIDE 2.2 and 3.7.3.3). Bishops are counted by the color of their squares.

use castellan_rules::{Bitboard, Color, Piece, Pieces, Promotion, Rank, Role, Square};

/// How many of each kind a side begins with.
pub(crate) const FIRST_SET: [u32; 5] = [2, 1, 1, 2, 1];

/// The roles a captured piece can have had.
const VICTIMS: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Returns the knights, dark bishops, light bishops, rooks and queens of a side.
pub(crate) fn kinds(pieces: &Pieces, color: Color) -> [Bitboard; 5] {
    let of = |role| pieces.piece(Piece { color, role });
    let bishops = of(Role::Bishop);
    [
        of(Role::Knight),
        bishops & Bitboard::DARK,
        bishops & Bitboard::LIGHT,
        of(Role::Rook),
        of(Role::Queen),
    ]
}

/// The piece counts of one side, which has one king.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Material {
    pawns: u32,
    /// The numbers of knights, dark bishops, light bishops, rooks and queens.
    pieces: [u32; 5],
}

impl Material {
    /// Counts the pieces of a side.
    pub(crate) fn of(pieces: &Pieces, color: Color) -> Material {
        let count = |squares: Bitboard| squares.count() as u32;
        Material {
            pawns: count(pieces.piece(Piece { color, role: Role::Pawn })),
            pieces: kinds(pieces, color).map(count),
        }
    }

    /// Returns whether no piece of this side has been captured.
    pub(crate) fn is_complete(&self) -> bool {
        1 + self.pawns + self.pieces.iter().sum::<u32>() >= 16
    }

    /// Returns how many bishops stand on dark and on light squares.
    pub(crate) fn bishops(&self) -> [u32; 2] {
        [self.pieces[1], self.pieces[2]]
    }

    /// Returns how many pieces of each kind, at least, are promoted pawns.
    fn surplus(&self) -> [u32; 5] {
        std::array::from_fn(|kind| self.pieces[kind].saturating_sub(FIRST_SET[kind]))
    }

    /// Returns how many pieces, at least, are promoted pawns.
    pub(crate) fn promoted(&self) -> u32 {
        self.surplus().iter().sum()
    }

    /// Returns how many queens, rooks and knights, at least, are promoted pawns.
    pub(crate) fn promoted_besides_bishops(&self) -> u32 {
        let [knights, _, _, rooks, queens] = self.surplus();
        knights + rooks + queens
    }

    /// Returns how many pawns were captured or promoted.
    pub(crate) fn pawns_gone(&self) -> u32 {
        8_u32.saturating_sub(self.pawns)
    }

    /// Returns whether enough pawns are gone for the surplus pieces.
    pub(crate) fn is_possible(&self) -> bool {
        self.pawns + self.promoted() <= 8
    }

    /// Returns the roles that a piece of this side captured on a square can have had.
    pub(crate) fn victims(&self, square: Square) -> impl Iterator<Item = Role> + use<> {
        let material = *self;
        let is_back = matches!(square.rank(), Rank::First | Rank::Eighth);
        VICTIMS.into_iter().filter(move |&role| {
            !(is_back && role == Role::Pawn) && material.can_regain(role, square)
        })
    }

    /// Returns whether the side can have had one more piece of this role on this square. A side
    /// with sixteen pieces cannot: they are the initial set, pawns and promoted pawns, and there
    /// were no others.
    pub(crate) fn can_regain(&self, role: Role, square: Square) -> bool {
        let mut more = *self;
        match kind(role, square) {
            None => more.pawns += 1,
            Some(kind) => more.pieces[kind] += 1,
        }
        more.is_possible()
    }

    /// Returns whether the piece on a square can have been a pawn one move earlier.
    pub(crate) fn can_demote(&self, promotion: Promotion, square: Square) -> bool {
        let mut before = *self;
        before.pawns += 1;
        if let Some(kind) = kind(promotion.role(), square) {
            before.pieces[kind] -= 1;
        }
        before.is_possible()
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
