//! Who listens while the evaluation adds up its terms: nobody in play, the tuner otherwise.

use castellan_rules::Color;

/// Is told how often each term occurs.
pub(crate) trait Trace {
    /// A term of the list of weights.
    fn term(&mut self, color: Color, index: usize, count: i32);
    /// A term of the danger in which a color's king is.
    fn danger(&mut self, color: Color, index: usize, count: i32);
}

/// Nobody.
pub(crate) struct NoTrace;

impl Trace for NoTrace {
    #[inline(always)]
    fn term(&mut self, _color: Color, _index: usize, _count: i32) {}
    #[inline(always)]
    fn danger(&mut self, _color: Color, _index: usize, _count: i32) {}
}
