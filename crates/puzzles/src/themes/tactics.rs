//! Themes of single moves: forks, pins, discoveries and the like.

use castellan_engine::exchange::{value_of, wins_at_least};
use castellan_rules::{Color, Move, MoveKind, Piece, Position, Role, Square, attacks};

use super::geometry::{
    attacked_from, has_capture, is_slider, is_threatened, is_undefended, pins, value,
};
use super::{Solution, Step};

/// Values of the pieces in points, as players count them.
const POINTS: [i32; 6] = [1, 3, 3, 5, 9, 0];
/// Giving up at least this many points is a sacrifice; less is a pawn or an exchange of a bishop
/// for a knight.
const SACRIFICE_POINTS: i32 = 2;

/// Returns `true` if the moved piece attacks two targets, cannot be captured without loss, and
/// then captures one of them, unless the solution ends with the attack.
pub(super) fn is_fork(step: &Step) -> bool {
    let Step { mv, after, next, .. } = step;
    let Some(piece) = moved_piece(step) else { return false };
    let threatened: Vec<Square> = (attacked_from(after, mv.to()) & after.color(!piece.color))
        .into_iter()
        .filter(|square| {
            let target = after.piece_at(*square);
            target.is_some_and(|target| is_threatened(after, piece.role, *square, target))
        })
        .collect();
    if threatened.len() < 2 || has_capture(after, mv.to(), 0) {
        return false;
    }
    let is_last = step.reply.is_none();
    is_last || next.is_some_and(|next| next.from() == mv.to() && threatened.contains(&next.to()))
}

/// Returns `true` if a piece cannot capture the moved piece because it is pinned to its king, or
/// if the move pins a piece that is then captured.
pub(super) fn uses_pin(step: &Step) -> bool {
    let Step { before, mv, after, next, .. } = step;
    if mv.kind() == MoveKind::Castle {
        return false;
    }
    let is_forcing = before.is_capture(*mv) || after.is_check();
    pins(after, after.turn()).into_iter().any(|(pinned, pinning)| {
        let king = after.king(after.turn());
        let on_line = attacks::between(pinning, king).with(pinning).contains(mv.to());
        let cannot_recapture =
            is_forcing && !on_line && attacked_from(after, pinned).contains(mv.to());
        let is_pawn = (after.role(Role::Pawn)).contains(pinned);
        let is_won = pinning == mv.to() && !is_pawn && next.is_some_and(|next| next.to() == pinned);
        cannot_recapture || is_won
    })
}

/// Returns `true` if the moved piece attacks a piece that then leaves the line, and captures a
/// piece that was behind it.
pub(super) fn is_skewer(step: &Step) -> bool {
    let (Some((reply, _)), Some(next)) = (step.reply, step.next) else { return false };
    let Step { mv, after, .. } = step;
    let Some(piece) = moved_piece(step) else { return false };
    let (front, behind) = (reply.from(), next.to());
    if !is_slider(piece.role) || next.from() != mv.to() || reply.to() == behind {
        return false;
    }
    let (Some(first), Some(second)) = (after.piece_at(front), after.piece_at(behind)) else {
        return false;
    };
    let is_line = attacked_from(after, mv.to()).contains(front)
        && attacks::between(mv.to(), behind).contains(front)
        && attacks::of_piece(piece, mv.to(), after.occupied().without(front)).contains(behind);
    is_line
        && second.color != piece.color
        && second.role != Role::Pawn
        && value(first.role) >= value(second.role)
}

/// Returns `true` if a piece that did not move gives check.
pub(super) fn is_discovered_check(step: &Step) -> bool {
    let moved_to = landing(step);
    step.after.checkers().into_iter().any(|square| !moved_to.contains(&square))
}

/// Returns `true` if the move opens the line of another piece, which then captures what it
/// attacks there.
pub(super) fn is_discovered_attack(step: &Step) -> bool {
    let Step { before, mv, after, next, .. } = step;
    let Some(next) = next else { return false };
    let (Some(piece), Some(target)) = (after.piece_at(next.from()), after.piece_at(next.to()))
    else {
        return false;
    };
    let is_new = !attacked_from(before, next.from()).contains(next.to())
        && attacked_from(after, next.from()).contains(next.to())
        && attacks::between(next.from(), next.to()).contains(mv.from());
    is_new
        && before.piece_at(next.from()) == Some(piece)
        && target.color != piece.color
        && is_threatened(after, piece.role, next.to(), target)
}

/// Returns `true` if the first move captures a piece that no legal move recaptures, and that had
/// not just captured something itself.
pub(super) fn is_hanging(solution: &Solution) -> bool {
    let Solution { before, mistake, start, moves } = solution;
    let Some((piece, square)) = start.captured(moves[0]) else { return false };
    let after = start.play_unchecked(moves[0]);
    let is_recaptured = after.legal_moves().iter().any(|mv| mv.to() == square);
    let has_captured = before.is_capture(*mistake) && mistake.to() == square;
    piece.role != Role::Pawn && !is_recaptured && !has_captured
}

/// Returns `true` if a piece is lost wherever it goes, and is then captured. A pinned piece is
/// lost for another reason.
pub(super) fn traps_piece(step: &Step) -> bool {
    let (Some((reply, _)), Some(next), after) = (step.reply, step.next, &step.after) else {
        return false;
    };
    // The piece may have moved to the square where it is captured.
    let square = if reply.to() == next.to() { reply.from() } else { next.to() };
    let Some(piece) = after.piece_at(square) else { return false };
    if piece.color != after.turn() || matches!(piece.role, Role::Pawn | Role::King) {
        return false;
    }
    let Some(passed) = after.null_move() else { return false };
    if pins(after, piece.color).iter().any(|(pinned, _)| *pinned == square) {
        return false;
    }
    let is_lost_after = |mv: &Move| {
        let gained = after.captured(*mv).map_or(0, |(piece, _)| value_of(piece.role));
        has_capture(&after.play_unchecked(*mv), mv.to(), gained + 1)
    };
    let moves = after.legal_moves();
    let mut own = moves.iter().filter(|mv| mv.from() == square);
    has_capture(&passed, square, 1) && own.all(is_lost_after)
}

/// Returns `true` if the reply captures the moved piece with a piece that defended the square of
/// the next move, where the solver captures, mates or promotes.
pub(super) fn deflects(step: &Step) -> bool {
    let (Some((reply, replied)), Some(next)) = (step.reply, step.next) else { return false };
    let Step { mv, after, .. } = step;
    if reply.to() != mv.to() || !after.is_capture(reply) || next.to() == mv.to() {
        return false;
    }
    let has_gain = replied.is_capture(next)
        || next.promotion().is_some()
        || replied.play_unchecked(next).is_checkmate();
    // The piece itself may have blocked its own view of the square, so its move counts as made.
    has_gain
        && attacked_from(after, reply.from()).contains(next.to())
        && !attacked_from(&replied, reply.to()).contains(next.to())
}

/// Returns `true` if the move captures a defender, and the next move wins the piece that it
/// defended, which could not have been won before.
pub(super) fn removes_defender(step: &Step) -> bool {
    let (Some((reply, replied)), Some(next), before) = (step.reply, step.next, &step.before) else {
        return false;
    };
    let Some((_, captured_on)) = before.captured(step.mv) else { return false };
    let target = next.to();
    let was_there = before.piece_at(target).filter(|piece| piece.color != before.turn());
    if target == captured_on || was_there.is_none() || reply.to() == target {
        return false;
    }
    let won_before = before.is_legal(next) && wins_at_least(before, next, 1);
    attacked_from(before, captured_on).contains(target)
        && replied.piece_at(target) == was_there
        && !won_before
        && wins_at_least(&replied, next, 1)
        && is_undefended(&replied, !replied.turn(), target)
}

/// Returns `true` if the solver has less material after a reply than at the start, by more than
/// the value of a pawn.
pub(super) fn is_sacrifice(solver: Color, steps: &[Step]) -> bool {
    let Some(first) = steps.first() else { return false };
    let start = balance(&first.before, solver);
    let after_replies = steps.iter().filter_map(|step| step.reply.as_ref());
    after_replies
        .map(|(_, position)| balance(position, solver))
        .any(|balance| balance <= start - SACRIFICE_POINTS)
}

fn balance(position: &Position, color: Color) -> i32 {
    let points = |color| -> i32 {
        let own = position.color(color);
        let of_role = |role: Role| (own & position.role(role)).count() as i32;
        Role::ALL.into_iter().map(|role| of_role(role) * POINTS[role.index()]).sum()
    };
    points(color) - points(!color)
}

/// Returns the piece that the solver has moved, or `None` after castling.
fn moved_piece(step: &Step) -> Option<Piece> {
    let is_castling = step.mv.kind() == MoveKind::Castle;
    step.after.piece_at(step.mv.to()).filter(|_| !is_castling)
}

/// Returns the squares where moved pieces stand after a move: one, or two after castling.
fn landing(step: &Step) -> Vec<Square> {
    let Step { before, mv, after, .. } = step;
    if mv.kind() != MoveKind::Castle {
        return vec![mv.to()];
    }
    let color = before.turn();
    (after.color(color) & !before.color(color)).into_iter().collect()
}
