//! The quick test, for every move of every game.
//!
//! Nearly all positions leave at the first questions, which look at sets of squares and count
//! moves. Only where a side is short of men, of moves or of room is there more to do, and that
//! is bounded. It knows few reasons for a yes and is asked for the noes.

use castellan_rules::{Bitboard, Color, File, MoveList, Position, Role, attacks};

use super::{material, statics};

/// With more moves than these the side to move is not thought to be forced to anything.
const FEW_MOVES: usize = 3;

/// With more pawns than these that can move, a position is not thought to be closed.
const FREE_PAWNS: usize = 4;

/// With fewer pawns than these there is a way round every wall.
const WALL_PAWNS: usize = 6;

/// With more squares than these to go to, knights, rooks and queens are not thought to be shut in.
const FREE_STEPS: usize = 6;

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
fn is_closed(position: &Position, color: Color) -> bool {
    let pieces = position.pieces();
    let free = pieces.role(Role::Knight) | pieces.role(Role::Rook) | pieces.role(Role::Queen);
    if free.any() {
        return false;
    }
    let pawns = |color| pieces.color(color) & pieces.role(Role::Pawn);
    pawn_steps(position) <= FREE_PAWNS && are_faced(color, pawns(color), pawns(!color))
}

/// Whether it is worth asking at length if a position is dead: there is a wall of pawns of which
/// next to none can move, and knights, rooks and queens are shut in as well.
pub(super) fn is_tight(position: &Position) -> bool {
    let pieces = position.pieces();
    let pawns = |color| pieces.color(color) & pieces.role(Role::Pawn);
    let are_faced = |color: Color| are_faced(color, pawns(color), pawns(!color));
    pieces.role(Role::Pawn).count() >= WALL_PAWNS
        && pawn_steps(position) <= FREE_PAWNS
        && Color::ALL.into_iter().all(are_faced)
        && free_steps(position) <= FREE_STEPS
}

/// The number of squares that knights, rooks and queens can go to.
fn free_steps(position: &Position) -> usize {
    let pieces = position.pieces();
    let free = pieces.role(Role::Knight) | pieces.role(Role::Rook) | pieces.role(Role::Queen);
    let steps = free.into_iter().filter_map(|square| {
        let piece = position.piece_at(square)?;
        let reached = attacks::of_piece(piece, square, pieces.occupied());
        Some((reached & !pieces.color(piece.color)).count())
    });
    steps.sum()
}

/// The number of squares before pawns that are empty.
fn pawn_steps(position: &Position) -> usize {
    let pieces = position.pieces();
    let empty = !pieces.occupied();
    let [white, black] = Color::ALL.map(|color| (pieces.color(color) & pieces.role(Role::Pawn)).0);
    (Bitboard(white << 8) & empty | Bitboard(black >> 8) & empty).count()
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
