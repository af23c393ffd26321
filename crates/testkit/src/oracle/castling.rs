//! Castling from every starting position, following the rules literally.
//!
//! Standard chess is treated as Chess960 position 518. The conditions are those of FIDE
//! Guidelines II.3, checked one after the other.

use super::Oracle;
use super::board::{Color, Piece, Role, Square};
use super::moves::OracleMove;

/// The side of the king on which the castling rook stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CastlingSide {
    /// The side of the h-file: the king ends on g, the rook on f.
    King,
    /// The side of the a-file: the king ends on c, the rook on d.
    Queen,
}

impl CastlingSide {
    pub(super) const ALL: [CastlingSide; 2] = [CastlingSide::King, CastlingSide::Queen];

    /// Returns the side on which a rook stands.
    pub(super) fn of(king: Square, rook: Square) -> CastlingSide {
        if rook.file() > king.file() { CastlingSide::King } else { CastlingSide::Queen }
    }

    fn king_file(self) -> u8 {
        match self {
            CastlingSide::King => 6,
            CastlingSide::Queen => 2,
        }
    }

    fn rook_file(self) -> u8 {
        match self {
            CastlingSide::King => 5,
            CastlingSide::Queen => 3,
        }
    }
}

/// The rooks that have not moved, as long as their king has not moved either.
#[derive(Clone, Debug, Default)]
pub(super) struct CastlingRooks([[Option<Square>; 2]; 2]);

impl CastlingRooks {
    pub(super) fn get(&self, color: Color, side: CastlingSide) -> Option<Square> {
        self.0[color as usize][side as usize]
    }

    pub(super) fn set(&mut self, color: Color, side: CastlingSide, rook: Square) {
        self.0[color as usize][side as usize] = Some(rook);
    }

    /// Removes both rights of a color, because its king has moved.
    pub(super) fn forget_both(&mut self, color: Color) {
        self.0[color as usize] = [None; 2];
    }

    /// Removes the right of the rook on this square, which has moved or was captured.
    pub(super) fn forget(&mut self, square: Square) {
        for rook in self.0.iter_mut().flatten() {
            if *rook == Some(square) {
                *rook = None;
            }
        }
    }
}

impl Oracle {
    /// Adds castling with every rook that still has the right, where the guidelines allow it.
    /// Whether the king is safe afterward is tested as for any move.
    pub(super) fn push_castling(&self, moves: &mut Vec<OracleMove>) {
        let king = self.king(self.turn);
        for side in CastlingSide::ALL {
            if let Some(rook) = self.castling.get(self.turn, side)
                && self.castling_path_is_vacant(king, rook, side)
                && self.castling_path_is_safe(king, side)
            {
                moves.push(OracleMove { from: king, to: rook, promotion: None });
            }
        }
    }

    /// Returns `true` if all squares that the king or the rook crosses or ends on are empty,
    /// apart from the two themselves.
    fn castling_path_is_vacant(&self, king: Square, rook: Square, side: CastlingSide) -> bool {
        let king_path = path(king, side.king_file());
        let rook_path = path(rook, side.rook_file());
        king_path
            .chain(rook_path)
            .filter(|square| *square != king && *square != rook)
            .all(|square| self.board.get(square).is_none())
    }

    /// Returns `true` if no square on the king's path, both ends included, is attacked.
    fn castling_path_is_safe(&self, king: Square, side: CastlingSide) -> bool {
        path(king, side.king_file())
            .all(|square| !self.board.is_attacked(square, self.turn.opponent()))
    }

    /// Puts king and rook on their squares after castling.
    pub(super) fn castle(&mut self, king: Square, rook: Square) {
        let color = self.turn;
        let side = CastlingSide::of(king, rook);
        // Both are lifted before either is put down, because they may swap squares.
        self.board.set(king, None);
        self.board.set(rook, None);
        let king_to = king.on_file(side.king_file());
        let rook_to = king.on_file(side.rook_file());
        self.board.set(king_to, Some(Piece { color, role: Role::King }));
        self.board.set(rook_to, Some(Piece { color, role: Role::Rook }));
    }
}

/// Returns the squares of one rank from `from` to another file, both ends included.
fn path(from: Square, to_file: u8) -> impl Iterator<Item = Square> {
    let first = from.file().min(to_file);
    let last = from.file().max(to_file);
    (first..=last).map(move |file| from.on_file(file))
}
