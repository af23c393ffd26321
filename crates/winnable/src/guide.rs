//! Estimates how far a position is from a mate. The estimate orders the search and proves
//! nothing.

use castellan_rules::{Bitboard, Color, Piece, Position, Rank, Role, Square, attacks};

/// Estimates how much is left to do until `winner` mates with the help of both sides.
pub(crate) fn distance(position: &Position, winner: Color) -> usize {
    let pieces = position.pieces();
    let winners = pieces.color(winner);
    let king = position.king(winner);
    let loser_king = position.king(!winner);
    let heavy = winners & (pieces.role(Role::Queen) | pieces.role(Role::Rook));
    let pawns = winners & pieces.role(Role::Pawn);
    let minors = winners & (pieces.role(Role::Knight) | pieces.role(Role::Bishop));
    let king_gap = steps(king, loser_king).saturating_sub(2);
    let king_freedom = king_freedom(position, winner, loser_king);
    let attackers = heavy | minors;
    let nearest_attacker =
        attackers.into_iter().map(|square| steps(square, loser_king)).min().unwrap_or(0);
    if heavy.any() {
        let king_gap = if attackers.count() > 2 { king_gap / 4 } else { king_gap };
        return king_freedom + edge_distance(loser_king) + king_gap + nearest_attacker / 2;
    }
    let mut guess = usize::MAX;
    if pawns.any() {
        let promotion = pawns.into_iter().map(|pawn| promotion_cost(position, winner, pawn)).min();
        guess =
            8 + 3 * promotion.unwrap_or(0) + edge_distance(loser_king) + king_gap + king_freedom;
    }
    if minors.any() {
        guess = guess.min(
            10 + corner_cost(position, winner, loser_king)
                + king_gap
                + king_freedom
                + nearest_attacker / 2,
        );
    }
    guess
}

/// Estimates how far the loser's king is from a corner where knights and bishops can mate it,
/// with pieces of its own next to it that cannot help.
fn corner_cost(position: &Position, winner: Color, loser_king: Square) -> usize {
    let losers = position.color(!winner);
    let spoilers = losers & (position.role(Role::Queen) | position.role(Role::Rook));
    let blockers = losers & !position.role(Role::King);
    let blocker = blockers.into_iter().map(|square| steps(square, loser_king)).min().unwrap_or(0);
    2 * corner_distance(position, winner, loser_king) + 2 * spoilers.count() + blocker / 2
}

/// Rates how much freedom the squares around a king leave it: its flight squares, and whether the
/// winner could stand next to it with support.
fn king_freedom(position: &Position, winner: Color, loser_king: Square) -> usize {
    let pieces = position.pieces();
    let occupied = pieces.occupied().without(loser_king);
    let ring = attacks::king(loser_king);
    let (mut once, mut twice, mut queens) = (Bitboard::EMPTY, Bitboard::EMPTY, Bitboard::EMPTY);
    for role in Role::ALL {
        for square in pieces.piece(Piece { color: winner, role }) {
            let attacked =
                attacks::of_piece(Piece { color: winner, role }, square, occupied) & ring;
            twice |= once & attacked;
            once |= attacked;
            if role == Role::Queen {
                queens |= attacked;
            }
        }
    }
    let losers = pieces.color(!winner);
    let flights = (ring & !once & !losers).count();
    let is_defended =
        |square| (pieces.attackers(!winner, square, occupied) & !pieces.role(Role::King)).any();
    // Where a queen can stand next to the king, protected by another piece.
    let queen_squares = twice & queens & !pieces.color(winner);
    let support = if queen_squares.any() && !queen_squares.into_iter().all(is_defended) {
        0
    } else if twice.any() {
        3
    } else if once.any() {
        4
    } else {
        6
    };
    2 * flights + support
}

/// Returns the number of king moves between two squares.
fn steps(one: Square, other: Square) -> usize {
    let files = one.file().index().abs_diff(other.file().index());
    let ranks = one.rank().index().abs_diff(other.rank().index());
    files.max(ranks)
}

fn edge_distance(square: Square) -> usize {
    let to_edge = |index: usize| index.min(7 - index);
    to_edge(square.file().index()).min(to_edge(square.rank().index()))
}

/// Returns the king moves to the nearest corner where the winner's bishops can mate; any corner
/// counts if the winner has a knight.
fn corner_distance(position: &Position, winner: Color, loser_king: Square) -> usize {
    let winners = position.color(winner);
    let bishops = winners & position.role(Role::Bishop);
    let has_knight = (winners & position.role(Role::Knight)).any();
    let corners = [Square::A1, Square::H8, Square::A8, Square::H1];
    let fits = |corner: &Square| {
        let color = if corner.is_light() { Bitboard::LIGHT } else { Bitboard::DARK };
        has_knight || (bishops & color).any()
    };
    corners.into_iter().filter(fits).map(|corner| steps(corner, loser_king)).min().unwrap_or(0)
}

/// Returns the steps to promotion, with a penalty for pieces in the way.
fn promotion_cost(position: &Position, winner: Color, pawn: Square) -> usize {
    let last = Square::new(pawn.file(), Rank::Eighth.relative_to(winner));
    let way = attacks::between(pawn, last) | Bitboard::of(last);
    let pawns = position.role(Role::Pawn);
    way.count() + (way & position.occupied()).count() + (way & pawns).count()
}
