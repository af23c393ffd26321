//! Ratings of a solver and of puzzles, as if they played each other.

use castellan_game::rating::{RatedGame, Rating, Score};
use serde::{Deserialize, Serialize};

use crate::error::{ApiError, ErrorCode};

/// The deviation of a puzzle whose rating is only an estimate.
const ESTIMATE_DEVIATION: f64 = 200.0;
/// The longest pause that counts, in days.
const MAX_IDLE_DAYS: f64 = 3650.0;

/// The first attempt at a puzzle.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Attempt {
    /// The rating of the solver; `null` for a new one.
    solver: Option<RatingView>,
    /// The rating of the puzzle; `null` if only the estimate is known.
    puzzle: Option<RatingView>,
    estimate: u16,
    is_solved: bool,
    /// Days since the solver's last attempt.
    idle_days: f64,
}

/// Both ratings after an attempt.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct AttemptRatings {
    solver: RatingView,
    puzzle: RatingView,
}

/// A rating by the Glicko-2 system.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct RatingView {
    points: f64,
    deviation: f64,
    volatility: f64,
}

pub(crate) fn rate(attempt: &Attempt) -> Result<AttemptRatings, ApiError> {
    let solver = attempt.solver.map_or_else(|| Ok(Rating::default()), rating)?;
    let estimated = RatingView {
        points: f64::from(attempt.estimate),
        deviation: ESTIMATE_DEVIATION,
        volatility: Rating::default().volatility(),
    };
    let puzzle = rating(attempt.puzzle.unwrap_or(estimated))?;
    let days = if attempt.idle_days.is_finite() { attempt.idle_days } else { 0.0 };
    let score = if attempt.is_solved { Score::Win } else { Score::Loss };
    let met = |opponent, score| RatedGame { opponent, score };
    let days = days.clamp(0.0, MAX_IDLE_DAYS);
    Ok(AttemptRatings {
        solver: solver.after_game(met(puzzle, score), days).into(),
        // A puzzle that is not attempted does not become less certain.
        puzzle: puzzle.after_game(met(solver, score.reversed()), 0.0).into(),
    })
}

fn rating(view: RatingView) -> Result<Rating, ApiError> {
    Rating::new(view.points, view.deviation, view.volatility)
        .map_err(|error| ApiError::new(ErrorCode::BadNumber, error))
}

impl From<Rating> for RatingView {
    fn from(rating: Rating) -> RatingView {
        RatingView {
            points: rating.points(),
            deviation: rating.deviation(),
            volatility: rating.volatility(),
        }
    }
}
