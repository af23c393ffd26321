//! An observer of the terms that the evaluation adds up: none in play, the tuner otherwise.

use castellan_rules::Color;

/// A listener that is told how often each term occurs.
pub(crate) trait Trace {
    /// Called for a term of the weight list.
    fn term(&mut self, color: Color, index: usize, count: i32);
    /// Called for a term of the danger to a color's king.
    fn danger(&mut self, color: Color, index: usize, count: i32);
}

/// A trace that ignores everything.
pub(crate) struct NoTrace;

impl Trace for NoTrace {
    #[inline(always)]
    fn term(&mut self, _color: Color, _index: usize, _count: i32) {}
    #[inline(always)]
    fn danger(&mut self, _color: Color, _index: usize, _count: i32) {}
}
