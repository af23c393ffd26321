//! The principal variation of every ply of a search (triangular table).

use castellan_rules::{Move, MoveKind, Role, Square};

use crate::score::MAX_PLY;

/// The best lines: the line of a ply starts with the best move there and continues with the line
/// of the next ply.
pub(crate) struct PvTable {
    moves: Vec<Move>,
    lengths: Vec<usize>,
}

const WIDTH: usize = MAX_PLY + 1;
/// Fills entries that no line reaches.
const FILLER: Move = Move::new(Square::A1, Square::A1, Role::Pawn, MoveKind::Normal);

impl PvTable {
    pub(crate) fn new() -> PvTable {
        PvTable { moves: vec![FILLER; WIDTH * WIDTH], lengths: vec![0; WIDTH] }
    }

    /// Clears the line of a ply.
    pub(crate) fn clear(&mut self, ply: usize) {
        self.lengths[ply] = 0;
    }

    /// Sets the line of a ply to a move followed by the line of the next ply.
    pub(crate) fn put(&mut self, ply: usize, mv: Move) {
        let next = ply + 1;
        let length = self.lengths.get(next).copied().unwrap_or(0).min(WIDTH - 1 - ply);
        let at = ply * WIDTH;
        self.moves[at] = mv;
        if length > 0 {
            self.moves.copy_within(next * WIDTH..next * WIDTH + length, at + 1);
        }
        self.lengths[ply] = length + 1;
    }

    /// Returns the line of a ply.
    pub(crate) fn line(&self, ply: usize) -> &[Move] {
        &self.moves[ply * WIDTH..ply * WIDTH + self.lengths[ply]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_move_and_the_line_below() {
        let moves = castellan_rules::Position::start().legal_moves();
        let mut pv_table = PvTable::new();
        pv_table.clear(2);
        pv_table.put(1, moves[1]);
        pv_table.put(0, moves[0]);
        assert_eq!(pv_table.line(0), [moves[0], moves[1]]);
        pv_table.clear(1);
        pv_table.put(0, moves[5]);
        assert_eq!(pv_table.line(0), [moves[5]]);
    }
}
