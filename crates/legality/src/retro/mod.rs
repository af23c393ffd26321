//! Determines what the last move can have been, and what follows if there was none.
//!
//! This module takes moves back and runs every argument based on that: checks that no move can
//! give, positions without a last move, and positions whose every past is impossible. The caller
//! supplies the arguments about pawns and piece counts.
//!
//! Invariant: the true predecessor of a position from a game is among those found here.
//!
//! For example, a white pawn on e2 cannot be giving check to a king on d3: the pawn has never
//! moved, and no other move can have uncovered its attack.

mod explain;
mod generate;
mod past;
mod retro_move;
#[cfg(test)]
mod tests;

use crate::{Case, Finding};
use generate::RetroMoves;
pub(crate) use past::refute_by_past;
pub(crate) use retro_move::RetroMove;

/// Returns every move that may have led to a case, with the weakest position it was played in.
pub(crate) fn predecessors(case: &Case) -> impl Iterator<Item = (RetroMove, Case)> + use<> {
    let case = *case;
    RetroMoves::of(&case)
        .all()
        .into_iter()
        .map(move |retro_move| (retro_move, retro_move.before(&case)))
}

/// Returns whether the last move can have been neither a capture nor a pawn move.
pub(crate) fn can_be_quiet(case: &Case) -> bool {
    RetroMoves::of(case).exist_quiet()
}

/// Returns whether the last move can have been a capture or a pawn move.
pub(crate) fn can_be_zeroing(case: &Case) -> bool {
    RetroMoves::of(case).exist_zeroing()
}

/// Adds a finding if there was no last move. Stops at the first one found, which in most
/// positions is the first one tried.
pub(crate) fn examine(case: &Case, findings: &mut Vec<Finding>) {
    let mut retro_moves = RetroMoves::of(case);
    if retro_moves.exist() || retro_move::may_be_start(case) {
        return;
    }
    findings.push(explain::no_last_move(case, &mut retro_moves));
}
