//! What the last move can have been, and what follows if there is none.
//!
//! Owns: moves taken back, and every argument from them: checks that no move gives, positions
//! without a last move, and those whose every past is impossible.
//! Does not own: what the pawns and the counts say of a position, which the caller supplies.
//!
//! Sound: a position of a game has its true predecessor among those found here.

mod explain;
mod generate;
mod material;
mod past;
#[cfg(test)]
mod tests;
mod unmove;

use crate::{Case, Finding};
use generate::Unmoves;
pub(crate) use past::refute_by_past;
pub(crate) use unmove::{Unmove, castled_squares};

/// Every move that may have led to a case, with the weakest position it was played in.
pub(crate) fn predecessors(case: &Case) -> impl Iterator<Item = (Unmove, Case)> + use<> {
    let case = *case;
    Unmoves::of(&case).all().into_iter().map(move |unmove| (unmove, unmove.before(&case)))
}

/// Whether the last move can have been neither a capture nor a pawn move.
pub(crate) fn can_be_quiet(case: &Case) -> bool {
    Unmoves::of(case).exist_quiet()
}

/// Whether the last move can have been a capture or a pawn move.
pub(crate) fn can_be_zeroing(case: &Case) -> bool {
    Unmoves::of(case).exist_zeroing()
}

/// Says so if there was no last move. It stops at the first one found, which in most positions
/// is the first one tried.
pub(crate) fn examine(case: &Case, findings: &mut Vec<Finding>) {
    let mut unmoves = Unmoves::of(case);
    if unmoves.exist() || unmove::may_be_start(case) {
        return;
    }
    findings.push(explain::no_last_move(case, &mut unmoves));
}
