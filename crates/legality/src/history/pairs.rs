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

use castellan_rules::{Bitboard, Color, Piece, Role, Square, attacks};

use super::History;
use super::assignment::{MEN, NEVER};
use super::side::{FIRST_PAWN, start_square};
use super::travel::flood;
use crate::retro::castled_squares;
use crate::{Code, Finding, Value};

/// The most squares a piece may have to be worth tracing.
const MAX_ROOM: usize = 8;

/// An original piece that is still on the board, and the few squares it can have been on.
#[derive(Clone, Copy)]
struct Inmate {
    piece: Piece,
    home: Square,
    square: Square,
    room: Bitboard,
}

/// Finds two pieces that would have had to pass each other where they could not.
pub(super) fn contradiction(history: &History) -> Option<Finding> {
    let inmates: Vec<Inmate> =
        Color::ALL.into_iter().flat_map(|color| inmates(history, color)).collect();
    for (index, one) in inmates.iter().enumerate() {
        for other in &inmates[index + 1..] {
            if (one.room & other.room).any() && !can_come(history.ground.steady, one, other) {
                let squares = Bitboard::of(one.square).with(other.square);
                let finding = Finding::new(Code::Corridor, squares)
                    .with(Value::Man(one.piece.role, one.square))
                    .with(Value::Man(other.piece.role, other.square));
                return Some(finding);
            }
        }
    }
    None
}

/// Returns the officers of a side whose identity is certain and that have little room.
fn inmates(history: &History, color: Color) -> impl Iterator<Item = Inmate> {
    let side = &history.sides[color.index()];
    let ground = &history.ground;
    side.on_board().filter_map(move |(place, square, role)| {
        let mut starts = (0..MEN).filter(|&man| side.costs[place][man] < NEVER);
        let man =
            starts.next().filter(|&man| man < FIRST_PAWN && !ground.steady.contains(square))?;
        let is_certain = starts.next().is_none() && role != Role::Knight;
        let stops = !ground.steady & !ground.no_stop(color, role);
        let room = flood(role, Bitboard::of(square), ground.steady, stops);
        let inmate =
            Inmate { piece: Piece { color, role }, home: start_square(color, man), square, room };
        (is_certain && room.count() <= MAX_ROOM).then_some(inmate)
    })
}

/// Returns whether both pieces can have come from home to where they stand.
fn can_come(steady: Bitboard, one: &Inmate, other: &Inmate) -> bool {
    // For each square of `one`, the squares where `other` can be at the same time.
    let mut seen = [Bitboard::EMPTY; 64];
    seen[one.home.index()] = Bitboard::of(other.home);
    if let Some((first, second)) = castled(steady, one, other) {
        seen[first.index()] = seen[first.index()].with(second);
    }
    let mut is_news = true;
    while is_news {
        is_news = false;
        for square in one.room {
            for partner in seen[square.index()] {
                let steps = attacks::of_piece(other.piece, partner, steady.with(square));
                let partners = (steps & other.room).without(square);
                is_news |= (partners & !seen[square.index()]).any();
                seen[square.index()] |= partners;
                let steps = attacks::of_piece(one.piece, square, steady.with(partner));
                for next in (steps & one.room).without(partner) {
                    is_news |= !seen[next.index()].contains(partner);
                    seen[next.index()] = seen[next.index()].with(partner);
                }
            }
        }
    }
    seen[one.square.index()].contains(other.square)
}

/// Returns where the two pieces stand after castling, if they are a king and rook that may have
/// castled.
fn castled(steady: Bitboard, one: &Inmate, other: &Inmate) -> Option<(Square, Square)> {
    let (king, rook) = match (one.piece.role, other.piece.role) {
        (Role::King, Role::Rook) => (one, other),
        (Role::Rook, Role::King) => (other, one),
        _ => return None,
    };
    let is_open = (attacks::between(king.home, rook.home) & steady).is_empty();
    if king.piece.color != rook.piece.color || !is_open {
        return None;
    }
    let (king_to, rook_to) = castled_squares(king.home, rook.home);
    Some(if one.piece.role == Role::King { (king_to, rook_to) } else { (rook_to, king_to) })
}
