//! Static exchange evaluation (SEE): what a capture wins if both sides keep capturing on its
//! square.
//!
//! Pins are ignored, and a king may capture only an undefended piece.

use castellan_rules::{
    Bitboard, Color, Move, MoveKind, Position, Promotion, Role, Square, attacks,
};

/// Piece values in exchanges, by role, in centipawns.
pub(crate) const VALUES: [i32; 6] = [100, 320, 335, 510, 970, 0];

/// Returns the value of a role in exchanges.
#[inline]
pub fn value_of(role: Role) -> i32 {
    VALUES[role.index()]
}

/// Returns the role of the piece that a move captures, if any.
#[inline]
pub(crate) fn captured_role(position: &Position, mv: Move) -> Option<Role> {
    position.captured(mv).map(|(piece, _)| piece.role)
}

/// Returns `true` if a move is a capture or a promotion.
#[inline]
pub(crate) fn is_noisy(position: &Position, mv: Move) -> bool {
    mv.promotion().is_some() || position.is_capture(mv)
}

/// Returns `true` if a legal move wins at least `threshold` after all captures on its square.
pub fn wins_at_least(position: &Position, mv: Move, threshold: i32) -> bool {
    if mv.kind() == MoveKind::Castle {
        return threshold <= 0;
    }
    let to = mv.to();
    let promoted = mv.promotion().map(Promotion::role);
    let gain = captured_role(position, mv).map_or(0, value_of)
        + promoted.map_or(0, |role| value_of(role) - value_of(Role::Pawn));
    let mut balance = gain - threshold;
    if balance < 0 {
        return false;
    }
    // In the worst case the piece that has just moved is lost.
    balance -= value_of(promoted.unwrap_or(mv.role()));
    if balance >= 0 {
        return true;
    }
    let mut occupied = position.occupied().without(mv.from()).with(to);
    if mv.kind() == MoveKind::EnPassant {
        occupied = occupied.without(mv.capture_square());
    }
    let winner = last_to_gain(position, to, occupied, balance);
    winner == position.turn()
}

/// Lets both sides capture in turn with their least valuable piece, the opponent first, until one
/// side stops because continuing would lose material. Returns the other side, which gains.
fn last_to_gain(position: &Position, to: Square, mut occupied: Bitboard, balance: i32) -> Color {
    let pieces = position.pieces();
    let queens = position.role(Role::Queen);
    let diagonal = position.role(Role::Bishop) | queens;
    let straight = position.role(Role::Rook) | queens;
    let mut attackers =
        pieces.attackers(Color::White, to, occupied) | pieces.attackers(Color::Black, to, occupied);
    let mut balance = balance;
    let mut side = !position.turn();
    loop {
        attackers &= occupied;
        let own = attackers & position.color(side);
        let Some((role, from)) = least_valuable(position, own) else {
            return !side;
        };
        if role == Role::King && (attackers & position.color(!side)).any() {
            return !side;
        }
        occupied = occupied.without(from);
        side = !side;
        balance = -balance - 1 - value_of(role);
        if balance >= 0 {
            // Even if this piece is lost, its side has gained.
            return !side;
        }
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= attacks::bishop(to, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= attacks::rook(to, occupied) & straight;
        }
    }
}

fn least_valuable(position: &Position, pieces: Bitboard) -> Option<(Role, Square)> {
    let of_role = |role| (pieces & position.role(role)).first().map(|square| (role, square));
    Role::ALL.into_iter().find_map(of_role)
}

#[cfg(test)]
mod tests {
    use super::*;
    use castellan_testkit::play::{GameShape, random_games};
    use castellan_testkit::scatter::scattered_positions;

    /// Returns what the side to move can gain by capturing on a square, by trying all captures.
    fn swap(pieces: &[(Square, Role, Color)], side: Color, to: Square, victim: i32) -> i32 {
        let occupied: Bitboard = pieces.iter().map(|piece| piece.0).chain([to]).collect();
        let attackers = |color: Color| {
            let mut own: Vec<_> = pieces
                .iter()
                .filter(|piece| piece.2 == color && piece.0 != to)
                .filter(|&&(from, role, _)| {
                    let piece = castellan_rules::Piece { color, role };
                    attacks::of_piece(piece, from, occupied).contains(to)
                })
                .copied()
                .collect();
            own.sort_by_key(|piece| (piece.1, piece.0));
            own
        };
        let Some(&first) = attackers(side).first() else { return 0 };
        if first.1 == Role::King && !attackers(!side).is_empty() {
            return 0;
        }
        let rest: Vec<_> = pieces.iter().filter(|piece| piece.0 != first.0).copied().collect();
        (victim - swap(&rest, !side, to, value_of(first.1))).max(0)
    }

    fn slow(position: &Position, mv: Move) -> i32 {
        let promoted = mv.promotion().map(Promotion::role);
        let gain = captured_role(position, mv).map_or(0, value_of)
            + promoted.map_or(0, |role| value_of(role) - value_of(Role::Pawn));
        let gone = |square: Square| [mv.from(), mv.to(), mv.capture_square()].contains(&square);
        let pieces: Vec<_> = position
            .pieces()
            .iter()
            .filter(|(square, _)| !gone(*square))
            .map(|(square, piece)| (square, piece.role, piece.color))
            .collect();
        let lost = value_of(promoted.unwrap_or(mv.role()));
        gain - swap(&pieces, !position.turn(), mv.to(), lost)
    }

    fn agree(position: &Position) {
        for &mv in position.legal_moves().iter().filter(|mv| mv.kind() != MoveKind::Castle) {
            let exact = slow(position, mv);
            for threshold in [exact - 1, exact, exact + 1, 0, -200, 150] {
                let answer = wins_at_least(position, mv, threshold);
                assert_eq!(answer, exact >= threshold, "{position:?} {mv:?} {exact} {threshold}");
            }
        }
    }

    #[test]
    fn the_quick_answer_is_the_slow_one() {
        for game in random_games(21, GameShape::default()).take(60) {
            for oracle in game.positions() {
                agree(&Position::from_fen(&oracle.to_fen()).unwrap());
            }
        }
        for oracle in scattered_positions(22).take(1500) {
            agree(&Position::from_fen(&oracle.to_fen()).unwrap());
        }
    }
}
