//! The current score of a match.

use std::collections::HashMap;

use castellan_pgn::GameResult;

use super::ending::{Fault, half_points};
use super::game::color_of_a;
use super::statistics::Pairs;

/// The results of the games so far, and the faults of the engines.
#[derive(Clone, Debug, Default)]
pub(super) struct MatchScore {
    /// Games that the first engine won, drew and lost.
    pub(super) wins: u64,
    pub(super) draws: u64,
    pub(super) losses: u64,
    /// The results of the complete pairs.
    pub(super) pairs: Pairs,
    /// Number of faults of each engine, in the order of [`Fault::ALL`].
    pub(super) faults: [[u64; 3]; 2],
    /// The half points of games whose pair is incomplete, by the number of the pair.
    halves: HashMap<u32, usize>,
}

impl MatchScore {
    /// Counts a game. A fault always belongs to the loser.
    pub(super) fn add(&mut self, number: u32, result: GameResult, fault: Option<Fault>) {
        let points = half_points(result, color_of_a(number));
        match points {
            2 => self.wins += 1,
            1 => self.draws += 1,
            _ => self.losses += 1,
        }
        let pair = (number.max(1) - 1) / 2;
        match self.halves.remove(&pair) {
            Some(half) => self.pairs.add(half + points),
            None => drop(self.halves.insert(pair, points)),
        }
        let index = fault.and_then(|fault| Fault::ALL.iter().position(|known| *known == fault));
        if let Some(index) = index {
            let loser = if points == 0 { 0 } else { 1 };
            self.faults[loser][index] += 1;
        }
    }

    pub(super) fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns the points of the first engine.
    pub(super) fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    pub(super) fn has_faults(&self) -> bool {
        self.faults.iter().flatten().any(|count| *count > 0)
    }
}

#[cfg(test)]
mod tests {
    use castellan_rules::Color;

    use super::*;

    #[test]
    fn games_make_pairs_in_any_order() {
        let mut score = MatchScore::default();
        let (white, black) = (GameResult::Win(Color::White), GameResult::Win(Color::Black));
        score.add(2, black, None);
        score.add(3, GameResult::Draw, None);
        assert_eq!(score.pairs.count(), 0);
        score.add(1, white, None);
        score.add(4, white, Some(Fault::TimeLoss));
        assert_eq!((score.wins, score.draws, score.losses), (2, 1, 1));
        assert_eq!(score.pairs, Pairs([0, 1, 0, 0, 1]));
        assert_eq!(score.points(), 2.5);
        assert_eq!(score.games(), 4);
        assert_eq!(
            score.faults,
            [[0, 0, 1], [0, 0, 0]],
            "the first engine has Black in game 4 and loses it"
        );
    }

    #[test]
    fn a_fault_is_that_of_the_loser() {
        let mut score = MatchScore::default();
        assert!(!score.has_faults());
        score.add(1, GameResult::Win(Color::White), Some(Fault::Crash));
        assert_eq!(score.faults, [[0, 0, 0], [1, 0, 0]]);
        assert!(score.has_faults());
    }
}
