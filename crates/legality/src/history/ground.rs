//! What never changed on the board, and what follows for those who travel.
//!
//! A man is called steady if it has stood on its square since the start. This is claimed too
//! rarely rather than too often:
//!
//! - A pawn on its second rank: pawns never go back.
//! - The king and rooks of a castling right.
//! - A bishop at home behind two steady pawns. It could not leave, and after a capture there no
//!   other bishop could come in.
//! - The queen at home whose neighbours are all steady, for the same reason, and king and queen
//!   together: the first of the two to move would have needed a free neighbour.
//!
//! Nobody passes, enters or captures on a steady man's square. A steady king cannot answer a
//! check from a neighbouring square, or from a knight or pawn, by moving, and nothing can be put
//! between; so whoever gives such a check is captured at once, and a man that is still on the
//! board was never there before the last move. A king never stands beside a steady enemy that
//! attacks it, for a man that never moved never gave check by moving there.

use castellan_rules::{Bitboard, Color, File, Rank, Role, Square, attacks};

use super::travel::flood;
use crate::Case;

/// The board as travellers find it.
#[derive(Clone, Debug)]
pub(super) struct Ground {
    /// The men that never moved.
    pub(super) steady: Bitboard,
    /// By colour and role, where a man that is still on the board cannot have stopped on its way.
    no_stop: [[Bitboard; 6]; 2],
    /// By colour, where its pawns may have captured something.
    pub(super) prey: [Bitboard; 2],
    /// By colour, the most captures its surviving pawns can have made.
    pub(super) captures: [usize; 2],
}

impl Ground {
    /// What the board itself says, before anything is known about captures.
    pub(super) fn of(case: &Case) -> Ground {
        let steady = steady_men(case);
        let no_stop =
            Color::ALL.map(|color| Role::ALL.map(|role| shunned(case, steady, color, role)));
        let captures = Color::ALL.map(|color| case.missing(!color));
        Ground { steady, no_stop, prey: [!steady; 2], captures }
    }

    /// Where a surviving man cannot have stopped on its way.
    pub(super) fn no_stop(&self, color: Color, role: Role) -> Bitboard {
        self.no_stop[color.index()][role.index()]
    }
}

impl Ground {
    /// Whether a man is a king in check from a neighbour that never moved. Nobody gave that check.
    pub(super) fn is_check_by_steady(&self, color: Color, role: Role, square: Square) -> bool {
        role == Role::King && self.no_stop(color, role).contains(square)
    }

    /// Whether a piece could come from no square where its kind starts or promotes, even if
    /// pawns promoted everywhere.
    pub(super) fn is_cut_off(&self, color: Color, role: Role, square: Square) -> bool {
        if role == Role::King {
            return true;
        }
        let stops = !self.steady & !self.no_stop(color, role);
        let reach = flood(role, Bitboard::of(square), self.steady, stops).without(square);
        let starts = Bitboard::rank(Rank::First) | Bitboard::rank(Rank::Eighth);
        (reach & starts).is_empty()
    }
}

/// The steady men and the kings and queens that they lock in.
fn steady_men(case: &Case) -> Bitboard {
    Color::ALL.into_iter().fold(case.steady(), |steady, color| with_locked_in(case, color, steady))
}

fn with_locked_in(case: &Case, color: Color, steady: Bitboard) -> Bitboard {
    let at = |file| Square::new(file, Rank::First.relative_to(color));
    let (queen, king) = (at(File::D), at(File::E));
    if !case.piece(color, Role::Queen).contains(queen) {
        return steady;
    }
    let exits = attacks::king(queen).without(king);
    let is_king_home = case.piece(color, Role::King).contains(king);
    let king_exits = attacks::king(king).without(queen);
    let is_king_locked = is_king_home && (king_exits & !steady).is_empty();
    if (exits & !steady).is_empty() && (steady.contains(king) || is_king_locked) {
        return steady.with(queen).with(king);
    }
    steady
}

/// Where a surviving man of this kind cannot have stopped, except with the very last move.
fn shunned(case: &Case, steady: Bitboard, color: Color, role: Role) -> Bitboard {
    let enemy = !color;
    if role == Role::King {
        return attacked_by_steady(case, steady, enemy);
    }
    let king = case.piece(enemy, Role::King) & steady;
    king.first().map_or(Bitboard::EMPTY, |king| match role {
        Role::Pawn => attacks::pawn(enemy, king),
        Role::Knight => attacks::knight(king),
        _ => touched(role, king),
    })
}

/// The squares beside steady men of a colour that they attack whatever else happens.
fn attacked_by_steady(case: &Case, steady: Bitboard, color: Color) -> Bitboard {
    let mut attacked = Bitboard::EMPTY;
    for square in steady & case.setup.pieces.color(color) {
        attacked |= match case.setup.pieces.role_at(square) {
            Some(Role::Pawn) => attacks::pawn(color, square),
            Some(Role::Knight) => attacks::knight(square),
            Some(role) => touched(role, square),
            None => Bitboard::EMPTY,
        };
    }
    attacked
}

/// The neighbours of a square that a slider or a king on it attacks.
fn touched(role: Role, square: Square) -> Bitboard {
    let around = attacks::king(square);
    match role {
        Role::Rook => around & attacks::rook(square, around),
        Role::Bishop => around & attacks::bishop(square, around),
        _ => around,
    }
}
