//! What the rules alone prove about a root move: which sides can still win after it.
//!
//! This module turns the answers of `castellan-winnable` into bounds on a score. The answers are
//! proven, so a bound is never wrong; an unknown answer gives no bound. Nodes below the root do
//! not use this, because there the test would cost more than the node itself.

use castellan_rules::{Move, Position};
use castellan_winnable::{can_win_quickly, is_dead};

use crate::score::{DRAW, Value};

/// Which sides can still win after a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WinPossibilities {
    /// Whether the side that moves may still win; `true` if unknown.
    may_win: bool,
    /// Whether its opponent may still win; `true` if unknown.
    may_lose: bool,
}

impl WinPossibilities {
    /// Nothing is known: both sides may win.
    pub(crate) const OPEN: WinPossibilities = WinPossibilities { may_win: true, may_lose: true };
    const DEAD: WinPossibilities = WinPossibilities { may_win: false, may_lose: false };

    /// Returns the possibilities of some legal moves in a position.
    pub(crate) fn of_moves(
        position: &Position,
        moves: impl Iterator<Item = Move>,
    ) -> Vec<WinPossibilities> {
        if is_dead(position) == Some(true) {
            return moves.map(|_| WinPossibilities::DEAD).collect();
        }
        moves.map(|mv| WinPossibilities::after(position, mv)).collect()
    }

    fn after(position: &Position, mv: Move) -> WinPossibilities {
        let next = position.play_unchecked(mv);
        let may_win = |color| can_win_quickly(&next, color) != Some(false);
        WinPossibilities { may_win: may_win(position.turn()), may_lose: may_win(!position.turn()) }
    }

    /// Returns `true` if neither side can win, so that there is nothing to search.
    pub(crate) fn is_dead(self) -> bool {
        self == WinPossibilities::DEAD
    }

    /// Clamps a score or bound for the side that moves to what is still possible.
    pub(crate) fn bounded(self, value: Value) -> Value {
        match self {
            WinPossibilities { may_win: true, may_lose: true } => value,
            WinPossibilities { may_win: true, may_lose: false } => value.max(DRAW),
            WinPossibilities { may_win: false, may_lose: true } => value.min(DRAW),
            WinPossibilities { may_win: false, may_lose: false } => DRAW,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fen: &str, expected: &[(&str, [bool; 2])]) {
        let position = Position::from_fen(fen).unwrap();
        let moves = position.legal_moves();
        let possibilities = WinPossibilities::of_moves(&position, moves.iter().copied());
        assert_eq!(possibilities.len(), moves.len());
        for &(name, [may_win, may_lose]) in expected {
            let is_named = |mv: &Move| castellan_rules::san::write(&position, *mv) == name;
            let at = moves.iter().position(is_named).expect(name);
            assert_eq!(possibilities[at], WinPossibilities { may_win, may_lose }, "{name}");
        }
    }

    #[test]
    fn a_capture_decides_who_can_win() {
        check("8/8/8/3k4/2R5/8/8/K7 b - - 0 1", &[("Kxc4", [false, false])]);
        check("8/8/8/3k4/2Rp4/8/8/K7 b - - 0 1", &[("Kxc4", [true, false]), ("Ke5", [true; 2])]);
        check("8/8/8/8/1k6/8/2p5/1K1R4 w - - 0 1", &[("Kxc2", [true, false])]);
    }

    #[test]
    fn behind_walls_neither_side_wins() {
        check("8/8/3k3p/1p2p1pP/1P2P1P1/8/2K5/8 w - - 0 1", &[("Kd3", [false, false])]);
    }

    #[test]
    fn a_mate_is_still_a_win() {
        check("k7/2K5/8/8/8/8/8/1Q6 w - - 0 1", &[("Qb7#", [true, false]), ("Qb6", [false; 2])]);
    }

    #[test]
    fn bounds_are_the_draw() {
        let possibilities = |may_win, may_lose| WinPossibilities { may_win, may_lose };
        for value in [-300, -1, 0, 1, 300] {
            assert_eq!(possibilities(true, true).bounded(value), value);
            assert_eq!(possibilities(true, false).bounded(value), value.max(0));
            assert_eq!(possibilities(false, true).bounded(value), value.min(0));
            assert_eq!(possibilities(false, false).bounded(value), 0);
        }
    }
}
