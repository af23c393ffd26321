//! The phases of a game.

use castellan_rules::{Position, Role};
use serde::{Deserialize, Serialize};

/// The opening has this many moves of each side, unless the endgame comes sooner.
const OPENING_MOVES: u32 = 10;
/// The endgame begins when the pieces of both sides, without pawns and kings, are worth at most this
/// many points: two rooks and a knight for each side. At the start they are worth 62.
const ENDGAME_POINTS: usize = 26;
/// Points of the roles that count.
const POINTS: [(Role, usize); 4] =
    [(Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];

/// A phase of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(super) enum Phase {
    Opening,
    Middlegame,
    Endgame,
}

impl Phase {
    pub(super) const ALL: [Phase; 3] = [Phase::Opening, Phase::Middlegame, Phase::Endgame];

    /// Returns the phase that a position belongs to.
    pub(super) fn of(position: &Position) -> Phase {
        let points: usize =
            POINTS.iter().map(|(role, points)| position.role(*role).count() * points).sum();
        if points <= ENDGAME_POINTS {
            Phase::Endgame
        } else if position.fullmove_number() <= OPENING_MOVES {
            Phase::Opening
        } else {
            Phase::Middlegame
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fen: &str, expected: Phase) {
        assert_eq!(Phase::of(&Position::from_fen(fen).unwrap()), expected);
    }

    #[test]
    fn the_phase_depends_on_moves_and_pieces() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0";
        check(&format!("{start} 10"), Phase::Opening);
        check(&format!("{start} 11"), Phase::Middlegame);
        check("rr1nk3/8/8/8/8/8/8/RR1NK3 w - - 0 30", Phase::Endgame);
        check("rr1nk3/8/8/8/8/8/8/RR1NK1N1 w - - 0 30", Phase::Middlegame);
        check("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 2", Phase::Endgame);
    }
}
