//! Adds up the terms of the hand-written evaluation, in one place for both play and tuning.

use castellan_rules::Color;

use super::generated::weights::WEIGHTS;
use super::incremental::sign;
use super::pair::Pair;
use super::trace::Trace;

/// The running score from White's point of view, and the trace that records each term.
pub(crate) struct Evaluation<'a, T: Trace> {
    pub(crate) score: Pair,
    pub(crate) trace: &'a mut T,
}

impl<T: Trace> Evaluation<'_, T> {
    /// Adds the weight at `index` for a term that occurs `count` times for a color.
    #[inline(always)]
    pub(crate) fn add(&mut self, color: Color, index: usize, count: i32) {
        self.score += WEIGHTS[index] * (sign(color) * count);
        self.trace.term(color, index, count);
    }

    /// Adds a score for a color that does not come from a weight, so tuning does not see it.
    pub(crate) fn add_score(&mut self, color: Color, score: Pair) {
        self.score += score * sign(color);
    }
}
