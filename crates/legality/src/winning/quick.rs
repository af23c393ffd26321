//! The quick test, for every move of every game.
//!
//! Nearly all positions leave at the first questions, which look at sets of squares and count
//! moves. Only where a side is short of men, of moves or of room is there more to do, and that
//! is bounded. It knows few reasons for a yes and is asked for the noes.

use castellan_rules::{Bitboard, Color, File, MoveList, Position, Role};

use super::{material, statics};

/// With more moves than these the side to move is not thought to be forced to anything.
const FEW_MOVES: usize = 3;

/// With more pawns than these that can move, a position is not thought to be closed.
const FREE_PAWNS: usize = 4;

/// How many positions are looked at where moves are few.
const FORCED_POSITIONS: u32 = 48;

/// Whether a side can still mate, where that is quickly said: about a tenth of a microsecond for
/// most positions of games, and no allocation.
///
/// Both answers are certain. `None` means that nothing stands in the way at first sight: let the
/// game go on, or ask [`can_win`](super::can_win).
///
/// ```
/// use castellan_legality::winning::can_win_quickly;
/// use castellan_rules::{Color, Position};
/// let position = Position::from_fen("8/8/8/8/8/8/1Q2K3/1k6 b - - 0 81")?;
/// assert_eq!(can_win_quickly(&position, Color::White), Some(false));
/// assert_eq!(can_win_quickly(&Position::start(), Color::White), None);
/// # Ok::<(), castellan_rules::FenError>(())
/// ```
pub fn can_win_quickly(position: &Position, color: Color) -> Option<bool> {
    if material::is_insufficient(position.pieces(), color) {
        // Nobody was asked how the position came about: it may be a mate all the same.
        return Some(position.turn() != color && position.is_checkmate());
    }
    let moves = position.count_legal_moves();
    if moves == 0 {
        return Some(position.turn() != color && position.is_check());
    }
    if moves <= FEW_MOVES && is_forced_away(position, color, &mut { FORCED_POSITIONS }) {
        return Some(false);
    }
    let is_lost = is_closed(position, color) && statics::is_surely_unwinnable(position, color);
    is_lost.then_some(false)
}

/// Whether moves are so few that a side loses its men or its last moves whatever is played.
fn is_forced_away(position: &Position, color: Color, left: &mut u32) -> bool {
    let mut moves = MoveList::new();
    position.legal_moves_into(&mut moves);
    moves.iter().all(|&mv| {
        let next = position.play_unchecked(mv);
        let count = next.count_legal_moves();
        if count == 0 {
            return next.turn() == color || !next.is_check();
        }
        if material::is_insufficient(next.pieces(), color) {
            return true;
        }
        *left = left.saturating_sub(1);
        *left > 0 && count <= FEW_MOVES && is_forced_away(&next, color, left)
    })
}

/// Whether a side is so shut in that a static proof is worth trying: there are but kings, bishops and
/// pawns, and next to no pawn can move.
pub(super) fn is_closed(position: &Position, color: Color) -> bool {
    let pieces = position.pieces();
    let free = pieces.role(Role::Knight) | pieces.role(Role::Rook) | pieces.role(Role::Queen);
    if free.any() {
        return false;
    }
    let empty = !pieces.occupied();
    let [white, black] = Color::ALL.map(|color| (pieces.color(color) & pieces.role(Role::Pawn)).0);
    let steps = Bitboard(white << 8) & empty | Bitboard(black >> 8) & empty;
    let own = color.fold(white, black);
    let facing = Bitboard(color.fold(black, white));
    steps.count() <= FREE_PAWNS && are_faced(color, Bitboard(own), facing)
}

/// Whether each pawn has an enemy pawn before it on its file.
fn are_faced(color: Color, pawns: Bitboard, facing: Bitboard) -> bool {
    File::ALL.into_iter().all(|file| {
        let file = Bitboard::file(file);
        let (own, enemy) = (pawns & file, facing & file);
        let (front, last) = match color {
            Color::White => (own.last(), enemy.last()),
            Color::Black => (enemy.first(), own.first()),
        };
        own.is_empty() || enemy.any() && front < last
    })
}
