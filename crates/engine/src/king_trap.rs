//! Detects a trapped king, against which any quiet move may threaten mate, so none is pruned
//! early.

use castellan_rules::{Position, attacks};

/// Returns `true` if the king of the side not to move has no square to go to, because all are
/// occupied by its own pieces or attacked. Whether it is in check does not matter.
pub(crate) fn is_king_trapped(position: &Position) -> bool {
    let hunter = position.turn();
    let king = position.king(!hunter);
    // The king does not shield the squares behind it.
    let occupied = position.occupied().without(king);
    let mut flights = (attacks::king(king) & !position.color(!hunter)).into_iter();
    flights.all(|square| position.pieces().attackers(hunter, square, occupied).any())
}

#[cfg(test)]
mod tests {
    use castellan_rules::{Move, Role};
    use castellan_testkit::play::{GameShape, random_games};

    use super::*;

    #[test]
    fn a_trapped_king_has_no_step_and_a_free_one_has() {
        let mut seen = [0; 2];
        for game in random_games(83, GameShape::default()).take(60) {
            for oracle in game.positions() {
                let position = Position::from_fen(&oracle.to_fen()).unwrap();
                let Some(passed) = position.null_move() else { continue };
                let has_flight = passed
                    .legal_moves()
                    .iter()
                    .any(|mv| mv.role() == Role::King && is_step(&passed, *mv));
                assert_eq!(is_king_trapped(&position), !has_flight, "{position:?}");
                seen[usize::from(has_flight)] += 1;
            }
        }
        assert!(seen[0] > 100 && seen[1] > 100, "{seen:?}");
    }

    /// Castling does not count as an escape.
    fn is_step(position: &Position, mv: Move) -> bool {
        let own = position.color(position.turn());
        attacks::king(mv.from()).contains(mv.to()) && !own.contains(mv.to())
    }
}
