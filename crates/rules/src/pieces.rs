//! Piece placement, stored as one bitboard per role and one per color.

use std::fmt;

use crate::{Bitboard, Color, File, Piece, Rank, Role, Square};

/// A placement of pieces, at most one per square. It need not make sense as a position.
///
/// Eight bitboards: six roles, then the two colors. A square is in one role's bitboard and one
/// color's bitboard, or in none of the eight; all methods maintain this.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Pieces {
    pub(crate) bitboards: [Bitboard; 8],
}

/// The index of the first color's bitboard.
pub(crate) const COLORS: usize = 6;

/// For each piece, the bitboards it belongs to, as all-ones and all-zeros masks.
static MEMBERSHIP: [[[Bitboard; 8]; 6]; 2] = {
    let mut table = [[[Bitboard::EMPTY; 8]; 6]; 2];
    let mut color = 0;
    while color < 2 {
        let mut role = 0;
        while role < 6 {
            table[color][role][role] = Bitboard::FULL;
            table[color][role][COLORS + color] = Bitboard::FULL;
            role += 1;
        }
        color += 1;
    }
    table
};

impl Pieces {
    /// The empty board.
    pub const EMPTY: Pieces = Pieces { bitboards: [Bitboard::EMPTY; 8] };

    /// The pieces of the start position.
    pub(crate) const START: Pieces = Pieces {
        bitboards: [
            Bitboard(0x00ff_0000_0000_ff00),
            Bitboard(0x4200_0000_0000_0042),
            Bitboard(0x2400_0000_0000_0024),
            Bitboard(0x8100_0000_0000_0081),
            Bitboard(0x0800_0000_0000_0008),
            Bitboard(0x1000_0000_0000_0010),
            Bitboard(0x0000_0000_0000_ffff),
            Bitboard(0xffff_0000_0000_0000),
        ],
    };

    /// Returns the squares with a piece of this role.
    #[inline(always)]
    pub const fn role(&self, role: Role) -> Bitboard {
        self.bitboards[role.index()]
    }

    /// Returns the squares with a piece of this color.
    #[inline(always)]
    pub const fn color(&self, color: Color) -> Bitboard {
        self.bitboards[COLORS + color.index()]
    }

    /// Returns the squares with this piece.
    #[inline(always)]
    pub fn piece(&self, piece: Piece) -> Bitboard {
        self.role(piece.role) & self.color(piece.color)
    }

    /// Returns the squares with any piece.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.color(Color::White) | self.color(Color::Black)
    }

    /// Returns the role of the piece on a square, or `None` if the square is empty.
    #[inline]
    pub fn role_at(&self, square: Square) -> Option<Role> {
        Role::ALL.into_iter().find(|&role| self.role(role).contains(square))
    }

    /// Returns the piece on a square, or `None` if the square is empty.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        let role = self.role_at(square)?;
        let is_white = self.color(Color::White).contains(square);
        Some(Piece { color: if is_white { Color::White } else { Color::Black }, role })
    }

    /// Puts a piece on a square, replacing any piece that was there.
    #[inline]
    pub fn put(&mut self, piece: Piece, square: Square) {
        self.clear(square);
        self.add(piece, square);
    }

    /// Empties a square.
    #[inline]
    pub fn clear(&mut self, square: Square) {
        for set in &mut self.bitboards {
            *set &= !Bitboard::of(square);
        }
    }

    /// Puts a piece on an empty square.
    #[inline(always)]
    pub(crate) fn add(&mut self, piece: Piece, square: Square) {
        self.bitboards[piece.role.index()] |= Bitboard::of(square);
        self.bitboards[COLORS + piece.color.index()] |= Bitboard::of(square);
    }

    /// Returns the placement after clearing the squares of `emptied` and then putting `piece` on
    /// one of them.
    #[inline(always)]
    pub(crate) fn replaced(&self, emptied: Bitboard, piece: Piece, square: Square) -> Pieces {
        let member = &MEMBERSHIP[piece.color.index()][piece.role.index()];
        let added = Bitboard::of(square);
        let mut bitboards = self.bitboards;
        for (set, &member) in bitboards.iter_mut().zip(member) {
            *set = *set & !emptied | added & member;
        }
        Pieces { bitboards }
    }

    /// Returns the role of the piece on an occupied square without branching. The piece must not
    /// be a king, since kings are never captured.
    #[inline(always)]
    pub(crate) fn captured_role(&self, square: Square) -> Role {
        let is = |role| (self.role(role).0 >> square as u32) & 1;
        let index = is(Role::Knight) + 2 * is(Role::Bishop) + 3 * is(Role::Rook);
        match index + 4 * is(Role::Queen) {
            0 => Role::Pawn,
            1 => Role::Knight,
            2 => Role::Bishop,
            3 => Role::Rook,
            _ => Role::Queen,
        }
    }

    /// Iterates over every piece with its square, from a1 to h8.
    pub fn iter(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        self.occupied().into_iter().filter_map(|square| Some((square, self.piece_at(square)?)))
    }

    /// Returns the pieces of `color` that attack a square, given that `occupied` squares block
    /// sliders.
    #[inline(always)]
    pub fn attackers(&self, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
        use crate::attacks;
        let queens = self.role(Role::Queen);
        self.color(color)
            & (attacks::pawn(!color, square) & self.role(Role::Pawn)
                | attacks::knight(square) & self.role(Role::Knight)
                | attacks::bishop(square, occupied) & (self.role(Role::Bishop) | queens)
                | attacks::rook(square, occupied) & (self.role(Role::Rook) | queens)
                | attacks::king(square) & self.role(Role::King))
    }
}

/// Draws the board in FEN letters, with the eighth rank on top.
impl fmt::Debug for Pieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in Rank::ALL.into_iter().rev() {
            for file in File::ALL {
                let letter = self.piece_at(Square::new(file, rank)).map_or('.', Piece::letter);
                write!(f, "{letter}")?;
            }
            f.write_str(if rank == Rank::First { "" } else { "\n" })?;
        }
        Ok(())
    }
}
