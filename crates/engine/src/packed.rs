//! Moves packed into sixteen bits, for the transposition table.
//!
//! A packed move is only a hint: the table entry may have been overwritten by another thread or
//! belong to another position, so unpacking returns only moves that are legal in the position.

use castellan_rules::{CastlingSide, Move, MoveKind, Position, Promotion, Square};

/// A move in sixteen bits, or no move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Packed(pub(crate) u16);

/// The kind of castling moves. Kinds 1 to 4 are promotions.
const CASTLE: u16 = 5;

impl Packed {
    /// No move, encoded as a1 to a1.
    pub(crate) const NONE: Packed = Packed(0);

    /// Packs a move.
    pub(crate) fn new(mv: Move) -> Packed {
        let kind = match mv.kind() {
            MoveKind::Normal | MoveKind::DoubleStep | MoveKind::EnPassant => 0,
            MoveKind::Promotion(promotion) => 1 + promotion as u16,
            MoveKind::Castle => CASTLE,
        };
        Packed(mv.from() as u16 | (mv.to() as u16) << 6 | kind << 12)
    }

    /// Packs an optional move.
    pub(crate) fn of(mv: Option<Move>) -> Packed {
        mv.map_or(Packed::NONE, Packed::new)
    }

    /// Returns the move if it is legal in a position.
    #[inline]
    pub(crate) fn unpack(self, position: &Position) -> Option<Move> {
        if self == Packed::NONE {
            return None;
        }
        let from = Square::ALL[usize::from(self.0 & 63)];
        let to = Square::ALL[usize::from(self.0 >> 6 & 63)];
        match self.0 >> 12 {
            0 => position.legal_move(from, to, None),
            CASTLE => {
                let side = if to > from { CastlingSide::King } else { CastlingSide::Queen };
                position.legal_castling(side).filter(|mv| mv.from() == from && mv.to() == to)
            }
            kind => {
                let promotion = *Promotion::ALL.get(usize::from(kind) - 1)?;
                position.legal_move(from, to, Some(promotion))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_legal_move_survives_packing() {
        let fens = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2P5/8/3pP3/8/8/k6p/4K1N1 w - d6 0 1",
            "8/2P5/8/3pP3/8/8/k6p/4K1N1 b - - 0 1",
            "1rk2r1r/8/8/8/8/8/8/1RK2R1R w FBfb - 0 1",
        ];
        for fen in fens {
            let position = Position::from_fen(fen).unwrap();
            for &mv in &position.legal_moves() {
                assert_eq!(Packed::new(mv).unpack(&position), Some(mv), "{fen} {mv:?}");
            }
        }
    }

    #[test]
    fn no_sixteen_bits_give_an_illegal_move() {
        let fen = "r3k2r/2P1qpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/P1PBBPPP/R3K2R w KQkq - 0 1";
        let position = Position::from_fen(fen).unwrap();
        let legal = position.legal_moves();
        for bits in 0..=u16::MAX {
            if let Some(mv) = Packed(bits).unpack(&position) {
                assert!(legal.contains(&mv), "{bits} {mv:?}");
            }
        }
    }
}
