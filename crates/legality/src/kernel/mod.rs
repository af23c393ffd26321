//! Whether the captures and promotions of a position fit together at all.
//!
//! Owns: the counting of captures that pawns and promotions need, and the search for an order of
//! captures and promotions that leads from the start of a game to the pawns of a position.
//! Leaves to others: men that are too many in the first place, and where pieces other than pawns
//! can have gone.
//!
//! # What is kept of a game
//!
//! Of a position only the pawns are kept, file by file, and counters: captures by each side, pawns
//! that were captured as pawns, promotions on squares of a color, pieces captured by pawns on
//! squares of a color. Every game maps to a path here:
//!
//! * Moves of pieces that capture nothing change nothing. A pawn that goes straight on passes no
//!   other pawn. Without ranks that changes nothing, with ranks it is allowed at any time.
//! * A pawn captures onto the next file. If it takes a pawn it stands in its place afterwards.
//!   That holds in passing too: the other came from its second rank over an empty square, and it
//!   might as well have stopped there and be taken there. If it takes a piece it stands between
//!   the pawns of the file somewhere.
//! * A pawn promotes if no pawn is in front of it: by going on, or with a capture onto the next
//!   file.
//! * A piece takes a pawn, which is gone, or a piece, which only counts.
//!
//! # What is asked in the end
//!
//! The pawns have to stand as they do. Each side has made as many captures as the other misses
//! men; any that the path does not use were pieces taking pieces. Of the pawns that are gone, as
//! many have promoted as there are men beyond those of the start, so at most the others were
//! captured as pawns. Bishops beyond the first one on squares of a color promoted on such squares. If
//! a bishop is gone, one of the captures was on a square of its color, and so was not one by a
//! pawn on a square of the other. A queen, rook or knight that was captured and later replaced by
//! promotion needs no thought: the promotion is one that the numbers allow already.
//!
//! Men that certainly never moved narrow this: pawns on their second rank, kings and rooks that
//! may castle, bishops behind such pawns. They block promotion squares; a pawn next to such a king
//! gives a check that only its capture ends, so it never promotes from there; a bishop promoted
//! behind such pawns stays. A bishop that never got out and is gone was captured at home by a piece.
//!
//! # How it is searched
//!
//! Files touch each other only through pawns that capture across their border. So the search goes
//! file by file: given what crossed the border behind, in its order, what may have crossed the
//! border ahead, and at what cost? Orders at neighbouring borders meet on one file only, where
//! they are interleaved; all of these together always fit into one order of the whole game, as
//! the files form a row. So nothing is lost, and captures far from each other never multiply.
//!
//! First from h to a with the order of pawns on each file only ([`column`]), then, if that fits,
//! from a to h with their ranks ([`placement`]), led by what the first search has found
//! ([`guide`]). Both begin with few captures and keep few of the ways through a file: most
//! positions fit, and then any way will do. A position is refuted only by a search that left
//! nothing out.

mod bound;
mod column;
mod crossing;
mod goal;
mod guide;
mod mixer;
mod pawns;
mod placement;
mod purse;
mod question;
mod sweep;
mod tariff;
#[cfg(test)]
mod tests;
mod words;

use std::array::from_fn;

use crate::{Budget, Case, Finding};
use bound::Bounds;
use goal::Goal;
use guide::Guide;
use placement::Placement;
pub(crate) use question::Question;
use sweep::{Answer, Limits, Sight, Sweep};

/// Counts the captures that the pawns and promotions of a position need. Takes no time to speak
/// of, and finds most of what [`examine`] finds in positions with many promotions.
pub(crate) fn examine_quickly(case: &Case, findings: &mut Vec<Finding>) {
    let goal = match Goal::counted(&case.before_double_step()) {
        Ok(goal) => goal,
        Err(reason) => return findings.extend(words::without_goal(case, reason)),
    };
    let (needed, most) = (bound::fewest_captures(&goal), goal.most_captures());
    if needed > most {
        findings.push(words::too_few_captures(case, &goal, needed));
    }
}

/// Searches for captures and promotions that lead to a position. True if that settled it: either
/// there is a finding, or there are such captures and promotions. False if the budget is spent.
///
/// What [`examine_quickly`] finds is found again, by the other name.
pub(crate) fn examine(case: &Case, budget: &mut Budget<'_>, findings: &mut Vec<Finding>) -> bool {
    let before = case.before_double_step();
    let goal = match Goal::of(&before) {
        Ok(goal) => goal,
        Err(reason) => {
            findings.extend(words::without_goal(case, reason));
            return true;
        }
    };
    let answer = answer(&goal, &goal::placements(&before), budget);
    if answer == Answer::FitsNot {
        findings.push(words::no_capture_order(case));
    }
    answer != Answer::Unknown
}

/// How many ways through a file are kept, and how many captures beyond the fewest are tried so,
/// one attempt after the other. The last one leaves nothing out.
const ATTEMPTS: [(usize, u32); 4] = [(16, 6), (64, 4), (512, 2), (usize::MAX, 30)];

/// Whether there are captures and promotions for a goal.
fn answer(goal: &Goal, placements: &[Placement; 8], budget: &mut Budget<'_>) -> Answer {
    let bounds = Bounds::of(goal);
    let most = goal.most_captures();
    let mut fewest = bound::fewest_captures(goal);
    for (width, beyond) in ATTEMPTS {
        let first = fewest;
        for captures in first..=most.min(first + beyond) {
            let limits = Limits { captures, width };
            match attempt(goal, placements, &bounds, limits, budget) {
                Answer::Fits => return Answer::Fits,
                Answer::FitsNot => fewest = captures + 1,
                Answer::Unknown if budget.is_spent() => return Answer::Unknown,
                Answer::Unknown => {}
            }
        }
    }
    if fewest > most { Answer::FitsNot } else { Answer::Unknown }
}

/// The same within limits: first without ranks, then with them.
fn attempt(
    goal: &Goal,
    placements: &[Placement; 8],
    bounds: &Bounds,
    limits: Limits,
    budget: &mut Budget<'_>,
) -> Answer {
    let mut coarse = Sweep::new(goal, &goal.columns, Sight::Leftward(bounds), limits);
    let mut borders = Vec::new();
    match coarse.run(&mut borders, budget) {
        Answer::Fits => {}
        answer => return answer,
    }
    // The borders were passed from right to left.
    let guides = from_fn(|file| Guide::of(&borders[6 - file], coarse.tariff()));
    let mut fine = Sweep::new(goal, placements, Sight::Rightward(&guides), limits);
    match fine.run(&mut Vec::new(), budget) {
        Answer::FitsNot if !coarse.is_complete() => Answer::Unknown,
        answer => answer,
    }
}
