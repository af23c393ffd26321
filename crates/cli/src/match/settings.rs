//! Everything that decides how a match goes.

use std::fmt;
use std::time::Duration;

use castellan_rules::Line;

use super::adjudication::Adjudication;
use super::pace::Pace;
use super::player::Contender;
use super::statistics::Sprt;

/// What a match is played with.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) contenders: [Contender; 2],
    pub(super) pace: Pace,
    pub(super) margin: Duration,
    pub(super) adjudication: Adjudication,
    pub(super) openings: Vec<Line>,
    /// What is said about the openings: the file, the order.
    pub(super) openings_said: String,
    pub(super) games: u32,
    pub(super) concurrency: usize,
    pub(super) sprt: Option<Sprt>,
}

impl Settings {
    /// The opening of a game, counted from 1: two games have the same one, and when all are
    /// played they begin again.
    pub(super) fn opening(&self, number: u32) -> &Line {
        let pair = (number.max(1) - 1) / 2;
        &self.openings[pair as usize % self.openings.len()]
    }
}

/// What must be the same for a match to be continued: the engines with their options, how much
/// they may think, the openings, and when games are ended. Not how many games, how many at once,
/// or which test.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (letter, contender) in ["a", "b"].into_iter().zip(&self.contenders) {
            write!(f, "{letter}: {} ({})", contender.program, contender.name)?;
            for (name, value) in contender.usual_options.iter().chain(&contender.options) {
                write!(f, " {name}={value}")?;
            }
            f.write_str("; ")?;
        }
        write!(f, "{}; {}; ", self.pace, self.openings_said)?;
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
