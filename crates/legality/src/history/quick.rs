//! Pawn counts by file, for a board editor that asks after every click.
//!
//! Both arguments hold for any start position, because the pawns always start on the second rank.
//! A pawn changes its file only by a capture, by one file and one rank forward at a time. It
//! therefore started within a triangle behind it, and no two pawns started on the same square.
//! And if start files are assigned to the pawns in the cheapest way, the captures this takes
//! cannot exceed the number of pieces that the other side has lost.
//!
//! For example, white pawns on a2, a3 and b2 are impossible: all three must have started on a2 or
//! b2.

use castellan_rules::{Bitboard, Color, File, Rank, Role, Square};

use crate::{Case, Code, Finding, Value};

/// Finds pawns without a start square, and pawns that captured too often.
pub(super) fn examine(case: &Case, findings: &mut Vec<Finding>) {
    for color in Color::ALL {
        let pawns = case.piece(color, Role::Pawn);
        let counts = File::ALL.map(|file| (pawns & Bitboard::file(file)).count());
        if counts.iter().all(|&count| count < 2) {
            continue;
        }
        if let Some((stray, starts)) = without_start(pawns, &counts, color) {
            let finding = Finding::new(Code::PawnOrigin, stray | starts);
            findings
                .push(finding.with_value(Value::Squares(stray)).with_value(Value::Squares(starts)));
            continue;
        }
        let (needed, missing) = (min_captures(counts), case.missing(!color));
        if needed > missing {
            let crowded = File::ALL.into_iter().filter(|file| counts[file.index()] > 1);
            let crowded = crowded.fold(Bitboard::EMPTY, |all, file| all | Bitboard::file(file));
            findings.push(many_captures(color, pawns & crowded, [needed, missing, 0]));
        }
    }
}

/// Creates the finding for pawns of a side that need more captures than they can have made. The
/// numbers are the captures needed, those possible, and the number of missing pieces if it is
/// larger.
pub(super) fn many_captures(color: Color, pawns: Bitboard, numbers: [usize; 3]) -> Finding {
    let finding = Finding::new(Code::PawnCaptures, pawns)
        .with_value(Value::Color(color))
        .with_value(Value::Squares(pawns));
    numbers
        .into_iter()
        .map(|number| Value::Number(number as u64))
        .fold(finding, Finding::with_value)
}

/// Returns pawns that outnumber the start squares in their triangles, and these start squares.
fn without_start(
    pawns: Bitboard,
    counts: &[usize; 8],
    color: Color,
) -> Option<(Bitboard, Bitboard)> {
    let by_advance: [Bitboard; 6] = std::array::from_fn(|advance| {
        pawns & Bitboard::rank(Rank::ALL[advance + 1].relative_to(color))
    });
    for first in 0..8 {
        let mut standing = 0;
        for (last, count) in counts.iter().enumerate().skip(first) {
            let room = last - first + 1;
            standing += count;
            // Only pawns that stand between the two files can be forced to have started between
            // them.
            if standing > room {
                let confined = confined_to(&by_advance, first, last);
                if confined.count() > room {
                    let files = File::ALL[first..=last].iter();
                    let second = Rank::Second.relative_to(color);
                    let starts = files.map(|&file| Square::new(file, second)).collect();
                    return Some((confined, starts));
                }
            }
        }
    }
    None
}

/// Returns the pawns that certainly started on one of the files from `first` to `last`.
fn confined_to(by_advance: &[Bitboard; 6], first: usize, last: usize) -> Bitboard {
    let mut confined = Bitboard::EMPTY;
    for (advance, &pawns) in by_advance.iter().enumerate() {
        let from = if first == 0 { 0 } else { first + advance };
        let to = if last == 7 { 8 } else { (last + 1).saturating_sub(advance) };
        if from < to {
            let files = ((1_u64 << to) - (1 << from)) * 0x0101_0101_0101_0101;
            confined |= pawns & Bitboard(files);
        }
    }
    confined
}

/// Returns the least number of captures that spreads the pawns over different start files.
///
/// The cheapest paths do not cross, so the pawns get their files in order from left to right.
fn min_captures(counts: [usize; 8]) -> usize {
    let spare = 8 - counts.iter().sum::<usize>();
    // By the number of files skipped so far, the cheapest assignment of the pawns so far.
    let mut cheapest = [0; 9];
    let mut pawn = 0;
    for (file, &count) in counts.iter().enumerate() {
        for _ in 0..count {
            let mut before = usize::MAX;
            for (skipped, cost) in cheapest[..=spare].iter_mut().enumerate() {
                before = before.min(*cost);
                *cost = before + file.abs_diff(pawn + skipped);
            }
            pawn += 1;
        }
    }
    cheapest[..=spare].iter().copied().min().unwrap_or(0)
}
