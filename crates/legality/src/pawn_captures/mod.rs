//! Decides whether the captures and promotions of a position fit together at all.
//!
//! This module counts the captures that pawns and promotions need, and searches for an order of
//! captures and promotions that leads from the start of a game to the pawns of a position. It
//! leaves to other modules positions that simply have too many pieces, and the question where
//! pieces other than pawns can have gone.
//!
//! # Abstraction
//!
//! The search keeps only the pawns of a position, file by file, and some counters: captures by
//! each side, pawns that were captured as pawns, promotions on squares of a color, and pieces
//! captured by pawns on squares of a color. Every game maps to a path in this abstract game:
//!
//! * A move of another piece that captures nothing changes nothing. A pawn that advances passes
//!   no other pawn, which changes nothing in the search without ranks and is allowed at any time
//!   in the search with ranks.
//! * A pawn captures onto the next file. If it captures a pawn, it stands in that pawn's place
//!   afterward. This also holds en passant: the captured pawn came from its second rank over an
//!   empty square, and might as well have stopped and been captured there. If it captures another
//!   piece, it may stand anywhere between the pawns of the file.
//! * A pawn promotes if no pawn is in front of it, by advancing or by a capture onto the next
//!   file.
//! * Another piece captures a pawn, which is then gone, or another piece, which changes only the
//!   counters.
//!
//! # Goal
//!
//! The pawns must end up where they stand. Each side has made as many captures as the other side is
//! missing pieces; those that the path does not use were captures of pieces by pieces. Of the pawns
//! that are gone, as many have promoted as there are pieces beyond the initial set, so only the
//! others can have been captured as pawns. Bishops beyond the first on squares of a color promoted
//! on such squares. If a bishop is missing, one of the captures was on a square of its color, and
//! therefore was not a capture by a pawn on a square of the other color. A queen, rook or knight
//! that was captured and later replaced by promotion needs no special care: the counts already
//! allow that promotion.
//!
//! Pieces that certainly never moved restrict this further: pawns on their second rank, kings and
//! rooks that may castle, and bishops behind such pawns. They block promotion squares. A pawn next
//! to such a king gives a check that only its capture ends, so it never promotes from there. A
//! bishop promoted behind such pawns can never leave. A missing bishop that never got out was
//! captured at home by a piece other than a pawn.
//!
//! # Search
//!
//! Files interact only through pawns that capture across the border between them. The search
//! therefore proceeds file by file: given what crossed the border behind, in order, what may have
//! crossed the border ahead, and at what cost? The orders at neighboring borders meet on one file
//! only, where they are interleaved. Since the files form a row, all of these together always fit
//! into one order of the whole game. So no history is missed, and the possibilities of captures far
//! from each other never multiply.
//!
//! The first search goes from h to a and knows only the order of the pawns on each file
//! ([`pawn_order`]). If the position passes, the second search goes from a to h with their ranks
//! ([`pawn_ranks`]), guided by the results of the first ([`guide`]). Both begin with few captures
//! and keep few of the ways through a file: most positions fit, and then any way will do. A
//! position is refuted only by a search that left nothing out.

mod bound;
mod capture_key;
mod crossing;
mod file_search;
mod findings;
mod goal;
mod guide;
mod pawn_order;
mod pawn_ranks;
mod pawns;
mod prices;
mod resources;
#[cfg(test)]
mod tests;

use std::array::from_fn;

use crate::{Budget, Case, Finding};
use bound::Bounds;
pub(crate) use capture_key::CaptureKey;
use file_search::{Answer, FileSearch, Limits, Lookahead};
use goal::CaptureGoal;
use guide::Guide;
use pawn_ranks::PawnRanks;

/// Counts the captures that the pawns and promotions of a position need. This takes almost no
/// time and finds most of what [`examine`] finds in positions with many promotions.
pub(crate) fn examine_quickly(case: &Case, findings: &mut Vec<Finding>) {
    let goal = match CaptureGoal::counted(&case.before_double_step()) {
        Ok(goal) => goal,
        Err(reason) => return findings.extend(findings::without_goal(case, reason)),
    };
    let (needed, most) = (bound::min_captures(&goal), goal.max_captures());
    if needed > most {
        findings.push(findings::too_few_captures(case, &goal, needed));
    }
}

/// Searches for captures and promotions that lead to a position. Returns `true` if the question
/// is settled: either there is a finding, or such captures and promotions exist. Returns `false`
/// if the budget is spent.
///
/// This also finds everything that [`examine_quickly`] finds, but reports it as
/// [`Code::NoCaptureOrder`](crate::Code::NoCaptureOrder).
pub(crate) fn examine(case: &Case, budget: &mut Budget<'_>, findings: &mut Vec<Finding>) -> bool {
    let before = case.before_double_step();
    let goal = match CaptureGoal::of(&before) {
        Ok(goal) => goal,
        Err(reason) => {
            findings.extend(findings::without_goal(case, reason));
            return true;
        }
    };
    let answer = decide(&goal, &goal::pawn_ranks(&before), budget);
    if answer == Answer::Impossible {
        findings.push(findings::no_capture_order(case));
    }
    answer != Answer::Unknown
}

/// The successive attempts: how many ways through a file are kept, and how many captures beyond
/// the minimum are tried. The last attempt leaves nothing out.
const ATTEMPTS: [(usize, u32); 4] = [(16, 6), (64, 4), (512, 2), (usize::MAX, 30)];

/// Decides whether captures and promotions for a goal exist.
fn decide(goal: &CaptureGoal, pawn_ranks: &[PawnRanks; 8], budget: &mut Budget<'_>) -> Answer {
    let bounds = Bounds::of(goal);
    let most = goal.max_captures();
    let mut fewest = bound::min_captures(goal);
    for (width, beyond) in ATTEMPTS {
        let first = fewest;
        for captures in first..=most.min(first + beyond) {
            let limits = Limits { captures, width };
            match attempt(goal, pawn_ranks, &bounds, limits, budget) {
                Answer::Possible => return Answer::Possible,
                Answer::Impossible => fewest = captures + 1,
                Answer::Unknown if budget.is_spent() => return Answer::Unknown,
                Answer::Unknown => {}
            }
        }
    }
    if fewest > most { Answer::Impossible } else { Answer::Unknown }
}

/// Decides the question within limits: first without ranks, then with them.
fn attempt(
    goal: &CaptureGoal,
    pawn_ranks: &[PawnRanks; 8],
    bounds: &Bounds,
    limits: Limits,
    budget: &mut Budget<'_>,
) -> Answer {
    let mut coarse = FileSearch::new(goal, &goal.pawn_orders, Lookahead::FromRight(bounds), limits);
    let mut borders = Vec::new();
    match coarse.run(&mut borders, budget) {
        Answer::Possible => {}
        answer => return answer,
    }
    // The coarse search passed the borders from right to left.
    let guides = from_fn(|file| Guide::of(&borders[6 - file], coarse.prices()));
    let mut fine = FileSearch::new(goal, pawn_ranks, Lookahead::FromLeft(&guides), limits);
    match fine.run(&mut Vec::new(), budget) {
        Answer::Impossible if !coarse.is_complete() => Answer::Unknown,
        answer => answer,
    }
}
