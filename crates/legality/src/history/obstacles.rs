//! The pieces that never moved, and the restrictions that follow for all other pieces.
//!
//! A piece is called unmoved if it has stood on its square since the start. When in doubt, a piece
//! is not called unmoved:
//!
//! - A pawn on its second rank is unmoved, because pawns never move backward.
//! - The king and the rook of a castling right are unmoved.
//! - A bishop at home behind two unmoved pawns is unmoved. It could not leave, and if it had been
//!   captured there, no other bishop could have entered.
//! - The queen at home is unmoved if all its neighbors are, for the same reason. The king and
//!   queen are also unmoved together: the first of them to move would have needed a free
//!   neighboring square.
//!
//! No piece passes, enters or captures on the square of an unmoved piece. An unmoved king cannot
//! answer a check by moving. If the check comes from an adjacent square, a knight or a pawn,
//! nothing can be interposed either, so the checking piece is captured at once. A piece that is
//! still on the board was therefore never on such a square before the last move. Also, a king
//! never stands next to an unmoved enemy piece that attacks it, because a piece that never moved
//! cannot have given check by moving there.

use castellan_rules::{Bitboard, Color, File, Rank, Role, Square, attacks};

use super::travel::flood;
use crate::Case;

/// The constant features of the board for moving pieces.
#[derive(Clone, Debug)]
pub(super) struct Obstacles {
    /// The pieces that never moved.
    pub(super) unmoved: Bitboard,
    /// By color and role, the squares where a piece that is still on the board cannot have
    /// stopped on its way.
    no_stop: [[Bitboard; 6]; 2],
    /// By color, the squares where its pawns may have captured something.
    pub(super) capture_targets: [Bitboard; 2],
    /// By color, the most captures its pawns can have made.
    pub(super) captures: [usize; 2],
}

impl Obstacles {
    /// Returns what the board itself shows, before anything is known about captures.
    pub(super) fn of(case: &Case) -> Obstacles {
        let unmoved = unmoved_pieces(case);
        let no_stop = Color::ALL
            .map(|color| Role::ALL.map(|role| forbidden_stops(case, unmoved, color, role)));
        let captures = Color::ALL.map(|color| case.missing(!color));
        Obstacles { unmoved, no_stop, capture_targets: [!unmoved; 2], captures }
    }

    /// Returns the squares where a surviving piece cannot have stopped on its way.
    pub(super) fn no_stop(&self, color: Color, role: Role) -> Bitboard {
        self.no_stop[color.index()][role.index()]
    }
}

impl Obstacles {
    /// Returns whether a piece is a king attacked by an adjacent piece that never moved. No move
    /// can have given that check.
    pub(super) fn is_check_by_unmoved(&self, color: Color, role: Role, square: Square) -> bool {
        role == Role::King && self.no_stop(color, role).contains(square)
    }

    /// Returns whether a piece cannot have come from any square where its kind starts or
    /// promotes, even if pawns could promote everywhere.
    pub(super) fn is_cut_off(&self, color: Color, role: Role, square: Square) -> bool {
        if role == Role::King {
            return true;
        }
        let stops = !self.unmoved & !self.no_stop(color, role);
        let reach = flood(role, Bitboard::of(square), self.unmoved, stops).without(square);
        let starts = Bitboard::rank(Rank::First) | Bitboard::rank(Rank::Eighth);
        (reach & starts).is_empty()
    }
}

/// Returns the unmoved pieces, including kings and queens that they lock in.
fn unmoved_pieces(case: &Case) -> Bitboard {
    Color::ALL
        .into_iter()
        .fold(case.unmoved(), |unmoved, color| with_locked_in(case, color, unmoved))
}

fn with_locked_in(case: &Case, color: Color, unmoved: Bitboard) -> Bitboard {
    let at = |file| Square::new(file, Rank::First.relative_to(color));
    let (queen, king) = (at(File::D), at(File::E));
    if !case.piece(color, Role::Queen).contains(queen) {
        return unmoved;
    }
    let exits = attacks::king(queen).without(king);
    let is_king_home = case.piece(color, Role::King).contains(king);
    let king_exits = attacks::king(king).without(queen);
    let is_king_locked = is_king_home && (king_exits & !unmoved).is_empty();
    if (exits & !unmoved).is_empty() && (unmoved.contains(king) || is_king_locked) {
        return unmoved.with(queen).with(king);
    }
    unmoved
}

/// Returns the squares where a surviving piece of this kind cannot have stopped, except with the
/// very last move.
fn forbidden_stops(case: &Case, unmoved: Bitboard, color: Color, role: Role) -> Bitboard {
    let enemy = !color;
    if role == Role::King {
        return attacked_by_unmoved(case, unmoved, enemy);
    }
    let king = case.piece(enemy, Role::King) & unmoved;
    king.first().map_or(Bitboard::EMPTY, |king| match role {
        Role::Pawn => attacks::pawn(enemy, king),
        Role::Knight => attacks::knight(king),
        _ => touched(role, king),
    })
}

/// Returns the squares next to unmoved pieces of a color that they attack no matter what.
fn attacked_by_unmoved(case: &Case, unmoved: Bitboard, color: Color) -> Bitboard {
    let mut attacked = Bitboard::EMPTY;
    for square in unmoved & case.setup.pieces.color(color) {
        attacked |= match case.setup.pieces.role_at(square) {
            Some(Role::Pawn) => attacks::pawn(color, square),
            Some(Role::Knight) => attacks::knight(square),
            Some(role) => touched(role, square),
            None => Bitboard::EMPTY,
        };
    }
    attacked
}

/// Returns the neighbors of a square that a slider or a king on it attacks.
fn touched(role: Role, square: Square) -> Bitboard {
    let around = attacks::king(square);
    match role {
        Role::Rook => around & attacks::rook(square, around),
        Role::Bishop => around & attacks::bishop(square, around),
        _ => around,
    }
}
