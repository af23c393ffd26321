//! The strength of an engine opponent.

use std::fmt;

use castellan_game::PlayerId;
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The lowest level, in Elo points.
pub const MIN_LEVEL: u16 = 400;
/// The highest level below full strength, in Elo points. The range is that of the engine, which
/// this crate does not see; a test of the server compares them.
pub const MAX_LEVEL: u16 = 2800;

/// First player ID of engines, one for each level. It is far beyond the IDs of people, and fits
/// into a JavaScript number.
const FIRST_ENGINE_ID: u64 = 1 << 52;

/// The strength of an engine opponent, in Elo points from 400 to 2800, or full strength. In JSON
/// it is a number or `"full"`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "number | \"full\""))]
pub struct Level(Option<u16>);

/// The number is not a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a level is a number from {MIN_LEVEL} to {MAX_LEVEL}, or full")]
pub struct LevelError;

impl Level {
    /// The full strength of the engine.
    pub const FULL: Level = Level(None);

    /// Creates a level from Elo points.
    pub fn from_elo(elo: u16) -> Result<Level, LevelError> {
        if (MIN_LEVEL..=MAX_LEVEL).contains(&elo) { Ok(Level(Some(elo))) } else { Err(LevelError) }
    }

    /// Returns the Elo points; `None` for full strength.
    pub fn elo(self) -> Option<u16> {
        self.0
    }

    /// Returns the player ID of the engine at this level.
    pub fn player_id(self) -> PlayerId {
        PlayerId(FIRST_ENGINE_ID + u64::from(self.0.unwrap_or(0)))
    }

    /// Returns the level of an engine player, or `None` for a person.
    pub fn of_player(player: PlayerId) -> Option<Level> {
        match player.0.checked_sub(FIRST_ENGINE_ID)? {
            0 => Some(Level::FULL),
            // Old games may have higher levels, which always played like the highest one.
            elo => Level::from_elo(u16::try_from(elo).ok()?.min(MAX_LEVEL)).ok(),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(elo) => write!(f, "{elo}"),
            None => f.write_str("full"),
        }
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(elo) => to.serialize_u16(elo),
            None => to.serialize_str("full"),
        }
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Level, D::Error> {
        from.deserialize_any(LevelVisitor)
    }
}

struct LevelVisitor;

impl Visitor<'_> for LevelVisitor {
    type Value = Level;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a level from {MIN_LEVEL} to {MAX_LEVEL}, or \"full\"")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Level, E> {
        u16::try_from(number)
            .ok()
            .and_then(|elo| Level::from_elo(elo).ok())
            .ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Level, E> {
        match text {
            "full" => Ok(Level::FULL),
            _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_recognized_by_its_player_id() {
        for level in [Level::FULL, Level(Some(MIN_LEVEL)), Level(Some(MAX_LEVEL))] {
            assert_eq!(Level::of_player(level.player_id()), Some(level));
        }
        for person in [0, 1, 400, FIRST_ENGINE_ID - 1, FIRST_ENGINE_ID + 1, u64::MAX] {
            assert_eq!(Level::of_player(PlayerId(person)), None);
        }
    }

    #[test]
    fn a_player_of_an_old_game_above_the_highest_level_is_an_engine() {
        let old = PlayerId(FIRST_ENGINE_ID + 2900);
        assert_eq!(Level::of_player(old), Some(Level(Some(MAX_LEVEL))));
    }
}
