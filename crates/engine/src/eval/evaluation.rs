//! Adding up terms, one place for play and for tuning.

use castellan_rules::Color;

use super::generated::weights::WEIGHTS;
use super::pair::Pair;
use super::sums::sign;
use super::trace::Trace;

/// A sum of weights for White, and who listens.
pub(crate) struct Evaluation<'a, T: Trace> {
    pub(crate) score: Pair,
    pub(crate) trace: &'a mut T,
}

impl<T: Trace> Evaluation<'_, T> {
    /// Adds a term that occurs so often for a color.
    #[inline(always)]
    pub(crate) fn add(&mut self, color: Color, index: usize, count: i32) {
        self.score += WEIGHTS[index] * (sign(color) * count);
        self.trace.term(color, index, count);
    }

    /// Adds a score without a weight for a color.
    pub(crate) fn add_score(&mut self, color: Color, score: Pair) {
        self.score += score * sign(color);
    }
}
