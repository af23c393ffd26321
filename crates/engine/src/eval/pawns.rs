//! Pawn structure, with a cache because it seldom changes.

use castellan_rules::{Bitboard, Color};

use super::evaluation::Evaluation;
use super::geometry::{ahead, beside, fill_files, fill_forward, forward, pawn_attacks};
use super::pair::Pair;
use super::survey::Survey;
use super::terms::{BACKWARD, CANDIDATE, DOUBLED, ISOLATED, PHALANX, PROTECTED};
use super::trace::Trace;

/// The evaluation of a pawn structure.
#[derive(Clone, Copy, Default)]
pub(crate) struct PawnEntry {
    key: u64,
    pub(crate) score: Pair,
    pub(crate) passed: [Bitboard; 2],
}

/// A cache of pawn structures, indexed by hash key.
pub(crate) struct PawnCache(Vec<PawnEntry>);

const ENTRIES: usize = 1 << 13;

impl PawnCache {
    pub(crate) fn new() -> PawnCache {
        PawnCache(vec![PawnEntry::default(); ENTRIES])
    }

    /// Returns the entry for a key, computing it if it is not cached.
    pub(crate) fn get(&mut self, key: u64, make: impl FnOnce() -> PawnEntry) -> PawnEntry {
        let entry = &mut self.0[key as usize % ENTRIES];
        if entry.key != key || key == 0 {
            *entry = PawnEntry { key, ..make() };
        }
        *entry
    }
}

/// Evaluates the pawn structure of a position.
pub(crate) fn structure<T: Trace>(survey: &Survey<'_>, trace: &mut T) -> PawnEntry {
    let mut evaluation = Evaluation { score: Pair::ZERO, trace };
    let passed = Color::ALL.map(|color| {
        weaknesses(survey, color, &mut evaluation);
        chains(survey, color, &mut evaluation);
        candidates(survey, color, &mut evaluation);
        passed_pawns(survey, color)
    });
    PawnEntry { key: 0, score: evaluation.score, passed }
}

/// Returns the passed pawns, which no enemy pawn can stop or capture: the foremost of each file.
fn passed_pawns(survey: &Survey<'_>, color: Color) -> Bitboard {
    let (ours, theirs) = (survey.pawns[color.index()], survey.pawns[(!color).index()]);
    let guarded = ahead(!color, theirs | beside(theirs));
    let behind_own = ahead(!color, ours);
    ours & !guarded & !behind_own
}

fn weaknesses<T: Trace>(survey: &Survey<'_>, color: Color, evaluation: &mut Evaluation<'_, T>) {
    let (ours, theirs) = (survey.pawns[color.index()], survey.pawns[(!color).index()]);
    let doubled = ours & ahead(!color, ours);
    evaluation.add(color, DOUBLED, doubled.count() as i32);

    let half_open = ours & !fill_files(theirs);
    let isolated = ours & !beside(fill_files(ours));
    evaluation.add(color, ISOLATED, isolated.count() as i32);
    evaluation.add(color, ISOLATED + 1, (isolated & half_open).count() as i32);

    // A step forward can be captured by an enemy pawn, and no friendly pawn can support it from
    // the side.
    let supported = fill_forward(color, beside(ours));
    let stop_is_bad = forward(!color, pawn_attacks(!color, theirs));
    let backward = ours & !isolated & !supported & stop_is_bad;
    evaluation.add(color, BACKWARD, backward.count() as i32);
    evaluation.add(color, BACKWARD + 1, (backward & half_open).count() as i32);
}

fn chains<T: Trace>(survey: &Survey<'_>, color: Color, evaluation: &mut Evaluation<'_, T>) {
    let ours = survey.pawns[color.index()];
    for pawn in ours & pawn_attacks(color, ours) {
        evaluation.add(color, PROTECTED + survey.rank(color, pawn), 1);
    }
    for pawn in ours & beside(ours) {
        evaluation.add(color, PHALANX + survey.rank(color, pawn), 1);
    }
}

/// Rewards pawns that could become passed by trading pawns: candidates.
fn candidates<T: Trace>(survey: &Survey<'_>, color: Color, evaluation: &mut Evaluation<'_, T>) {
    let (ours, theirs) = (survey.pawns[color.index()], survey.pawns[(!color).index()]);
    let open = ours & !ahead(!color, theirs | ours);
    let sentries = ahead(!color, beside(theirs));
    for pawn in open & sentries {
        let bit = Bitboard::of(pawn);
        let guards = beside(ahead(color, bit)) & theirs;
        let friends = beside(fill_forward(!color, forward(color, bit))) & ours;
        if friends.count() >= guards.count() {
            evaluation.add(color, CANDIDATE + survey.rank(color, pawn), 1);
        }
    }
}
