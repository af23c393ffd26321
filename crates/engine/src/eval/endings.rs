//! Endings that the sum of terms misjudges: insufficient winning material, and bare kings to
//! mate.

use castellan_rules::{Bitboard, Color, Position, Role, Square};

use super::geometry::distance;

/// The scale factor at which an advantage counts in full.
pub(crate) const WHOLE: i32 = 64;

/// The scale factor for opposite-colored bishops with no other pieces but pawns.
const OPPOSITE_BISHOPS: i32 = 28;
/// The scale factor for opposite-colored bishops with other pieces.
const OPPOSITE_BISHOPS_AND_MORE: i32 = 52;
/// The scale factor if the stronger side has no pawns and is at most a minor piece up.
const NO_PAWNS: i32 = 10;
/// The scale factor if the stronger side has one pawn and is not ahead in pieces.
const ONE_PAWN: i32 = 48;

/// Returns how much of a color's endgame advantage counts, out of [`WHOLE`].
pub(crate) fn scale(position: &Position, strong: Color) -> i32 {
    let ours = position.color(strong);
    let pawns = (position.role(Role::Pawn) & ours).count();
    let [own, other] = [strong, !strong].map(|color| piece_value(position, color));
    if let Some(share) = pawnless(position, strong) {
        return share;
    }
    if has_opposite_bishops(position) {
        let only = own == MINOR && other == MINOR;
        return if only { OPPOSITE_BISHOPS } else { OPPOSITE_BISHOPS_AND_MORE };
    }
    if pawns == 1 && own - other <= 0 { ONE_PAWN } else { WHOLE }
}

/// Returns how much of an advantage counts if the stronger side has no pawns and too few extra
/// pieces to win, and `None` otherwise.
pub(crate) fn pawnless(position: &Position, strong: Color) -> Option<i32> {
    if (position.role(Role::Pawn) & position.color(strong)).any() {
        return None;
    }
    let [own, other] = [strong, !strong].map(|color| piece_value(position, color));
    let share = if own <= MINOR { 0 } else { NO_PAWNS };
    (own - other <= MINOR).then_some(share)
}

const MINOR: i32 = 3;

/// Returns the value of a color's pieces without pawns, in the usual pawn units.
fn piece_value(position: &Position, color: Color) -> i32 {
    let count = |role| (position.role(role) & position.color(color)).count() as i32;
    MINOR * (count(Role::Knight) + count(Role::Bishop))
        + 5 * count(Role::Rook)
        + 9 * count(Role::Queen)
}

fn has_opposite_bishops(position: &Position) -> bool {
    let bishops = position.role(Role::Bishop);
    let [white, black] = Color::ALL.map(|color| bishops & position.color(color));
    let is_one_each = white.count() == 1 && black.count() == 1;
    is_one_each && (bishops & Bitboard::LIGHT).count() == 1
}

/// The minimum value of a won ending, so that the engine does not leave it for a few pawns.
const WON: i32 = 900;

/// Returns the evaluation for `strong` against a bare king, which replaces the sum of terms.
/// Returns `None` if `strong` has pawns or the other side has more than its king.
pub(crate) fn bare_king(position: &Position, strong: Color) -> Option<i32> {
    let ours = position.color(strong);
    if position.color(!strong).has_multiple() || (position.role(Role::Pawn) & ours).any() {
        return None;
    }
    let count = |role| (position.role(role) & ours).count();
    let bishops = position.role(Role::Bishop) & ours;
    let has_both = (bishops & Bitboard::LIGHT).any() && (bishops & Bitboard::DARK).any();
    let has_heavy = count(Role::Rook) + count(Role::Queen) > 0;
    let is_bishop_and_knight = bishops.any() && count(Role::Knight) > 0;
    let can_mate = has_heavy || has_both || is_bishop_and_knight || count(Role::Knight) > 2;
    if !can_mate {
        return Some(0);
    }
    let [king, bare] = [position.king(strong), position.king(!strong)];
    let to_corner = if has_heavy || has_both {
        edge_distance(bare)
    } else {
        corner_distance(bare, (bishops & Bitboard::LIGHT).any())
    };
    let material = 100 * piece_value(position, strong);
    Some(WON + material - 40 * to_corner - 20 * distance(king, bare))
}

/// Returns a weighted distance of a king from the edge: twice the distance from the nearest edge,
/// plus the distance from the nearest edge in the other direction.
fn edge_distance(king: Square) -> i32 {
    let near = |index: usize| index.min(7 - index) as i32;
    2 * near(king.file().index()).min(near(king.rank().index()))
        + near(king.file().index()).max(near(king.rank().index()))
}

/// Returns a king's distance from the nearer corner of a square color.
fn corner_distance(king: Square, is_light: bool) -> i32 {
    let corners = if is_light { [Square::A8, Square::H1] } else { [Square::A1, Square::H8] };
    let steps = |corner: Square| {
        (king.file().index().abs_diff(corner.file().index())
            + king.rank().index().abs_diff(corner.rank().index())) as i32
    };
    steps(corners[0]).min(steps(corners[1]))
}
