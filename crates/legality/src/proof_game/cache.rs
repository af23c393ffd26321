//! Answers remembered by what was asked, in a place of fixed size.

/// Two to the 64th over the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The last answer for each of some places; a new question takes the place of an old one.
pub(super) struct Cache<K, T> {
    places: Vec<Option<(K, T)>>,
}

impl<K: Copy + Eq + AsRef<[u64]>, T: Clone> Cache<K, T> {
    /// With so many places, which is a power of two.
    pub(super) fn new(places: usize) -> Cache<K, T> {
        Cache { places: vec![None; places] }
    }

    /// The answer to a question of some numbers, worked out if it is not remembered.
    #[inline]
    pub(super) fn get(&mut self, question: K, answer: impl FnOnce() -> T) -> T {
        // Fibonacci hashing: the golden ratio spreads neighbouring numbers.
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
