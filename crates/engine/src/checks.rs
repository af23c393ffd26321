//! Detects moves that give check without playing them.
//!
//! This module covers checks by the moving piece and discovered checks. It does not detect checks
//! by the castling rook, through a pawn captured en passant, and by a promoted piece along the
//! line its pawn came from. All of these are rare, and the search uses the result only as a
//! heuristic.

use castellan_rules::{Bitboard, Move, MoveKind, Position, Promotion, Role, Square, attacks};

/// The squares from which a move would give check.
pub(crate) struct CheckSquares {
    /// The square of the enemy king.
    king: Square,
    /// For each role, the squares from which a piece would attack the king.
    by_role: [Bitboard; 6],
    /// Pieces that are the only ones between a slider of their own side and the king, so that
    /// moving them may discover a check.
    discovered_check_candidates: Bitboard,
}

impl CheckSquares {
    /// Computes the squares for the side to move.
    pub(crate) fn new(position: &Position) -> CheckSquares {
        let (turn, occupied) = (position.turn(), position.occupied());
        let king = position.king(!turn);
        let bishop = attacks::bishop(king, occupied);
        let rook = attacks::rook(king, occupied);
        let by_role = [
            attacks::pawn(!turn, king),
            attacks::knight(king),
            bishop,
            rook,
            bishop | rook,
            Bitboard::EMPTY,
        ];
        CheckSquares {
            king,
            by_role,
            discovered_check_candidates: discovered_check_candidates(position, king),
        }
    }

    /// Returns `true` if a move gives check.
    #[inline]
    pub(crate) fn are_reached_by(&self, mv: Move) -> bool {
        let role = mv.promotion().map_or(mv.role(), Promotion::role);
        mv.kind() != MoveKind::Castle
            && (self.by_role[role.index()].contains(mv.to())
                || self.discovered_check_candidates.contains(mv.from()) && self.leaves_line(mv))
    }

    /// Returns `true` if a piece leaves the line on which it stands with the king.
    fn leaves_line(&self, mv: Move) -> bool {
        let (king, from, to) = (self.king, mv.from(), mv.to());
        !attacks::between(king, from).contains(to) && !attacks::between(king, to).contains(from)
    }

    /// Calls `take` with every legal quiet move of a knight, bishop, rook or queen that gives
    /// check.
    pub(crate) fn quiet_moves(&self, position: &Position, mut take: impl FnMut(Move)) {
        let (ours, occupied) = (position.color(position.turn()), position.occupied());
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            let direct = self.by_role[role.index()] & !occupied;
            let movers = position.role(role) & ours;
            let movers =
                if direct.is_empty() { movers & self.discovered_check_candidates } else { movers };
            for from in movers {
                let is_screen = self.discovered_check_candidates.contains(from);
                let targets = if is_screen { !occupied } else { direct };
                for to in reach(role, from, occupied) & targets {
                    if let Some(mv) = position.legal_move(from, to, None)
                        && (!is_screen || self.are_reached_by(mv))
                    {
                        take(mv);
                    }
                }
            }
        }
    }
}

/// Returns the pieces of the side to move that alone stand between one of its sliders and a
/// square.
fn discovered_check_candidates(position: &Position, square: Square) -> Bitboard {
    let (ours, occupied) = (position.color(position.turn()), position.occupied());
    let queens = position.role(Role::Queen);
    let straight = attacks::rook(square, Bitboard::EMPTY) & (position.role(Role::Rook) | queens);
    let diagonal =
        attacks::bishop(square, Bitboard::EMPTY) & (position.role(Role::Bishop) | queens);
    let mut discovered_check_candidates = Bitboard::EMPTY;
    for slider in (straight | diagonal) & ours {
        let between = attacks::between(square, slider) & occupied;
        if !between.has_multiple() {
            discovered_check_candidates |= between & ours;
        }
    }
    discovered_check_candidates
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

    fn positions() -> impl Iterator<Item = Position> {
        random_games(61, GameShape::default()).take(60).flat_map(|game| {
            let fens: Vec<String> = game.positions().map(|oracle| oracle.to_fen()).collect();
            fens.into_iter().map(|fen| Position::from_fen(&fen).unwrap())
        })
    }

    #[test]
    fn a_predicted_check_is_a_check_and_few_checks_are_missed() {
        let (mut predicted, mut missed) = (0, 0);
        for position in positions() {
            let squares = CheckSquares::new(&position);
            for &mv in &position.legal_moves() {
                let is_check = position.play(mv).unwrap().is_check();
                if squares.are_reached_by(mv) {
                    predicted += 1;
                    assert!(is_check, "{position:?} {mv:?}");
                } else if is_check {
                    missed += 1;
                    let is_rare = mv.kind() != MoveKind::Normal;
                    assert!(is_rare, "{position:?} {mv:?}");
                }
            }
        }
        assert!(predicted > 1000 && missed * 50 < predicted, "{predicted} {missed}");
    }

    #[test]
    fn quiet_checks_are_the_quiet_moves_of_pieces_that_give_check() {
        let mut seen = 0;
        for position in positions() {
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
            seen += found.len();
        }
        assert!(seen > 300);
    }
}
