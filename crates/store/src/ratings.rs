//! Ratings as they are stored, by category of time control.
//!
//! Owns: categories by name, and the change that a game makes. Leaves to `castellan-game`: how a
//! rating is computed. Invariant: a change applies only to the rating that it was computed from.

use core::fmt;
use core::str::FromStr;

use castellan_game::PlayerId;

/// Games of one category share a rating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// A few minutes for a game at most.
    Bullet,
    /// Some minutes.
    Blitz,
    /// Up to half an hour.
    Rapid,
    /// Longer.
    Classical,
    /// Without a limit.
    Unlimited,
}

impl Category {
    /// All categories, from quick to slow.
    pub const ALL: [Category; 5] = [
        Category::Bullet,
        Category::Blitz,
        Category::Rapid,
        Category::Classical,
        Category::Unlimited,
    ];

    /// The name under which it is stored.
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

/// The text is not the name of a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a category: bullet, blitz, rapid, classical or unlimited")]
pub struct ParseCategoryError;

impl FromStr for Category {
    type Err = ParseCategoryError;

    fn from_str(text: &str) -> Result<Category, ParseCategoryError> {
        Category::ALL.into_iter().find(|one| one.as_str() == text).ok_or(ParseCategoryError)
    }
}

/// What is believed about somebody's strength, on the scale of Glicko.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoredRating {
    /// The best guess.
    pub rating: f64,
    /// How far off the guess may be.
    pub deviation: f64,
    /// How much the strength itself changes.
    pub volatility: f64,
    /// How many games it was learned from.
    pub games: u32,
}

/// What one game does to one rating.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatingChange {
    /// Whose rating; an account.
    pub player: PlayerId,
    /// In which category.
    pub category: Category,
    /// How many games the rating came from before; 0 where there was none. If another game was
    /// rated in the meantime, the whole batch is refused with a rating conflict.
    pub games_before: u32,
    /// The new rating.
    pub after: StoredRating,
}
