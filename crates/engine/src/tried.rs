//! The moves of a position that were tried and were not the best.

use castellan_rules::Move;

/// The moves tried before the best one, up to the number that is worth learning from.
#[derive(Default)]
pub(crate) struct Tried {
    quiets: [Option<Move>; 32],
    quiet_count: usize,
    noisies: [Option<Move>; 16],
    noisy_count: usize,
}

impl Tried {
    pub(crate) fn add(&mut self, mv: Move, is_noisy: bool) {
        let (list, count): (&mut [Option<Move>], _) = if is_noisy {
            (&mut self.noisies, &mut self.noisy_count)
        } else {
            (&mut self.quiets, &mut self.quiet_count)
        };
        if let Some(slot) = list.get_mut(*count) {
            *slot = Some(mv);
            *count += 1;
        }
    }

    pub(crate) fn quiets(&self) -> impl Iterator<Item = &Move> {
        self.quiets[..self.quiet_count].iter().flatten()
    }

    pub(crate) fn noisies(&self) -> impl Iterator<Item = &Move> {
        self.noisies[..self.noisy_count].iter().flatten()
    }
}
