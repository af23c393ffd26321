//! Most parameters of the search: margins, reductions and limits, as constants and functions.
//!
//! The initial values were set by hand; every change is backed by the result of a match.

use crate::score::Value;

/// The unit of reductions: one ply has this many parts.
pub(crate) const PLY: i32 = 1024;

/// Returns `true` if a position may be pruned without trying its moves. Shallow searches of the
/// replies to a root move try them all, because a quiet root move that mates in two looks
/// harmless to every static test.
pub(crate) fn may_prune(ply: usize, depth: i32) -> bool {
    ply >= 2 || depth > 2
}

/// The maximum depth for reverse futility pruning.
pub(crate) const REVERSE_FUTILITY_DEPTH: i32 = 9;

/// Returns how far above beta an evaluation must be for reverse futility pruning.
pub(crate) fn reverse_futility_margin(depth: i32, is_improving: bool) -> Value {
    72 * (depth - i32::from(is_improving)).max(0) + 8
}

/// The maximum depth for razoring.
pub(crate) const RAZORING_DEPTH: i32 = 4;

/// Returns how far below alpha an evaluation must be for razoring.
pub(crate) fn razoring_margin(depth: i32) -> Value {
    210 + 190 * depth * depth
}

/// Returns the depth reduction of a null move search.
pub(crate) fn null_move_reduction(depth: i32, surplus: Value) -> i32 {
    3 + depth / 3 + (surplus / 190).clamp(0, 3)
}

/// Returns how far above beta the evaluation must be to try a null move. The margin shrinks with
/// depth and is negative above depth 10.
pub(crate) fn null_move_margin(depth: i32) -> Value {
    150 - 15 * depth
}

/// The depth from which a null move cutoff must be verified.
pub(crate) const VERIFIED_NULL_MOVE_DEPTH: i32 = 13;

/// The minimum depth for ProbCut.
pub(crate) const PROBCUT_DEPTH: i32 = 5;

/// Returns the score that a capture must reach in a ProbCut search.
pub(crate) fn probcut_beta(beta: Value, is_improving: bool) -> Value {
    beta + 190 - 50 * i32::from(is_improving)
}

/// The minimum depth for internal iterative reductions, for positions without a hash move.
pub(crate) const REDUCED_DEPTH: i32 = 4;

/// Returns the number of moves after which the remaining quiet moves are pruned (late move
/// pruning).
pub(crate) fn late_move_limit(depth: i32, is_improving: bool) -> i32 {
    let limit = 4 + depth * depth;
    if is_improving { limit } else { limit / 2 }
}

/// Returns how far below alpha the evaluation must be to prune a quiet move.
pub(crate) fn futility_margin(depth: i32, history: i32) -> Value {
    95 + 105 * depth + history / 140
}

/// The maximum reduced depth for futility pruning.
pub(crate) const FUTILITY_DEPTH: i32 = 8;

/// The maximum reduced depth for pruning quiet moves by history.
pub(crate) const HISTORY_DEPTH: i32 = 5;

/// Returns the history score below which a quiet move is pruned.
pub(crate) fn history_margin(depth: i32) -> i32 {
    -3800 * depth
}

/// Returns the static exchange threshold below which a quiet move is pruned.
pub(crate) fn quiet_exchange_margin(depth: i32) -> Value {
    -24 * depth * depth
}

/// Returns the static exchange threshold below which a capture is pruned.
pub(crate) fn noisy_exchange_margin(depth: i32, history: i32) -> Value {
    -100 * depth - history / 45
}

/// The minimum depth for singular extensions.
pub(crate) const SINGULAR_DEPTH: i32 = 7;

/// Returns the score that all other moves must stay below for a move to be singular.
pub(crate) fn singular_beta(value: Value, depth: i32, was_pv: bool) -> Value {
    value - depth * if was_pv { 2 } else { 1 } - depth / 2
}

/// How far the other moves must stay below that score for a double extension.
pub(crate) const DOUBLE_MARGIN: Value = 18;
/// How far the other moves must stay below that score for a triple extension.
pub(crate) const TRIPLE_MARGIN: Value = 110;

/// Returns the late move reduction of the n-th move at a depth, in parts of a ply.
pub(crate) fn late_move_reduction(depth: i32, count: i32, is_noisy: bool) -> i32 {
    let [of_depth, of_count] = [depth, count].map(|n| LOGARITHMS[n.clamp(1, 63) as usize]);
    let product = (f64::from(PLY) * of_depth * of_count) as i32;
    if is_noisy { product * 10 / 31 } else { 780 + product * 10 / 24 }
}

/// The history score that reduces the reduction by a whole ply.
pub(crate) const HISTORY_PER_PLY: i32 = 9000;

/// Natural logarithms, computed at compile time so that they are the same on every machine.
static LOGARITHMS: [f64; 64] = {
    let mut table = [0.0; 64];
    let mut index = 1;
    while index < 64 {
        table[index] = logarithm(index as f64);
        index += 1;
    }
    table
};

/// Computes the natural logarithm with the series for (x - 1) / (x + 1), after dividing by powers
/// of two.
const fn logarithm(mut x: f64) -> f64 {
    let mut halves = 0.0;
    while x > 1.5 {
        x /= 2.0;
        halves += 1.0;
    }
    let ratio = (x - 1.0) / (x + 1.0);
    let (mut power, mut sum, mut term) = (ratio, 0.0, 1.0);
    while term < 40.0 {
        sum += power / term;
        power *= ratio * ratio;
        term += 2.0;
    }
    2.0 * sum + halves * std::f64::consts::LN_2
}

/// Returns half the width of the first aspiration window around the previous score.
pub(crate) fn aspiration_delta(average: Value) -> Value {
    11 + average.abs().min(2000) / 90
}

/// The futility margin in quiescence search, added to the evaluation and the captured piece's
/// value.
pub(crate) const QUIESCENCE_MARGIN: Value = 150;

/// The static exchange threshold in quiescence search.
pub(crate) const QUIESCENCE_EXCHANGE: Value = -40;

/// Scales an evaluation toward zero as the fifty-move rule approaches.
pub(crate) fn scaled_by_fifty_move_rule(value: Value, halfmove_clock: u16) -> Value {
    value * (220 - i32::from(halfmove_clock.min(100))) / 220
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_the_standard_library() {
        for n in 1..64 {
            assert!((logarithm(f64::from(n)) - f64::from(n).ln()).abs() < 1e-9, "{n}");
        }
    }

    #[test]
    fn reductions_grow_with_depth_and_count() {
        for is_noisy in [false, true] {
            let reduction = |depth, count| late_move_reduction(depth, count, is_noisy);
            for n in 2..60 {
                assert!(reduction(n + 1, n) >= reduction(n, n));
                assert!(reduction(n, n + 1) >= reduction(n, n));
            }
            assert!(reduction(60, 60) < 10 * PLY);
        }
        assert!((2 * PLY..5 * PLY).contains(&late_move_reduction(12, 20, false)));
    }
}
