//! Ratings by Glickman's Glicko-2 system.
//!
//! This module defines a player's rating and how games and time change it. The server decides
//! which games count, and stores the ratings. Invariant: a [`Rating`] is finite and within its
//! bounds, whatever the results.
//!
//! A rating consists of an estimate (points), its uncertainty (deviation), and how erratic the
//! player is (volatility). Glicko-2 rates whole periods; here every game is its own period, so
//! that players see the effect of a game at once. The uncertainty that builds up while a player
//! is idle is computed from the days since their last game.
//!
//! The formulas come from Mark Glickman's "Example of the Glicko-2 system". The comments name its
//! steps, and its worked example is a test.

mod volatility;

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

/// The rating of a new player, and the center of the scale.
pub const START_POINTS: f64 = 1500.0;
/// The deviation of a new player, about whom nothing is known.
pub const MAX_DEVIATION: f64 = 350.0;
/// The lowest deviation after a game; it keeps ratings from becoming so certain that they stop
/// moving.
pub const MIN_DEVIATION: f64 = 45.0;
/// Deviation above which a rating is provisional. The page shows such a rating of puzzles with a
/// question mark.
pub const PROVISIONAL_DEVIATION: f64 = 110.0;

const MAX_POINTS: f64 = 5000.0;
const START_VOLATILITY: f64 = 0.06;
const MAX_VOLATILITY: f64 = 0.1;
/// Rating points per unit of the formulas' internal scale (steps 2, 8).
const POINTS_PER_UNIT: f64 = 173.7178;
/// Idle days that add the uncertainty of one period. At this rate a regular player, whose
/// deviation is about 50, becomes provisional again after a year away.
const DAYS_PER_PERIOD: f64 = 4.0;

/// An estimate of a player's strength.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Numbers")]
pub struct Rating {
    points: f64,
    deviation: f64,
    volatility: f64,
}

/// A game from the point of view of one of its players.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RatedGame {
    /// The opponent's rating before the game.
    pub opponent: Rating,
    /// How the game ended for the rated player.
    pub score: Score,
}

/// The result of a game for one of its players.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Score {
    /// The player won.
    Win,
    /// The game was drawn.
    Draw,
    /// The player lost.
    Loss,
}

/// The numbers are not a valid rating.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected points from 0 to 5000, a deviation from 1 to 350 and a volatility from 0 to 0.1")]
pub struct RatingError;

impl Rating {
    /// Creates a rating from its parts, or fails if one of them is out of range.
    pub fn new(points: f64, deviation: f64, volatility: f64) -> Result<Rating, RatingError> {
        let is_rating = (0.0..=MAX_POINTS).contains(&points)
            && (1.0..=MAX_DEVIATION).contains(&deviation)
            && volatility > 0.0
            && volatility <= MAX_VOLATILITY;
        if is_rating { Ok(Rating { points, deviation, volatility }) } else { Err(RatingError) }
    }

    /// Returns the estimated strength in points.
    pub fn points(self) -> f64 {
        self.points
    }

    /// Returns the uncertainty: the true strength is usually within twice this many points of the
    /// estimate.
    pub fn deviation(self) -> f64 {
        self.deviation
    }

    /// Returns how erratic the player is.
    pub fn volatility(self) -> f64 {
        self.volatility
    }

    /// Returns the points rounded for display.
    pub fn shown(self) -> u16 {
        self.points.round() as u16
    }

    /// Returns the rating after a game played `idle_days` days after the player's previous one.
    ///
    /// ```
    /// use castellan_game::rating::{RatedGame, Rating, Score};
    /// let [winner, loser] = [Score::Win, Score::Loss].map(|score| {
    ///     let game = RatedGame { opponent: Rating::default(), score };
    ///     Rating::default().after_game(game, 0.0)
    /// });
    /// assert_eq!((winner.shown(), loser.shown()), (1662, 1338));
    /// ```
    #[must_use]
    pub fn after_game(self, game: RatedGame, idle_days: f64) -> Rating {
        let rating = self.after_period(&[game], periods(idle_days));
        Rating { deviation: rating.deviation.max(MIN_DEVIATION), ..rating }
    }

    /// Returns the rating `idle_days` days after the last game: the same points with more
    /// uncertainty.
    #[must_use]
    pub fn after_days(self, idle_days: f64) -> Rating {
        self.after_period(&[], periods(idle_days))
    }

    /// Returns the rating after some games and the uncertainty of `periods` periods.
    fn after_period(self, games: &[RatedGame], periods: f64) -> Rating {
        let (mu, phi) = (self.mu(), self.phi());
        let evidence = Evidence::of(mu, games);
        let volatility = match evidence {
            None => self.volatility,
            Some(evidence) => volatility::improved(self.volatility, phi, evidence),
        };
        // Step 6, for any number of periods.
        let idle_phi = (phi * phi + volatility * volatility * periods).sqrt();
        // Step 7.
        let (mu, phi) = match evidence {
            None => (mu, idle_phi),
            Some(Evidence { variance, surprise }) => {
                let phi = 1.0 / (1.0 / (idle_phi * idle_phi) + 1.0 / variance).sqrt();
                (mu + phi * phi * surprise, phi)
            }
        };
        Rating {
            points: (mu * POINTS_PER_UNIT + START_POINTS).clamp(0.0, MAX_POINTS),
            deviation: (phi * POINTS_PER_UNIT).clamp(1.0, MAX_DEVIATION),
            volatility: volatility.clamp(f64::MIN_POSITIVE, MAX_VOLATILITY),
        }
    }

    fn mu(self) -> f64 {
        (self.points - START_POINTS) / POINTS_PER_UNIT
    }

    fn phi(self) -> f64 {
        self.deviation / POINTS_PER_UNIT
    }
}

/// Returns how many periods a number of days without games is.
fn periods(idle_days: f64) -> f64 {
    if idle_days.is_finite() { idle_days.max(0.0) / DAYS_PER_PERIOD } else { 0.0 }
}

impl Default for Rating {
    fn default() -> Rating {
        let (points, deviation) = (START_POINTS, MAX_DEVIATION);
        Rating { points, deviation, volatility: START_VOLATILITY }
    }
}

/// What a set of games says about a player.
#[derive(Clone, Copy)]
struct Evidence {
    /// Variance of the rating if it were based on these games alone (step 3).
    variance: f64,
    /// How much better the results were than expected, weighted by the reliability of the
    /// opponents' ratings (the sum in steps 4 and 7).
    surprise: f64,
}

impl Evidence {
    fn of(mu: f64, games: &[RatedGame]) -> Option<Evidence> {
        let (mut precision, mut surprise) = (0.0, 0.0);
        for game in games {
            let weight = weight(game.opponent.phi());
            let expected = 1.0 / (1.0 + (-weight * (mu - game.opponent.mu())).exp());
            precision += weight * weight * expected * (1.0 - expected);
            surprise += weight * (game.score.value() - expected);
        }
        (precision > 0.0).then(|| Evidence { variance: 1.0 / precision, surprise })
    }
}

/// Returns the weight of a game against an opponent with this deviation.
fn weight(phi: f64) -> f64 {
    1.0 / (1.0 + 3.0 * phi * phi / (PI * PI)).sqrt()
}

impl Score {
    /// Returns the result from the opponent's point of view.
    #[must_use]
    pub fn reversed(self) -> Score {
        match self {
            Score::Win => Score::Loss,
            Score::Draw => Score::Draw,
            Score::Loss => Score::Win,
        }
    }

    fn value(self) -> f64 {
        match self {
            Score::Win => 1.0,
            Score::Draw => 0.5,
            Score::Loss => 0.0,
        }
    }
}

/// A rating as it is read from JSON, not yet validated.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Numbers {
    points: f64,
    deviation: f64,
    volatility: f64,
}

impl TryFrom<Numbers> for Rating {
    type Error = RatingError;

    fn try_from(numbers: Numbers) -> Result<Rating, RatingError> {
        Rating::new(numbers.points, numbers.deviation, numbers.volatility)
    }
}

#[cfg(test)]
mod tests;
