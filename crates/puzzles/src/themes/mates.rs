//! Themes of the final position: how long the mate is, and what it looks like.

use castellan_rules::{Position, Rank, Role, attacks};

use super::{Step, Theme};

/// Returns the theme for the length of the mate, or `None` if the solution does not mate.
pub(super) fn length(steps: &[Step]) -> Option<Theme> {
    mated(steps)?;
    Some(match steps.len() {
        1 => Theme::MateIn1,
        2 => Theme::MateIn2,
        3 => Theme::MateIn3,
        _ => Theme::LongMate,
    })
}

/// Returns `true` if a rook or queen mates along the back rank, and every square in front of the
/// king has a piece of its own color.
pub(super) fn is_back_rank(steps: &[Step]) -> bool {
    let Some(position) = mated(steps) else { return false };
    let color = position.turn();
    let king = position.king(color);
    if king.rank().relative_to(color) != Rank::First {
        return false;
    }
    let checks_along_rank = position.checkers().into_iter().any(|square| {
        let role = position.piece_at(square).map(|piece| piece.role);
        square.rank() == king.rank() && matches!(role, Some(Role::Rook | Role::Queen))
    });
    let forward = color.fold(1, -1);
    let mut ahead = [-1, 0, 1].into_iter().filter_map(|files| king.offset(files, forward));
    checks_along_rank && ahead.all(|square| position.color(color).contains(square))
}

/// Returns `true` if a knight mates, and every square around the king has a piece of its own
/// color.
pub(super) fn is_smothered(steps: &[Step]) -> bool {
    let Some(position) = mated(steps) else { return false };
    let color = position.turn();
    let around = attacks::king(position.king(color));
    let checkers = position.checkers();
    let is_knight = (checkers & position.role(Role::Knight)) == checkers;
    is_knight && (around & position.color(color)) == around
}

/// Returns the final position if it is checkmate.
fn mated(steps: &[Step]) -> Option<&Position> {
    steps.last().map(|step| &step.after).filter(|position| position.is_checkmate())
}
