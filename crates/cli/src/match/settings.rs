//! The settings of a match.

use std::fmt;
use std::time::Duration;

use castellan_rules::Line;

use super::adjudication::Adjudication;
use super::player::EngineConfig;
use super::search_limit::SearchLimit;
use super::statistics::Sprt;

/// Everything that determines how a match is played.
#[derive(Debug)]
pub(super) struct MatchSettings {
    pub(super) engines: [EngineConfig; 2],
    pub(super) search_limit: SearchLimit,
    pub(super) margin: Duration,
    pub(super) adjudication: Adjudication,
    pub(super) openings: Vec<Line>,
    /// A description of the openings: the file and the order.
    pub(super) openings_description: String,
    pub(super) games: u32,
    pub(super) concurrency: usize,
    pub(super) sprt: Option<Sprt>,
}

impl MatchSettings {
    /// Returns the opening of a game, numbered from 1. Two consecutive games share an opening,
    /// and the list repeats once all openings are used.
    pub(super) fn opening(&self, number: u32) -> &Line {
        let pair = (number.max(1) - 1) / 2;
        &self.openings[pair as usize % self.openings.len()]
    }
}

/// Writes the settings that must be the same for a match to be continued: the engines with their
/// options, their time or search limit, the openings, and adjudication. The number of games, the
/// concurrency and the SPRT may change.
impl fmt::Display for MatchSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (letter, engine) in ["a", "b"].into_iter().zip(&self.engines) {
            write!(f, "{letter}: {} ({})", engine.program, engine.name)?;
            for (name, value) in engine.usual_options.iter().chain(&engine.options) {
                write!(f, " {name}={value}")?;
            }
            f.write_str("; ")?;
        }
        write!(f, "{}; {}; ", self.search_limit, self.openings_description)?;
        match self.adjudication.resign {
            Some(rule) => write!(f, "resign {},{}; ", rule.moves, rule.centipawns)?,
            None => f.write_str("no resign; ")?,
        }
        match self.adjudication.draw {
            Some(rule) => {
                write!(f, "draw {},{},{}", rule.from_move, rule.moves, rule.centipawns)
            }
            None => f.write_str("no draw"),
        }
    }
}
