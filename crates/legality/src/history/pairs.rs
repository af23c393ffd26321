//! Two officers that cannot get past each other.
//!
//! Two men of which it is certain who they were at the start, each with only a few squares to go
//! to, are followed together: where both were at a time is one node, and a move of either is one
//! step. They are never on the same square, and neither captured the other, since both are still
//! there. If no walk leads from both start squares to where they stand now, no game does. Castling,
//! where the king jumps over the rook, is a step too.

use castellan_rules::{Bitboard, Color, Piece, Role, Square, attacks};

use super::History;
use super::assignment::{MEN, NEVER};
use super::side::{FIRST_PAWN, start_square};
use super::travel::flood;
use crate::retro::castled_squares;
use crate::{Code, Finding, Value};

/// How many squares make a man so free that it is not worth following.
const MAX_ROOM: usize = 8;

/// A man of the start that is still there, and the few squares it can have been on.
#[derive(Clone, Copy)]
struct Inmate {
    piece: Piece,
    home: Square,
    square: Square,
    room: Bitboard,
}

/// Finds two men that would have had to pass each other where they could not.
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

/// The officers of a side that are certain to be themselves and have little room.
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

/// Whether two men can both have come from home to where they stand.
fn can_come(steady: Bitboard, one: &Inmate, other: &Inmate) -> bool {
    // For each square of the one, where the other can be at the same time.
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

/// Where king and rook stand after castling, if these two may have castled.
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
