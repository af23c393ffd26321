//! Step 5 of Glicko-2: the new volatility of a player.
//!
//! This module solves the one equation that needs iteration. Invariant: it terminates after at
//! most [`MAX_ROUNDS`] rounds with a finite number.

use super::Evidence;

/// How readily volatility changes: low values assume that players are steady. Glickman recommends
/// 0.3 to 1.2, and the example in the paper uses this value.
const TAU: f64 = 0.5;
/// Difference below which two estimates of the logarithm count as equal.
const TOLERANCE: f64 = 1e-6;
/// Upper bound on the rounds; the method needs about ten.
const MAX_ROUNDS: usize = 200;

/// Returns the volatility after some games. It is the root of the equation in step 5, found by
/// false position with halving (the Illinois method) on the logarithm of its square.
pub(super) fn improved(volatility: f64, phi: f64, evidence: Evidence) -> f64 {
    let start = (volatility * volatility).ln();
    let delta = evidence.variance * evidence.surprise;
    let spread = phi * phi + evidence.variance;
    // The function of step 5.1, by its name in the paper; `x` is the logarithm of the squared
    // volatility.
    let f = |x: f64| {
        let square = x.exp();
        let total = spread + square;
        square * (delta * delta - total) / (2.0 * total * total) - (x - start) / (TAU * TAU)
    };
    let (mut low, mut high) = bracket(start, delta * delta - spread, f);
    let (mut at_low, mut at_high) = (f(low), f(high));
    for _ in 0..MAX_ROUNDS {
        if (high - low).abs() <= TOLERANCE || at_high == at_low {
            break;
        }
        let next = low + (low - high) * at_low / (at_high - at_low);
        let at_next = f(next);
        if at_next * at_high <= 0.0 {
            (low, at_low) = (high, at_high);
        } else {
            at_low /= 2.0;
        }
        (high, at_high) = (next, at_next);
    }
    (low / 2.0).exp()
}

/// Returns two points that enclose the solution.
fn bracket(start: f64, excess: f64, f: impl Fn(f64) -> f64) -> (f64, f64) {
    if excess > 0.0 {
        return (start, excess.ln());
    }
    let mut high = start - TAU;
    for _ in 0..MAX_ROUNDS {
        if f(high) >= 0.0 {
            break;
        }
        high -= TAU;
    }
    (start, high)
}
