//! What one side can do beyond the version of the protocol.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::checked_text::checked_text;

/// The most features that are listed.
pub const MAX_FEATURES: usize = 16;
/// The most letters of a feature.
pub const MAX_FEATURE_LETTERS: usize = 24;

/// The name of a feature: up to 24 small letters, with single spaces between words. One that is
/// not known is ignored.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "string"))]
pub struct Feature(String);

/// At most 16 features.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<Feature>", into = "Vec<Feature>")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "string[]"))]
pub struct Features(Vec<Feature>);

/// Why something is not a list of features.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FeatureError {
    /// Not small letters.
    #[error("a feature has 1 to {MAX_FEATURE_LETTERS} small letters and single spaces")]
    Spelling,
    /// Too many.
    #[error("at most {MAX_FEATURES} features")]
    TooMany,
}

impl Feature {
    /// Of a server: there is an engine to play against.
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
        let is_fine = text.len() <= MAX_FEATURE_LETTERS && text.split(' ').all(is_word);
        if is_fine { Ok(Feature(text.to_owned())) } else { Err(FeatureError::Spelling) }
    }
}

impl Features {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this one is among them.
    pub fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|feature| feature.as_str() == name)
    }

    /// All of them.
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
    /// One feature, or none.
    fn from(feature: Option<Feature>) -> Features {
        Features(feature.into_iter().collect())
    }
}

impl From<Features> for Vec<Feature> {
    fn from(features: Features) -> Vec<Feature> {
        features.0
    }
}
