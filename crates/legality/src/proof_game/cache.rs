//! A cache of fixed size that maps questions to answers.

/// 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The latest answer for each slot; a new question replaces an old one in its slot.
pub(super) struct Cache<K, T> {
    places: Vec<Option<(K, T)>>,
}

impl<K: Copy + Eq + AsRef<[u64]>, T: Clone> Cache<K, T> {
    /// Creates a cache with `places` slots, which must be a power of two.
    pub(super) fn new(places: usize) -> Cache<K, T> {
        Cache { places: vec![None; places] }
    }

    /// Returns the answer to a question, computing it if it is not cached.
    #[inline]
    pub(super) fn get(&mut self, question: K, answer: impl FnOnce() -> T) -> T {
        // Fibonacci hashing: the golden ratio spreads neighboring numbers.
        let mix = |mixed: u64, number: &u64| (mixed.rotate_left(29) ^ number).wrapping_mul(GOLDEN);
        let mixed = question.as_ref().iter().fold(0, mix);
        let index = (mixed >> 40) as usize & (self.places.len() - 1);
        let place = &mut self.places[index];
        match place {
            Some((known, answer)) if *known == question => answer.clone(),
            _ => {
                let fresh = answer();
                *place = Some((question, fresh.clone()));
                fresh
            }
        }
    }
}
