//! Checks that a piece gives from the square it goes to. Discovered checks are not looked for.

use castellan_rules::{Bitboard, Move, MoveKind, Position, Promotion, Role, Square, attacks};

/// From which squares a piece of each role would attack the enemy king.
pub(crate) struct CheckSquares([Bitboard; 6]);

impl CheckSquares {
    /// For the side to move.
    pub(crate) fn new(position: &Position) -> CheckSquares {
        let (turn, occupied) = (position.turn(), position.occupied());
        let king = position.king(!turn);
        let bishop = attacks::bishop(king, occupied);
        let rook = attacks::rook(king, occupied);
        CheckSquares([
            attacks::pawn(!turn, king),
            attacks::knight(king),
            bishop,
            rook,
            bishop | rook,
            Bitboard::EMPTY,
        ])
    }

    /// Whether a move gives check with the piece that moves.
    #[inline]
    pub(crate) fn are_reached_by(&self, mv: Move) -> bool {
        let role = mv.promotion().map_or(mv.role(), Promotion::role);
        mv.kind() != MoveKind::Castle && self.0[role.index()].contains(mv.to())
    }

    /// Hands on every legal quiet move of a piece that gives check.
    pub(crate) fn quiet_moves(&self, position: &Position, mut take: impl FnMut(Move)) {
        let (ours, occupied) = (position.color(position.turn()), position.occupied());
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            let targets = self.0[role.index()] & !occupied;
            if targets.is_empty() {
                continue;
            }
            for from in position.role(role) & ours {
                for to in reach(role, from, occupied) & targets {
                    if let Some(mv) = position.legal_move(from, to, None) {
                        take(mv);
                    }
                }
            }
        }
    }
}

fn reach(role: Role, from: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Knight => attacks::knight(from),
        Role::Bishop => attacks::bishop(from, occupied),
        Role::Rook => attacks::rook(from, occupied),
        Role::Queen => attacks::queen(from, occupied),
        Role::Pawn | Role::King => Bitboard::EMPTY,
    }
}

#[cfg(test)]
mod tests {
    use castellan_testkit::play::{GameShape, random_games};

    use super::*;
    use crate::exchange::is_noisy;

    #[test]
    fn quiet_checks_are_the_legal_moves_that_check_by_themselves() {
        let mut seen = 0;
        for game in random_games(61, GameShape::default()).take(60) {
            for oracle in game.positions() {
                let position = Position::from_fen(&oracle.to_fen()).unwrap();
                let squares = CheckSquares::new(&position);
                let mut found = Vec::new();
                squares.quiet_moves(&position, |mv| found.push(mv));
                let is_expected = |mv: &&Move| {
                    let by_piece = !matches!(mv.role(), Role::Pawn | Role::King);
                    by_piece && !is_noisy(&position, **mv) && squares.are_reached_by(**mv)
                };
                let mut expected: Vec<_> =
                    position.legal_moves().iter().filter(is_expected).copied().collect();
                let key = |mv: &Move| (mv.from(), mv.to());
                found.sort_by_key(key);
                expected.sort_by_key(key);
                assert_eq!(found, expected, "{position:?}");
                for mv in found {
                    seen += 1;
                    assert!(position.play(mv).unwrap().is_check(), "{position:?} {mv:?}");
                }
            }
        }
        assert!(seen > 300);
    }
}
