//! Stored ratings, by time control category.
//!
//! This module defines the categories, their names and the change that a game makes;
//! `castellan-game` computes ratings. Invariant: a change applies only to the rating it was
//! computed from.

use core::fmt;
use core::str::FromStr;

use castellan_game::PlayerId;

/// A class of time controls that share a rating. The server assigns it from the expected length
/// of a game, per player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// Less than 3 minutes.
    Bullet,
    /// From 3 minutes to less than 8.
    Blitz,
    /// From 8 minutes to less than 30.
    Rapid,
    /// 30 minutes or more.
    Classical,
    /// No time limit.
    Unlimited,
}

impl Category {
    /// All categories, from fastest to slowest.
    pub const ALL: [Category; 5] = [
        Category::Bullet,
        Category::Blitz,
        Category::Rapid,
        Category::Classical,
        Category::Unlimited,
    ];

    /// Returns the name under which the category is stored.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Category::Bullet => "bullet",
            Category::Blitz => "blitz",
            Category::Rapid => "rapid",
            Category::Classical => "classical",
            Category::Unlimited => "unlimited",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The error for a text that is not the name of a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a rating category: expected bullet, blitz, rapid, classical or unlimited")]
pub struct ParseCategoryError;

impl FromStr for Category {
    type Err = ParseCategoryError;

    fn from_str(text: &str) -> Result<Category, ParseCategoryError> {
        Category::ALL.into_iter().find(|one| one.as_str() == text).ok_or(ParseCategoryError)
    }
}

/// An estimate of a player's strength, on the Glicko scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoredRating {
    /// The estimated strength.
    pub rating: f64,
    /// The uncertainty of the estimate.
    pub deviation: f64,
    /// How much the player's strength itself is expected to fluctuate.
    pub volatility: f64,
    /// Number of games the estimate is based on.
    pub games: u32,
}

/// The change that one game makes to one rating.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatingChange {
    /// The player, who must have an account.
    pub player: PlayerId,
    /// The category of the rating.
    pub category: Category,
    /// Number of games behind the previous rating; 0 if there was none. If another game was rated
    /// in the meantime, the whole batch fails with a rating conflict.
    pub games_before: u32,
    /// The new rating.
    pub after: StoredRating,
}
