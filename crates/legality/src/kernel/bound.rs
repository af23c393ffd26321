//! How many captures a goal asks for, at least: counting, without any search.
//!
//! Two ways to count. A capture changes at most two neighbouring files, and each file has to be
//! changed so often to get from its start to its column. And where the column asks for a file on
//! which a white pawn is not below a black one, one of the two that began there has to be taken or
//! to go: a capture does so for one file, or for two neighbours if a pawn takes a pawn. Of pawns
//! taken as pawns there are only so many, though, as are gone without having promoted.

use castellan_rules::{Color, File};

use super::column::Column;
use super::crossing::Crossings;
use super::goal::Goal;

/// The fewest captures that files from one down to a need, if so many crossings of the border to
/// the right of it are paid for already.
pub(super) struct Bounds {
    captures: [[u8; Crossings::MOST + 1]; 9],
}

impl Bounds {
    pub(super) fn of(goal: &Goal) -> Bounds {
        let mut captures = [[0_u8; Crossings::MOST + 1]; 9];
        for file in 0..8 {
            let wanted = changes(goal.columns[file]);
            for crossings in 0..=Crossings::MOST {
                let more = wanted.saturating_sub(crossings as u8);
                captures[file + 1][crossings] = more + captures[file][usize::from(more)];
            }
        }
        Bounds { captures }
    }

    /// The fewest captures for the files to the left of one.
    pub(super) fn captures(&self, file: usize, crossings: usize) -> u32 {
        u32::from(self.captures[file][crossings])
    }
}

/// The fewest captures for a goal.
pub(super) fn fewest_captures(goal: &Goal) -> u32 {
    fewest_changes(&goal.columns).max(fewest_departures(goal))
}

/// The fewest captures that change each file often enough. Taking the next file along whenever
/// one needs a change is best, since nothing further left is left to do.
fn fewest_changes(columns: &[Column; 8]) -> u32 {
    let next = |(captures, along): (u32, u32), &column: &Column| {
        let more = u32::from(changes(column)).saturating_sub(along);
        (captures + more, more)
    };
    columns.iter().fold((0, 0), next).0
}

/// The fewest captures after which no file has its first two pawns against the goal.
fn fewest_departures(goal: &Goal) -> u32 {
    let (mut files, mut pairs, mut is_open) = (0, 0, false);
    for column in goal.columns {
        let is_departed = !column.is_opposed();
        files += u32::from(is_departed);
        let is_pair = is_departed && is_open;
        pairs += u32::from(is_pair);
        is_open = is_departed && !is_pair;
    }
    files - pairs.min(most_pawns_taken(goal))
}

/// How many pawns can have been captured as pawns.
fn most_pawns_taken(goal: &Goal) -> u32 {
    let of = |color: Color| goal.spare_pawns[color.index()].min(goal.captures[(!color).index()]);
    of(Color::White) + of(Color::Black)
}

/// The files that captures must have changed.
pub(super) fn changed_files(goal: &Goal) -> Vec<File> {
    let is_changed = |file: &File| changes(goal.columns[file.index()]) > 0;
    File::ALL.into_iter().filter(is_changed).collect()
}

/// How often a file has to be changed by captures to get from the start to a column, at least.
///
/// A change puts a pawn in, takes one out or replaces it. Promotions are free, but from the start
/// column none is possible.
fn changes(column: Column) -> u8 {
    let len = column.len() as u8;
    match (column.is_opposed(), len) {
        // Both pawns can stay.
        (true, _) => len - 2,
        (false, 0 | 1) => 1,
        // Black below White: one has to go and one has to come.
        (false, 2) if column == Column(0b101) => 2,
        (false, _) => len - 1,
    }
}
