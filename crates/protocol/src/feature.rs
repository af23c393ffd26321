//! Optional features that a client or server announces in addition to the protocol version.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::checked_text::checked_text;

/// Maximum number of features in a list.
pub const MAX_FEATURES: usize = 16;
/// Maximum length of a feature name.
pub const MAX_FEATURE_LETTERS: usize = 24;

/// The name of a feature: up to 24 lowercase letters, with single spaces between words. Unknown
/// features are ignored.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "string"))]
pub struct Feature(String);

/// A list of at most 16 features.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<Feature>", into = "Vec<Feature>")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "string[]"))]
pub struct Features(Vec<Feature>);

/// Why a list of features is invalid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FeatureError {
    /// A feature name is empty, too long, or contains anything other than lowercase letters and
    /// single spaces.
    #[error("a feature has 1 to {MAX_FEATURE_LETTERS} lowercase letters and single spaces")]
    Spelling,
    /// The list has more than [`MAX_FEATURES`] features.
    #[error("too many features; the maximum is {MAX_FEATURES}")]
    TooMany,
}

impl Feature {
    /// Returns the feature of a server that offers an engine to play against.
    pub fn engine() -> Feature {
        Feature("engine".to_owned())
    }
}

checked_text!(Feature, FeatureError);

impl FromStr for Feature {
    type Err = FeatureError;

    fn from_str(text: &str) -> Result<Feature, FeatureError> {
        let is_word =
            |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_valid = text.len() <= MAX_FEATURE_LETTERS && text.split(' ').all(is_word);
        if is_valid { Ok(Feature(text.to_owned())) } else { Err(FeatureError::Spelling) }
    }
}

impl Features {
    /// Returns `true` if the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `true` if the list contains this feature.
    pub fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|feature| feature.as_str() == name)
    }

    /// Returns all features.
    pub fn iter(&self) -> impl Iterator<Item = &Feature> {
        self.0.iter()
    }
}

impl TryFrom<Vec<Feature>> for Features {
    type Error = FeatureError;

    fn try_from(features: Vec<Feature>) -> Result<Features, FeatureError> {
        if features.len() > MAX_FEATURES {
            return Err(FeatureError::TooMany);
        }
        Ok(Features(features))
    }
}

impl From<Option<Feature>> for Features {
    /// Creates a list of one feature or none.
    fn from(feature: Option<Feature>) -> Features {
        Features(feature.into_iter().collect())
    }
}

impl From<Features> for Vec<Feature> {
    fn from(features: Features) -> Vec<Feature> {
        features.0
    }
}
