//! Ratings by Glickman's Glicko-2 system.
//!
//! Owns: a player's rating and how games and time change it. Leaves to the server which games
//! count and where ratings are kept. Invariant: a [`Rating`] is finite and within its bounds,
//! whatever is played.
//!
//! A rating is a guess (points), the guess's uncertainty (deviation) and how erratic the player
//! is (volatility). Glicko-2 rates whole periods; here every game is a period of its own, so that
//! players see at once what a game was worth, and the uncertainty that an idle player gathers is
//! reckoned by the days since the last game.
//!
//! The formulas are those of Mark Glickman's "Example of the Glicko-2 system"; its steps are
//! named beside the code, and its worked example is a test.

mod volatility;

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

/// Where everybody begins, and the middle of the scale.
pub const START_POINTS: f64 = 1500.0;
/// What is known of somebody who never played: nothing.
pub const MAX_DEVIATION: f64 = 350.0;
/// Ratings never become so certain that they stop moving.
pub const MIN_DEVIATION: f64 = 45.0;
/// Above this a rating says little and is shown with a question mark.
pub const PROVISIONAL_DEVIATION: f64 = 110.0;

const MAX_POINTS: f64 = 5000.0;
const START_VOLATILITY: f64 = 0.06;
const MAX_VOLATILITY: f64 = 0.1;
/// Points on the scale that people know for one unit on the scale of the formulas (steps 2, 8).
const POINTS_PER_UNIT: f64 = 173.7178;
/// So many idle days add the uncertainty of one period. With this a regular player, whose
/// deviation is about 50, is provisional again after a year away.
const DAYS_PER_PERIOD: f64 = 4.0;

/// How well somebody plays, as far as is known.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Numbers", into = "Numbers")]
pub struct Rating {
    points: f64,
    deviation: f64,
    volatility: f64,
}

/// A game as one of its players sees it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Encounter {
    /// The opponent's rating before the game.
    pub opponent: Rating,
    /// How it ended.
    pub score: Score,
}

/// How a game ended for one of its players.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Score {
    /// Won.
    Win,
    /// Drawn.
    Draw,
    /// Lost.
    Loss,
}

/// Numbers that are no rating.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected points from 0 to 5000, a deviation from 1 to 350 and a volatility from 0 to 0.1")]
pub struct RatingError;

impl Rating {
    /// A rating from its parts.
    pub fn new(points: f64, deviation: f64, volatility: f64) -> Result<Rating, RatingError> {
        let is_rating = (0.0..=MAX_POINTS).contains(&points)
            && (1.0..=MAX_DEVIATION).contains(&deviation)
            && volatility > 0.0
            && volatility <= MAX_VOLATILITY;
        if is_rating { Ok(Rating { points, deviation, volatility }) } else { Err(RatingError) }
    }

    /// The guess.
    pub fn points(self) -> f64 {
        self.points
    }

    /// The uncertainty: the truth is within twice this of the guess, most of the time.
    pub fn deviation(self) -> f64 {
        self.deviation
    }

    /// How erratic the player is.
    pub fn volatility(self) -> f64 {
        self.volatility
    }

    /// The points as people read them.
    pub fn shown(self) -> u16 {
        self.points.round() as u16
    }

    /// Whether the rating says little yet.
    pub fn is_provisional(self) -> bool {
        self.deviation > PROVISIONAL_DEVIATION
    }

    /// The rating after a game, when so many days have passed since the player's last one.
    ///
    /// ```
    /// use castellan_game::rating::{Encounter, Rating, Score};
    /// let [winner, loser] = [Score::Win, Score::Loss].map(|score| {
    ///     let game = Encounter { opponent: Rating::default(), score };
    ///     Rating::default().after_game(game, 0.0)
    /// });
    /// assert_eq!((winner.shown(), loser.shown()), (1662, 1338));
    /// ```
    #[must_use]
    pub fn after_game(self, game: Encounter, idle_days: f64) -> Rating {
        let periods =
            if idle_days.is_finite() { idle_days.max(0.0) / DAYS_PER_PERIOD } else { 0.0 };
        let rating = self.after_period(&[game], periods);
        Rating { deviation: rating.deviation.max(MIN_DEVIATION), ..rating }
    }

    /// What is known so many days after the last game: the same, but less surely.
    #[must_use]
    pub fn after_days(self, idle_days: f64) -> Rating {
        let periods =
            if idle_days.is_finite() { idle_days.max(0.0) / DAYS_PER_PERIOD } else { 0.0 };
        self.after_period(&[], periods)
    }

    /// The rating after some games and the uncertainty of so many periods.
    fn after_period(self, games: &[Encounter], periods: f64) -> Rating {
        let (mu, phi) = (self.mu(), self.phi());
        let news = News::of(mu, games);
        let volatility = match news {
            None => self.volatility,
            Some(news) => volatility::improved(self.volatility, phi, news),
        };
        // Step 6, for any number of periods.
        let idle_phi = (phi * phi + volatility * volatility * periods).sqrt();
        // Step 7.
        let (mu, phi) = match news {
            None => (mu, idle_phi),
            Some(News { variance, surprise }) => {
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

impl Default for Rating {
    fn default() -> Rating {
        let (points, deviation) = (START_POINTS, MAX_DEVIATION);
        Rating { points, deviation, volatility: START_VOLATILITY }
    }
}

/// What games tell of a player.
#[derive(Clone, Copy)]
struct News {
    /// The variance of the rating if only these games were known (step 3).
    variance: f64,
    /// How much better the results were than expected, weighed by what the opponents' ratings
    /// are worth (the sum of steps 4 and 7).
    surprise: f64,
}

impl News {
    fn of(mu: f64, games: &[Encounter]) -> Option<News> {
        let (mut precision, mut surprise) = (0.0, 0.0);
        for game in games {
            let weight = weight(game.opponent.phi());
            let expected = 1.0 / (1.0 + (-weight * (mu - game.opponent.mu())).exp());
            precision += weight * weight * expected * (1.0 - expected);
            surprise += weight * (game.score.value() - expected);
        }
        (precision > 0.0).then(|| News { variance: 1.0 / precision, surprise })
    }
}

/// How much a game against somebody so uncertain counts.
fn weight(phi: f64) -> f64 {
    1.0 / (1.0 + 3.0 * phi * phi / (PI * PI)).sqrt()
}

impl Score {
    /// How it ended for the opponent.
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

/// A rating as JSON has it, not yet checked.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Numbers {
    points: f64,
    deviation: f64,
    volatility: f64,
}

impl From<Rating> for Numbers {
    fn from(rating: Rating) -> Numbers {
        let Rating { points, deviation, volatility } = rating;
        Numbers { points, deviation, volatility }
    }
}

impl TryFrom<Numbers> for Rating {
    type Error = RatingError;

    fn try_from(numbers: Numbers) -> Result<Rating, RatingError> {
        Rating::new(numbers.points, numbers.deviation, numbers.volatility)
    }
}

#[cfg(test)]
mod tests;
