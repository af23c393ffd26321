//! Decides by material alone whether a side can never win.
//!
//! There are three claims, and the tests of this file prove them by trying every arrangement of
//! the pieces that matter. The caller must rule out checkmates that are already on the board.

use castellan_rules::{Bitboard, Color, Pieces, Role};

/// Returns whether a side lacks the material to checkmate, with any help. The answer is certain
/// unless the board already shows a checkmate, which only a made-up position can.
///
/// A lone king never mates. A lone knight needs a piece of the loser that blocks its own king but
/// cannot capture the knight; queens do not qualify. Bishops that all stand on squares of one
/// color need a piece of the loser on a square of the other color that can neither interpose nor
/// capture; queens, rooks and bishops on the same color as theirs do not qualify.
#[inline]
pub fn is_insufficient(pieces: &Pieces, winner: Color) -> bool {
    let winners = pieces.color(winner);
    let strong = pieces.role(Role::Pawn) | pieces.role(Role::Rook) | pieces.role(Role::Queen);
    if (winners & strong).any() {
        return false;
    }
    let others = winners & !pieces.role(Role::King);
    if others.is_empty() {
        return true;
    }
    let knights = pieces.role(Role::Knight);
    let losers = pieces.color(!winner) & !pieces.role(Role::King);
    if (winners & knights).any() {
        return !others.has_multiple() && (losers & !pieces.role(Role::Queen)).is_empty();
    }
    let bishops = pieces.role(Role::Bishop);
    (pieces.role(Role::Pawn) | knights).is_empty() && are_of_one_color(bishops)
}

/// Returns whether all squares are light or all are dark.
fn are_of_one_color(squares: Bitboard) -> bool {
    (squares & Bitboard::LIGHT).is_empty() || (squares & Bitboard::DARK).is_empty()
}

#[cfg(test)]
mod tests {
    use castellan_rules::{Bitboard, Piece, Setup, Square, attacks};

    use super::*;

    /// Returns whether Black is checkmated if a black piece of role `blocker` stands on every
    /// square next to its king that White does not attack. More black pieces elsewhere could only
    /// capture or interpose.
    fn is_mate(king: Square, other: Square, checkers: &[(Square, Role)], blocker: Role) -> bool {
        let mut setup = Setup::empty();
        setup.turn = Color::Black;
        setup.pieces.put(Piece { color: Color::Black, role: Role::King }, king);
        setup.pieces.put(Piece { color: Color::White, role: Role::King }, other);
        for &(square, role) in checkers {
            setup.pieces.put(Piece { color: Color::White, role }, square);
        }
        let occupied = setup.pieces.occupied().without(king);
        for square in attacks::king(king) & !setup.pieces.occupied() {
            if setup.pieces.attackers(Color::White, square, occupied).is_empty() {
                setup.pieces.put(Piece { color: Color::Black, role: blocker }, square);
            }
        }
        setup.position().is_ok_and(|position| position.is_checkmate())
    }

    fn squares() -> impl Iterator<Item = Square> {
        Bitboard::FULL.into_iter()
    }

    #[test]
    fn a_knight_does_not_mate_a_king_among_queens() {
        for king in squares() {
            for knight in attacks::knight(king) {
                for other in squares().filter(|&other| other != king && other != knight) {
                    let checkers = [(knight, Role::Knight)];
                    assert!(
                        !is_mate(king, other, &checkers, Role::Queen),
                        "{king} {other} {knight}"
                    );
                }
            }
        }
        let checkers = [(Square::F7, Role::Knight)];
        assert!(is_mate(Square::H8, Square::H6, &checkers, Role::Rook));
    }

    /// Squares of the bishops' color are conceded, as if other bishops attacked them all. On the
    /// adjacent squares of the other color that the winner's king does not cover, the loser must
    /// have rooks or queens, and one of these can always step onto the line of the check. Two
    /// bishops on squares of one color never check at once: a bishop that uncovers the other
    /// moves parallel to the king's other diagonal, so it does not attack the king.
    #[test]
    fn bishops_of_one_color_do_not_mate_a_king_among_rooks_and_queens() {
        for king in squares() {
            let color = if king.is_light() { Bitboard::LIGHT } else { Bitboard::DARK };
            for bishop in attacks::bishop(king, Bitboard::EMPTY) {
                let line = attacks::between(king, bishop).with(bishop);
                let far = !attacks::king(king).with(king) & !line;
                for other in far {
                    let rooks = attacks::king(king) & !color & !attacks::king(other);
                    let occupied = rooks.with(king).with(other).with(bishop);
                    let steps_in = |rook| (attacks::rook(rook, occupied) & line).any();
                    assert!(rooks.into_iter().any(steps_in), "{king} {other} {bishop}");
                }
            }
        }
    }
}
