//! The numbers of the search: margins, reductions and limits, each a function of its own.
//!
//! First values were set by hand; a change comes with the result of a match.

use crate::score::Value;

/// Reductions and extensions are counted in parts of a ply.
pub(crate) const PLY: i32 = 1024;

/// Whether a position may be judged without trying its moves. First looks at the replies to a move
/// at the root try them all: a quiet move that mates in two looks harmless to every guess.
pub(crate) fn may_guess(ply: usize, depth: i32) -> bool {
    ply >= 2 || depth > 2
}

/// Up to this depth a position far above beta is believed.
pub(crate) const REVERSE_FUTILITY_DEPTH: i32 = 9;

/// How far above beta an evaluation has to be to be believed at a depth.
pub(crate) fn reverse_futility_margin(depth: i32, is_improving: bool) -> Value {
    72 * (depth - i32::from(is_improving)).max(0) + 8
}

/// Up to this depth a position far below alpha is left to its captures.
pub(crate) const RAZORING_DEPTH: i32 = 4;

/// How far below alpha that is.
pub(crate) fn razoring_margin(depth: i32) -> Value {
    210 + 190 * depth * depth
}

/// How much less deep the search is after a null move.
pub(crate) fn null_move_reduction(depth: i32, surplus: Value) -> i32 {
    3 + depth / 3 + (surplus / 190).clamp(0, 3)
}

/// How far below beta an evaluation may be for a null move, the deeper the lower.
pub(crate) fn null_move_margin(depth: i32) -> Value {
    150 - 15 * depth
}

/// From this depth on a null move's cutoff has to be confirmed.
pub(crate) const VERIFIED_NULL_MOVE_DEPTH: i32 = 13;

/// From this depth on captures that look winning are tried first with less depth.
pub(crate) const PROBCUT_DEPTH: i32 = 5;

/// By how much a capture has to pass beta in the shallow search.
pub(crate) fn probcut_beta(beta: Value, is_improving: bool) -> Value {
    beta + 190 - 50 * i32::from(is_improving)
}

/// From this depth on a position without a known move is searched less deep.
pub(crate) const REDUCED_DEPTH: i32 = 4;

/// How many moves are tried at a depth before the quiet rest is left out.
pub(crate) fn late_move_limit(depth: i32, is_improving: bool) -> i32 {
    let limit = 4 + depth * depth;
    if is_improving { limit } else { limit / 2 }
}

/// How far below alpha the evaluation has to be for quiet moves to be left out.
pub(crate) fn futility_margin(depth: i32, history: i32) -> Value {
    95 + 105 * depth + history / 140
}

/// Up to this reduced depth futility counts.
pub(crate) const FUTILITY_DEPTH: i32 = 8;

/// Up to this reduced depth quiet moves of bad history are left out.
pub(crate) const HISTORY_DEPTH: i32 = 5;

/// How bad a history has to be.
pub(crate) fn history_margin(depth: i32) -> i32 {
    -3800 * depth
}

/// What a quiet move may lose in exchanges.
pub(crate) fn quiet_exchange_margin(depth: i32) -> Value {
    -24 * depth * depth
}

/// What a capture may lose in exchanges.
pub(crate) fn noisy_exchange_margin(depth: i32, history: i32) -> Value {
    -100 * depth - history / 45
}

/// From this depth on a known move is tested for being the only good one.
pub(crate) const SINGULAR_DEPTH: i32 = 7;

/// What all other moves have to stay below for a move to be singular.
pub(crate) fn singular_beta(value: Value, depth: i32, was_pv: bool) -> Value {
    value - depth * if was_pv { 2 } else { 1 } - depth / 2
}

/// By how much others have to stay below for two extensions, and for three.
pub(crate) const DOUBLE_MARGIN: Value = 18;
/// See [`DOUBLE_MARGIN`].
pub(crate) const TRIPLE_MARGIN: Value = 110;

/// The reduction of the n-th move at a depth, in parts of a ply.
pub(crate) fn late_move_reduction(depth: i32, count: i32, is_noisy: bool) -> i32 {
    let [of_depth, of_count] = [depth, count].map(|n| LOGARITHMS[n.clamp(1, 63) as usize]);
    let product = (f64::from(PLY) * of_depth * of_count) as i32;
    if is_noisy { product * 10 / 31 } else { 780 + product * 10 / 24 }
}

/// A good history reduces that much less: a whole ply for each.
pub(crate) const HISTORY_PER_PLY: i32 = 9000;

/// Natural logarithms, worked out by the compiler so that every machine has the same.
static LOGARITHMS: [f64; 64] = {
    let mut table = [0.0; 64];
    let mut index = 1;
    while index < 64 {
        table[index] = logarithm(index as f64);
        index += 1;
    }
    table
};

/// The natural logarithm by its series for (x - 1) / (x + 1), after taking out halves.
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

/// Half the first window around the value of the iteration before.
pub(crate) fn aspiration_delta(average: Value) -> Value {
    11 + average.abs().min(2000) / 90
}

/// How far below alpha a position and what a capture takes may be in quiescence.
pub(crate) const QUIESCENCE_MARGIN: Value = 150;

/// What a capture has to win in quiescence.
pub(crate) const QUIESCENCE_EXCHANGE: Value = -40;

/// An evaluation fades as the fifty moves run out.
pub(crate) fn faded(value: Value, halfmove_clock: u16) -> Value {
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
