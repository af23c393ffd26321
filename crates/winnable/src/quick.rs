//! The quick test, for every move of every game.
//!
//! Nearly all positions are decided by the first questions, which look at sets of squares and
//! count moves. Only if a side is short of pieces, moves or room is there more to do, and that is
//! bounded. The test can prove few positive answers; its purpose is the negative ones.

use castellan_rules::{Bitboard, Color, File, MoveList, Position, Role, attacks};

use crate::{material, static_proof};

/// With more legal moves than this, the side to move is not considered forced.
const FEW_MOVES: usize = 3;

/// With more possible pawn steps than this, a position is not considered closed.
const MAX_PAWN_STEPS: usize = 4;

/// With fewer pawns than this, there is a way around every wall.
const MIN_WALL_PAWNS: usize = 6;

/// With more squares than this to go to, knights, rooks and queens are not considered shut in.
const MAX_PIECE_STEPS: usize = 6;

/// How many positions are examined if there are few moves.
const FORCED_POSITIONS: u32 = 48;

/// Returns whether a side can still checkmate, if that is quick to decide. It takes about a tenth
/// of a microsecond for most positions of games and allocates nothing.
///
/// Both answers are certain. `None` means that nothing rules out a mate at first sight: let the
/// game go on, or call [`can_win`](crate::can_win).
///
/// ```
/// use castellan_winnable::can_win_quickly;
/// use castellan_rules::{Color, Position};
/// let position = Position::from_fen("8/8/8/8/8/8/1Q2K3/1k6 b - - 0 81")?;
/// assert_eq!(can_win_quickly(&position, Color::White), Some(false));
/// assert_eq!(can_win_quickly(&Position::start(), Color::White), None);
/// # Ok::<(), castellan_rules::FenError>(())
/// ```
pub fn can_win_quickly(position: &Position, color: Color) -> Option<bool> {
    if material::is_insufficient(position.pieces(), color) {
        // The position need not come from a game, so it may be checkmate nevertheless.
        return Some(position.turn() != color && position.is_checkmate());
    }
    let moves = position.count_legal_moves();
    if moves == 0 {
        return Some(position.turn() != color && position.is_check());
    }
    if moves <= FEW_MOVES && is_forced_unwinnable(position, color, &mut { FORCED_POSITIONS }) {
        return Some(false);
    }
    let is_lost = is_closed(position, color) && static_proof::is_surely_unwinnable(position, color);
    is_lost.then_some(false)
}

/// Returns whether every line of few moves ends with a side that can no longer mate: it has lost the
/// pieces for it, or the game is over. `left` is the number of positions that may still be examined.
fn is_forced_unwinnable(position: &Position, color: Color, left: &mut u32) -> bool {
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
        *left > 0 && count <= FEW_MOVES && is_forced_unwinnable(&next, color, left)
    })
}

/// Returns whether a side is so shut in that a static proof is worth trying: there are only
/// kings, bishops and pawns, and almost no pawn can move.
fn is_closed(position: &Position, color: Color) -> bool {
    let pieces = position.pieces();
    let free = pieces.role(Role::Knight) | pieces.role(Role::Rook) | pieces.role(Role::Queen);
    if free.any() {
        return false;
    }
    let pawns = |color| pieces.color(color) & pieces.role(Role::Pawn);
    pawn_steps(position) <= MAX_PAWN_STEPS && all_face_pawns(color, pawns(color), pawns(!color))
}

/// Returns whether a position is worth the slower test for being dead: there is a wall of pawns
/// of which almost none can move, and knights, rooks and queens are shut in as well.
pub(crate) fn is_tight(position: &Position) -> bool {
    let pieces = position.pieces();
    let pawns = |color| pieces.color(color) & pieces.role(Role::Pawn);
    let all_face_pawns = |color: Color| all_face_pawns(color, pawns(color), pawns(!color));
    pieces.role(Role::Pawn).count() >= MIN_WALL_PAWNS
        && pawn_steps(position) <= MAX_PAWN_STEPS
        && Color::ALL.into_iter().all(all_face_pawns)
        && piece_steps(position) <= MAX_PIECE_STEPS
}

/// Returns the number of squares that knights, rooks and queens can move to.
fn piece_steps(position: &Position) -> usize {
    let pieces = position.pieces();
    let free = pieces.role(Role::Knight) | pieces.role(Role::Rook) | pieces.role(Role::Queen);
    let steps = free.into_iter().filter_map(|square| {
        let piece = position.piece_at(square)?;
        let reached = attacks::of_piece(piece, square, pieces.occupied());
        Some((reached & !pieces.color(piece.color)).count())
    });
    steps.sum()
}

/// Returns the number of empty squares directly in front of pawns.
fn pawn_steps(position: &Position) -> usize {
    let pieces = position.pieces();
    let empty = !pieces.occupied();
    let [white, black] = Color::ALL.map(|color| (pieces.color(color) & pieces.role(Role::Pawn)).0);
    (Bitboard(white << 8) & empty | Bitboard(black >> 8) & empty).count()
}

/// Returns whether each pawn has an enemy pawn ahead of it on its file.
fn all_face_pawns(color: Color, pawns: Bitboard, facing: Bitboard) -> bool {
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
