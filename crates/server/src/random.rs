//! Random numbers and secrets.
//!
//! The source is a value that is passed around. Tests that depend on the choice of colors use a
//! seed. Secrets always come from the operating system, seeded or not, so that no configuration can
//! make them predictable.

use std::sync::{Arc, Mutex, PoisonError};

/// A source of random numbers. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Random(Option<Arc<Mutex<u64>>>);

/// The operating system has no randomness.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the operating system provides no random numbers")]
pub struct NoRandomness;

impl Random {
    /// Uses the operating system's random numbers.
    pub fn system() -> Random {
        Random(None)
    }

    /// Returns a source that always produces the same numbers, for tests.
    pub fn seeded(seed: u64) -> Random {
        Random(Some(Arc::new(Mutex::new(seed))))
    }

    /// Returns unpredictable bytes.
    ///
    /// # Errors
    /// Fails if the operating system has no randomness, which on known systems happens only while
    /// they start up.
    pub fn secret<const N: usize>() -> Result<[u8; N], NoRandomness> {
        #[cfg(test)]
        if let Some(bytes) = simulated::secret() {
            return Ok(bytes);
        }
        let mut bytes = [0; N];
        getrandom::fill(&mut bytes).map_err(|_| NoRandomness)?;
        Ok(bytes)
    }

    /// Returns a uniformly distributed number, for choosing colors.
    ///
    /// # Errors
    /// Fails as [`secret`](Random::secret) does; never fails when seeded.
    pub fn number(&self) -> Result<u64, NoRandomness> {
        let Some(state) = &self.0 else {
            return Ok(u64::from_le_bytes(Random::secret()?));
        };
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(next(&mut state))
    }
}

/// The SplitMix64 generator by Steele, Lea and Flood.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Predictable secrets for the simulation, which has to repeat a run exactly. They exist only in
/// tests, and only in a thread that asked for them.
#[cfg(test)]
pub(crate) mod simulated {
    use core::cell::RefCell;

    use super::Random;

    thread_local! {
        static SECRETS: RefCell<Option<Random>> = const { RefCell::new(None) };
    }

    /// Makes all secrets of this thread follow from a seed, or ends that.
    pub(crate) fn seed_secrets(seed: Option<u64>) {
        SECRETS.with(|secrets| *secrets.borrow_mut() = seed.map(Random::seeded));
    }

    /// Returns the next secret that follows from the seed, if there is one.
    pub(super) fn secret<const N: usize>() -> Option<[u8; N]> {
        let random = SECRETS.with(|secrets| secrets.borrow().clone())?;
        Some([(); N].map(|()| random.number().map_or(0, |number| number.to_le_bytes()[0])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_again() {
        let draw = |seed| {
            let random = Random::seeded(seed);
            [random.number().unwrap(), random.number().unwrap(), random.number().unwrap()]
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert_ne!(draw(1)[0], draw(1)[1]);
    }

    #[test]
    fn secrets_differ() {
        assert_ne!(Random::secret::<16>().unwrap(), Random::secret::<16>().unwrap());
    }
}
