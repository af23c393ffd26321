//! The random choices of a simulation. All of them follow from its seed.

use crate::random::Random;

/// A seeded source of choices.
#[derive(Clone, Debug)]
pub(super) struct Dice(Random);

impl Dice {
    pub(super) fn new(seed: u64) -> Dice {
        Dice(Random::seeded(seed))
    }

    /// Returns any number.
    pub(super) fn number(&self) -> u64 {
        self.0.number().expect("a seeded source does not fail")
    }

    /// Returns a number below `limit`, which is not 0.
    pub(super) fn below(&self, limit: u64) -> u64 {
        self.number() % limit
    }

    /// Returns a number from `least` to `most`.
    pub(super) fn between(&self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }

    /// Returns `true` in `per_mille` of 1,000 calls on average.
    pub(super) fn chance(&self, per_mille: u64) -> bool {
        self.below(1_000) < per_mille
    }

    /// Returns one of several values.
    pub(super) fn pick<T: Copy>(&self, values: &[T]) -> T {
        let limit = u64::try_from(values.len()).expect("a short list");
        values[usize::try_from(self.below(limit)).expect("an index of the list")]
    }
}
