//! Lines, attacks and piece values, for recognizing themes.

use castellan_engine::exchange::{value_of, wins_at_least};
use castellan_rules::{Bitboard, Color, Move, Piece, Position, Role, Square, attacks};

/// Returns the squares that the piece on a square attacks; none if the square is empty.
pub(super) fn attacked_from(position: &Position, square: Square) -> Bitboard {
    let piece = position.piece_at(square);
    piece.map_or(Bitboard::EMPTY, |piece| attacks::of_piece(piece, square, position.occupied()))
}

/// Returns `true` if no piece of the side that owns the piece on a square defends it.
pub(super) fn is_undefended(position: &Position, owner: Color, square: Square) -> bool {
    position.pieces().attackers(owner, square, position.occupied()).is_empty()
}

/// Returns the value of a role; that of a king is higher than any other.
pub(super) fn value(role: Role) -> i32 {
    if role == Role::King { i32::MAX } else { value_of(role) }
}

/// Returns `true` if an attack by a piece with the given role on a target is a threat: the target
/// is a king, is worth more, or is an undefended piece.
pub(super) fn is_threatened(position: &Position, by: Role, square: Square, target: Piece) -> bool {
    target.role != Role::Pawn
        && (value(target.role) > value(by) || is_undefended(position, target.color, square))
}

/// Returns `true` if the piece moves along lines.
pub(super) fn is_slider(role: Role) -> bool {
    matches!(role, Role::Bishop | Role::Rook | Role::Queen)
}

/// Returns the pieces of a color that are pinned to their king, each with the piece that pins it.
pub(super) fn pins(position: &Position, color: Color) -> Vec<(Square, Square)> {
    let king = position.king(color);
    let mut pins = Vec::new();
    for (square, piece) in position.pieces().iter() {
        if piece.color == color || !is_slider(piece.role) {
            continue;
        }
        let blockers = attacks::between(square, king) & position.occupied();
        let is_aligned = attacks::of_piece(piece, square, Bitboard::EMPTY).contains(king);
        let Some(blocker) = blockers.first() else { continue };
        if is_aligned && blockers.count() == 1 && position.color(color).contains(blocker) {
            pins.push((blocker, square));
        }
    }
    pins
}

/// Returns `true` if the side to move has a capture on a square that wins at least this much.
pub(super) fn has_capture(position: &Position, square: Square, at_least: i32) -> bool {
    let captures = |mv: &Move| mv.to() == square && position.is_capture(*mv);
    let moves = position.legal_moves();
    moves.iter().any(|mv| captures(mv) && wins_at_least(position, *mv, at_least))
}
