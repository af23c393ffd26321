//! A lower bound on the captures a goal requires, by counting and without a search.
//!
//! There are two ways to count. First, a capture changes at most two neighboring files, and each
//! file must be changed a certain number of times to get from its start to its final pawns. Second,
//! if the goal wants a file on which no white pawn is below a black one, then one of the two pawns
//! that began there must be captured or leave. A capture achieves that for one file, or for two
//! neighboring files if a pawn captures a pawn. However, a pawn can have been captured as a pawn
//! only if it is gone and did not promote.

use castellan_rules::{Color, File};

use super::crossing::Crossings;
use super::goal::CaptureGoal;
use super::pawn_order::PawnOrder;

/// For each file, the fewest captures that the files to its left need, given the number of
/// crossings of the border between them that are already paid for.
pub(super) struct Bounds {
    captures: [[u8; Crossings::MAX + 1]; 9],
}

impl Bounds {
    pub(super) fn of(goal: &CaptureGoal) -> Bounds {
        let mut captures = [[0_u8; Crossings::MAX + 1]; 9];
        for file in 0..8 {
            let wanted = changes(goal.pawn_orders[file]);
            for crossings in 0..=Crossings::MAX {
                let more = wanted.saturating_sub(crossings as u8);
                captures[file + 1][crossings] = more + captures[file][usize::from(more)];
            }
        }
        Bounds { captures }
    }

    /// Returns the fewest captures needed by the files to the left of a file.
    pub(super) fn captures(&self, file: usize, crossings: usize) -> u32 {
        u32::from(self.captures[file][crossings])
    }
}

/// Returns the fewest captures a goal requires.
pub(super) fn min_captures(goal: &CaptureGoal) -> u32 {
    fewest_changes(&goal.pawn_orders).max(fewest_departures(goal))
}

/// Returns the fewest captures that change each file often enough. When a file needs a change, it
/// is best to change the next file with the same capture, since nothing to the left is left to
/// do.
fn fewest_changes(pawn_orders: &[PawnOrder; 8]) -> u32 {
    let next = |(captures, along): (u32, u32), &pawn_order: &PawnOrder| {
        let more = u32::from(changes(pawn_order)).saturating_sub(along);
        (captures + more, more)
    };
    pawn_orders.iter().fold((0, 0), next).0
}

/// Returns the fewest captures that make a pawn depart from every file where both cannot stay.
fn fewest_departures(goal: &CaptureGoal) -> u32 {
    let (mut files, mut pairs, mut is_open) = (0, 0, false);
    for pawn_order in goal.pawn_orders {
        let is_departed = !pawn_order.is_opposed();
        files += u32::from(is_departed);
        let is_pair = is_departed && is_open;
        pairs += u32::from(is_pair);
        is_open = is_departed && !is_pair;
    }
    files - pairs.min(most_pawns_taken(goal))
}

/// Returns how many pawns can have been captured as pawns.
fn most_pawns_taken(goal: &CaptureGoal) -> u32 {
    let of = |color: Color| goal.spare_pawns[color.index()].min(goal.captures[(!color).index()]);
    of(Color::White) + of(Color::Black)
}

/// Returns the files that captures must have changed.
pub(super) fn changed_files(goal: &CaptureGoal) -> Vec<File> {
    let is_changed = |file: &File| changes(goal.pawn_orders[file.index()]) > 0;
    File::ALL.into_iter().filter(is_changed).collect()
}

/// Returns how often captures must change a file, at least, to get from the start to an order of
/// pawns.
///
/// A change adds a pawn, removes one or replaces one. Promotions are free, but none is possible
/// from the start order of pawns.
fn changes(pawn_order: PawnOrder) -> u8 {
    let len = pawn_order.len() as u8;
    match (pawn_order.is_opposed(), len) {
        // Both original pawns can stay.
        (true, _) => len - 2,
        (false, 0 | 1) => 1,
        // A black pawn is below a white one: one pawn has to leave and another has to arrive.
        (false, 2) if pawn_order == PawnOrder(0b101) => 2,
        (false, _) => len - 1,
    }
}
