//! `chances`: fits the probabilities of a win, a draw and a loss to scores.
//!
//! Reads games files and finds the two parameters of the engine's `Score::chances` that maximize
//! the likelihood of the results: the advantage that wins half of the games, and how fast the
//! probability grows around it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;

use crate::game::Game;
use crate::record::useful_score;
use crate::rounds::{IncompleteGame, fold_games};

/// Fit the probabilities of a win, a draw and a loss to games
#[derive(Args)]
pub(crate) struct ChancesArgs {
    /// Games files
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Results by score in centipawns: how often White lost, drew and won.
type Results = BTreeMap<i32, [u64; 3]>;

/// Runs the command.
pub(crate) fn run(args: &ChancesArgs) -> anyhow::Result<()> {
    let mut results = Results::new();
    fold_games(&args.files, IncompleteGame::Accepted, count, |counts: Results| {
        for (score, counts) in counts {
            let sums = results.entry(score).or_default();
            *sums = [0, 1, 2].map(|result| sums[result] + counts[result]);
        }
        Ok(())
    })?;
    ensure!(!results.is_empty(), "there are no positions to learn from");
    let curve = Curve::fitted(&results);
    let count: u64 = results.values().flatten().sum();
    println!("{count} positions: even chance {:.0}, spread {:.0}", curve.midpoint, curve.spread);
    print_table(&results, curve);
    Ok(())
}

/// Scores beyond this are ignored, in centipawns.
const MAX_SCORE: u16 = 800;

fn count(game: &Game, results: &mut Results) {
    let result = game.winner.map_or(1, |winner| winner.fold(2, 0));
    for (position, ply) in game.positions() {
        if let Ok(score) = useful_score(&position, ply, MAX_SCORE) {
            let score_for_white = position.turn().fold(1, -1) * i32::from(score);
            results.entry(score_for_white).or_default()[result] += 1;
        }
    }
}

/// The probability of a win is a logistic curve of the advantage; that of a loss is its mirror
/// image.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Curve {
    midpoint: f64,
    spread: f64,
}

impl Curve {
    /// Returns the probabilities of a loss, a draw and a win.
    fn chances(self, score: f64) -> [f64; 3] {
        let chance =
            |advantage: f64| 1.0 / (1.0 + ((self.midpoint - advantage) / self.spread).exp());
        let (win, loss) = (chance(score), chance(-score));
        [loss, 1.0 - win - loss, win]
    }

    /// Returns the negative log-likelihood of the results.
    fn negative_log_likelihood(self, results: &Results) -> f64 {
        let of_score = |(&score, counts): (&i32, &[u64; 3])| {
            let chances = self.chances(f64::from(score));
            let terms = chances.iter().zip(counts);
            terms.map(|(chance, &count)| -(count as f64) * chance.max(1e-9).ln()).sum::<f64>()
        };
        results.iter().map(of_score).sum()
    }

    /// Finds the curve with the highest likelihood, by a search with decreasing steps.
    fn fitted(results: &Results) -> Curve {
        let mut best = Curve { midpoint: 100.0, spread: 100.0 };
        let mut least = best.negative_log_likelihood(results);
        let mut step = 32.0;
        while step > 0.2 {
            let steps = [(step, 0.0), (-step, 0.0), (0.0, step), (0.0, -step)];
            let neighbors = steps.map(|(midpoint, spread)| Curve {
                midpoint: (best.midpoint + midpoint).max(1.0),
                spread: (best.spread + spread).max(1.0),
            });
            let candidates = neighbors.map(|curve| (curve, curve.negative_log_likelihood(results)));
            match candidates.into_iter().min_by(|one, other| one.1.total_cmp(&other.1)) {
                Some((curve, value)) if value < least => (best, least) = (curve, value),
                _ => step /= 2.0,
            }
        }
        best
    }
}

/// Prints the observed results next to the predictions of the curve, for every half pawn.
fn print_table(results: &Results, curve: Curve) {
    println!("score positions  won drawn lost  (of 1000; predicted values in parentheses)");
    for from in (-500..500).step_by(50) {
        let mut counts = [0; 3];
        for (_, seen) in results.range(from..from + 50) {
            counts = [0, 1, 2].map(|result| counts[result] + seen[result]);
        }
        let total: u64 = counts.iter().sum();
        if total > 0 {
            let permille = counts.map(|count| count * 1000 / total);
            let predicted =
                curve.chances(f64::from(from + 25)).map(|chance| (1000.0 * chance).round());
            print!("{:>5} {total:>9}", from + 25);
            for result in [2, 1, 0] {
                print!("  {:>4} ({:>3})", permille[result], predicted[result]);
            }
            println!();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_found_again_from_its_own_chances() {
        let curve = Curve { midpoint: 140.0, spread: 60.0 };
        let counts = |score| curve.chances(f64::from(score)).map(|chance| (chance * 1e6) as u64);
        let results: Results =
            (-600..600).step_by(25).map(|score| (score, counts(score))).collect();
        let found = Curve::fitted(&results);
        assert!(
            (found.midpoint - 140.0).abs() < 1.0 && (found.spread - 60.0).abs() < 1.0,
            "{found:?}"
        );
    }
}
