//! Two officers that cannot get past each other.
//!
//! Takes two officers whose identity is certain and that have only a few squares to go to, and
//! traces them together: a node is the pair of squares they occupy, and an edge is a move of
//! either piece. They are never on the same square, and neither captured the other, since both
//! are still on the board. If no walk leads from both start squares to their current squares, no
//! game does. Castling, where the king jumps over the rook, is an edge as well.
//!
//! For example, let the white pawns from b2 to h2 and the bishop on c1 never have moved, with the
//! king on e1 and the queen on f1. The queen came from d1, but on the first rank it could not get
//! past the king.

use castellan_rules::{Bitboard, Color, Piece, Role, Square, attacks, castled_squares};

use super::History;
use super::assignment::{IMPOSSIBLE, PIECES_PER_SIDE};
use super::side::{FIRST_PAWN, start_square};
use super::travel::flood;
use crate::{Code, Finding, Value};

/// The most squares a piece may have to be worth tracing.
const MAX_ROOM: usize = 8;

/// An original piece that is still on the board, and the few squares it can have been on.
#[derive(Clone, Copy)]
struct ConfinedPiece {
    piece: Piece,
    home: Square,
    square: Square,
    room: Bitboard,
}

/// Finds two pieces that would have had to pass each other where they could not.
pub(super) fn contradiction(history: &History) -> Option<Finding> {
    let confined_pieces: Vec<ConfinedPiece> =
        Color::ALL.into_iter().flat_map(|color| confined_pieces(history, color)).collect();
    for (index, one) in confined_pieces.iter().enumerate() {
        for other in &confined_pieces[index + 1..] {
            if (one.room & other.room).any() && !can_come(history.obstacles.unmoved, one, other) {
                let squares = Bitboard::of(one.square).with(other.square);
                let finding = Finding::new(Code::Corridor, squares)
                    .with_value(Value::Piece(one.piece.role, one.square))
                    .with_value(Value::Piece(other.piece.role, other.square));
                return Some(finding);
            }
        }
    }
    None
}

/// Returns the officers of a side whose identity is certain and that have little room.
fn confined_pieces(history: &History, color: Color) -> impl Iterator<Item = ConfinedPiece> {
    let side = &history.sides[color.index()];
    let obstacles = &history.obstacles;
    side.on_board().filter_map(move |(place, square, role)| {
        let mut starts =
            (0..PIECES_PER_SIDE).filter(|&original| side.costs[place][original] < IMPOSSIBLE);
        let original = starts
            .next()
            .filter(|&original| original < FIRST_PAWN && !obstacles.unmoved.contains(square))?;
        let is_certain = starts.next().is_none() && role != Role::Knight;
        let stops = !obstacles.unmoved & !obstacles.no_stop(color, role);
        let room = flood(role, Bitboard::of(square), obstacles.unmoved, stops);
        let confined = ConfinedPiece {
            piece: Piece { color, role },
            home: start_square(color, original),
            square,
            room,
        };
        (is_certain && room.count() <= MAX_ROOM).then_some(confined)
    })
}

/// Returns whether both pieces can have come from home to where they stand.
fn can_come(unmoved: Bitboard, one: &ConfinedPiece, other: &ConfinedPiece) -> bool {
    // For each square of `one`, the squares where `other` can be at the same time.
    let mut seen = [Bitboard::EMPTY; 64];
    seen[one.home.index()] = Bitboard::of(other.home);
    if let Some((first, second)) = castled(unmoved, one, other) {
        seen[first.index()] = seen[first.index()].with(second);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for square in one.room {
            for partner in seen[square.index()] {
                let steps = attacks::of_piece(other.piece, partner, unmoved.with(square));
                let partners = (steps & other.room).without(square);
                changed |= (partners & !seen[square.index()]).any();
                seen[square.index()] |= partners;
                let steps = attacks::of_piece(one.piece, square, unmoved.with(partner));
                for next in (steps & one.room).without(partner) {
                    changed |= !seen[next.index()].contains(partner);
                    seen[next.index()] = seen[next.index()].with(partner);
                }
            }
        }
    }
    seen[one.square.index()].contains(other.square)
}

/// Returns where the two pieces stand after castling, if they are a king and rook that may have
/// castled.
fn castled(
    unmoved: Bitboard,
    one: &ConfinedPiece,
    other: &ConfinedPiece,
) -> Option<(Square, Square)> {
    let (king, rook) = match (one.piece.role, other.piece.role) {
        (Role::King, Role::Rook) => (one, other),
        (Role::Rook, Role::King) => (other, one),
        _ => return None,
    };
    let is_open = (attacks::between(king.home, rook.home) & unmoved).is_empty();
    if king.piece.color != rook.piece.color || !is_open {
        return None;
    }
    let (king_to, rook_to) = castled_squares(king.home, rook.home);
    Some(if one.piece.role == Role::King { (king_to, rook_to) } else { (rook_to, king_to) })
}
