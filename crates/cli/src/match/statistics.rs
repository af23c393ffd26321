//! Statistics of the results of a match, without side effects.
//!
//! Games come in pairs: one opening, played twice with colors reversed. The two results of a pair
//! are correlated, because the opening favors the same color in both. So pairs are counted
//! instead of games, in five classes by how many half points the first engine scored (0 to 4).
//! This is the pentanomial model; its errors are smaller than those of games counted
//! individually.
//!
//! Elo is logistic: a difference of E means an expected score of 1 / (1 + 10^(-E/400)).

/// The number of pairs in which the first engine scored 0, 1/2, 1, 3/2 and 2 points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Pairs(pub(super) [u64; 5]);

/// An Elo difference and half the width of its 95 % confidence interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Elo {
    pub(super) difference: f64,
    pub(super) error: f64,
}

/// The score of each class, as a share of the two points.
const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The 97.5 % quantile of the normal distribution.
const TWO_SIDED_95: f64 = 1.959_963_984_540_054;

/// The count used for a class that has not occurred; with zero, the class would count as
/// impossible.
const UNSEEN: f64 = 1e-3;

impl Pairs {
    /// Counts a pair in which the first engine scored `half_points`, from 0 to 4.
    pub(super) fn add(&mut self, half_points: usize) {
        if let Some(count) = self.0.get_mut(half_points) {
            *count += 1;
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the mean score per pair as a share, and its standard error; `None` without pairs.
    fn mean_and_error(&self) -> Option<(f64, f64)> {
        let count = self.count() as f64;
        let sum = |value: &dyn Fn(f64) -> f64| -> f64 {
            let terms = self.0.iter().zip(SHARES);
            terms.map(|(&pairs, share)| pairs as f64 * value(share)).sum()
        };
        let mean = sum(&|share| share) / count;
        let variance = sum(&|share| (share - mean).powi(2)) / count;
        (count > 0.0).then(|| (mean, (variance / count).sqrt()))
    }

    /// Returns the Elo difference; `None` without pairs, and infinite if one engine won every
    /// game.
    ///
    /// The confidence interval is that of the score, which is nearly normal, converted to Elo,
    /// where it is not quite symmetric; the error is half of its width.
    pub(super) fn elo(&self) -> Option<Elo> {
        let (mean, error) = self.mean_and_error()?;
        let reach = TWO_SIDED_95 * error;
        let width = elo_of_score(mean + reach) - elo_of_score(mean - reach);
        let error = if width.is_nan() { f64::INFINITY } else { width / 2.0 };
        Some(Elo { difference: elo_of_score(mean), error })
    }

    /// Returns the log-likelihood ratio of two hypotheses about Elo: above 0 the second is
    /// likelier.
    ///
    /// A hypothesis fixes only the expected score, not how often each class occurs. So each one
    /// gets the class probabilities that explain the pairs best among those with its score (the
    /// generalized sequential probability ratio test).
    pub(super) fn log_likelihood_ratio(&self, elo0: f64, elo1: f64) -> f64 {
        if self.count() == 0 {
            return 0.0;
        }
        let counts = self.0.map(|pairs| if pairs == 0 { UNSEEN } else { pairs as f64 });
        log_likelihood(&counts, score_of_elo(elo1)) - log_likelihood(&counts, score_of_elo(elo0))
    }
}

/// Returns the maximum log-likelihood of these counts for a mean score, up to a constant.
///
/// By Lagrange multipliers, the best probabilities are `n / (N (1 + tilt (share - mean)))`, with
/// the one tilt that gives the right mean. Terms that do not depend on the mean are left out.
fn log_likelihood(counts: &[f64; 5], mean: f64) -> f64 {
    let tilt = tilt(counts, mean);
    let terms = counts.iter().zip(SHARES);
    terms.map(|(count, share)| -count * (1.0 + tilt * (share - mean)).ln()).sum()
}

/// Finds the tilt by bisection: the excess decreases steadily between the two tilts at which a
/// probability would become infinite.
fn tilt(counts: &[f64; 5], mean: f64) -> f64 {
    let excess = |tilt: f64| -> f64 {
        let terms = counts.iter().zip(SHARES);
        terms.map(|(count, share)| count * (share - mean) / (1.0 + tilt * (share - mean))).sum()
    };
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Returns the expected score for an Elo difference.
fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// Returns the Elo difference for a score; infinite for a score of 0 or 1.
fn elo_of_score(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (score / (1.0 - score)).log10()
    }
}

/// A sequential probability ratio test: is the difference `elo0` or `elo1`?
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Sprt {
    pub(super) elo0: f64,
    pub(super) elo1: f64,
}

/// The state of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Decision {
    /// The test is not decided yet.
    Open,
    /// The difference is no better than `elo0`.
    Rejected,
    /// The difference is at least `elo1`.
    Accepted,
}

impl Sprt {
    /// The probability of each of the two kinds of error.
    const ERROR: f64 = 0.05;

    /// Returns the upper bound of the ratio. The lower bound is its negative, because both errors
    /// are equally probable.
    pub(super) fn bound() -> f64 {
        ((1.0 - Sprt::ERROR) / Sprt::ERROR).ln()
    }

    pub(super) fn ratio(&self, pairs: &Pairs) -> f64 {
        pairs.log_likelihood_ratio(self.elo0, self.elo1)
    }

    pub(super) fn decision(&self, pairs: &Pairs) -> Decision {
        let ratio = self.ratio(pairs);
        if ratio >= Sprt::bound() {
            Decision::Accepted
        } else if ratio <= -Sprt::bound() {
            Decision::Rejected
        } else {
            Decision::Open
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(found: f64, expected: f64, what: &str) {
        let error = (found - expected).abs();
        assert!(error <= 1e-6 * expected.abs().max(1.0), "{what}: {found}, expected {expected}");
    }

    /// The expected values come from a program that finds the best probabilities with Newton's
    /// method in the three directions that preserve sum and mean, and so does not use the tilt.
    #[track_caller]
    fn check(counts: [u64; 5], elo: (f64, f64), ratios: [f64; 3]) {
        let pairs = Pairs(counts);
        let found = pairs.elo().expect("there are pairs");
        near(found.difference, elo.0, "elo");
        near(found.error, elo.1, "error");
        for ((elo0, elo1), expected) in
            [(0.0, 5.0), (-3.0, 1.0), (0.0, 50.0)].into_iter().zip(ratios)
        {
            near(pairs.log_likelihood_ratio(elo0, elo1), expected, "ratio");
        }
    }

    #[test]
    fn worked_examples() {
        check(
            [100, 900, 2000, 1000, 120],
            (5.903_599_901, 4.355_056_705),
            [3.444_841_912, 5.580_714_577, -182.898_157_842],
        );
        check(
            [10, 20, 30, 40, 50],
            (120.411_998_266, 39.228_213_053),
            [1.413_399_419, 1.159_437_726, 11.682_232_722],
        );
        check(
            [0, 3, 10, 5, 2],
            (52.511_565_856, 66.482_500_804),
            [0.249_311_996, 0.213_646_486, 1.343_135_543],
        );
        check(
            [1000, 9000, 20000, 9000, 1000],
            (0.0, 1.372_528_387),
            [-25.470_812_502, 8.154_323_168, -2_367.130_020_431],
        );
    }

    #[test]
    fn without_pairs_nothing_is_known() {
        assert_eq!(Pairs::default().elo(), None);
        assert_eq!(Pairs::default().log_likelihood_ratio(0.0, 5.0), 0.0);
    }

    #[test]
    fn all_points_are_infinitely_better() {
        let elo = Pairs([0, 0, 0, 0, 3]).elo().expect("there are pairs");
        assert_eq!((elo.difference, elo.error), (f64::INFINITY, f64::INFINITY));
        let elo = Pairs([3, 0, 0, 0, 0]).elo().expect("there are pairs");
        assert_eq!(elo.difference, f64::NEG_INFINITY);
    }

    #[test]
    fn changing_sides_changes_signs() {
        for counts in [[1, 2, 3, 4, 5], [100, 900, 2000, 1000, 120], [0, 0, 7, 1, 0]] {
            let pairs = Pairs(counts);
            let mut mirrored = counts;
            mirrored.reverse();
            let mirrored = Pairs(mirrored);
            let (elo, other) = (pairs.elo().expect("pairs"), mirrored.elo().expect("pairs"));
            near(elo.difference, -other.difference, "elo");
            near(elo.error, other.error, "error");
            let ratio = pairs.log_likelihood_ratio(-2.0, 7.0);
            near(ratio, mirrored.log_likelihood_ratio(2.0, -7.0), "mirrored");
            near(ratio, -pairs.log_likelihood_ratio(7.0, -2.0), "reversed");
        }
    }

    #[test]
    fn the_test_decides_at_the_bounds() {
        near(Sprt::bound(), 2.944_438_979_166_440_3, "bound");
        let sprt = Sprt { elo0: 0.0, elo1: 5.0 };
        assert_eq!(sprt.decision(&Pairs([100, 900, 2000, 1000, 120])), Decision::Accepted);
        assert_eq!(sprt.decision(&Pairs([10, 20, 30, 40, 50])), Decision::Open);
        assert_eq!(sprt.decision(&Pairs([1000, 9000, 20000, 9000, 1000])), Decision::Rejected);
    }

    #[test]
    fn pairs_are_counted_by_half_points() {
        let mut pairs = Pairs::default();
        for half_points in [0, 1, 1, 4] {
            pairs.add(half_points);
        }
        assert_eq!(pairs, Pairs([1, 2, 0, 0, 1]));
        assert_eq!(pairs.count(), 4);
    }
}
