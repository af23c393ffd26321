//! Replies from an engine to a GUI.

mod option;
mod parse;
mod report;

use std::fmt;

use castellan_rules::UciMove;

use crate::ParseUciError;
use crate::words::OneLine;

pub use option::{EngineOption, OptionKind};
pub use report::{Bound, CurrentLine, Report, Score, ScoreValue, WinDrawLoss};

/// A reply from an engine to a GUI, one line long.
///
/// A written reply parses back to the same value, provided that its texts have no spaces at
/// either end and no two in a row. Line breaks within a text are written as spaces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EngineReply {
    /// `id`: the engine's name or author.
    Id(Id),
    /// `uciok`: the engine has sent its name and all its options.
    UciOk,
    /// `readyok`: the engine has processed all earlier commands.
    ReadyOk,
    /// `bestmove`: the result of a search.
    BestMove(BestMove),
    /// `copyprotection`: the state of a copy protection check.
    CopyProtection(CheckState),
    /// `registration`: the state of a registration check.
    Registration(CheckState),
    /// `info`: the progress of the search. Boxed because it is much larger than the others.
    Info(Box<Report>),
    /// `option`: an option that can be set.
    Option(EngineOption),
}

/// `id name NAME` or `id author AUTHOR`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Id {
    /// The engine's name.
    Name(String),
    /// The engine's author.
    Author(String),
}

/// `bestmove e2e4 ponder e7e5`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BestMove {
    /// The move; `None`, written `(none)`, if there is no legal move.
    pub mv: Option<UciMove>,
    /// The reply that the engine expects.
    pub ponder: Option<UciMove>,
}

/// The state of a copy protection or registration check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckState {
    /// The check is in progress.
    Checking,
    /// The check succeeded.
    Ok,
    /// The check failed.
    Error,
}

impl EngineReply {
    /// Parses a line.
    ///
    /// The first word decides. The UCI specification would skip unknown words before it, but
    /// engines print names and greetings, and a sentence that contains the word `option` does not
    /// declare one. Unknown words within an `info` are skipped.
    ///
    /// ```
    /// use castellan_uci::{EngineReply, Score};
    /// let line = "info depth 12 score cp -35 upperbound nodes 9000 pv e2e4 e7e5";
    /// let EngineReply::Info(report) = EngineReply::parse(line)? else { panic!() };
    /// assert_eq!(report.score, Some(Score::centipawns(-35).upper()));
    /// assert_eq!(report.to_string(), line);
    /// # Ok::<(), castellan_uci::ParseUciError>(())
    /// ```
    pub fn parse(line: &str) -> Result<EngineReply, ParseUciError> {
        parse::reply(line)
    }
}

impl BestMove {
    /// Creates a reply with a move and no ponder move.
    pub fn new(mv: UciMove) -> BestMove {
        BestMove { mv: Some(mv), ponder: None }
    }
}

impl fmt::Display for EngineReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineReply::Id(Id::Name(name)) => write!(f, "id name {}", OneLine(name)),
            EngineReply::Id(Id::Author(author)) => write!(f, "id author {}", OneLine(author)),
            EngineReply::UciOk => f.write_str("uciok"),
            EngineReply::ReadyOk => f.write_str("readyok"),
            EngineReply::BestMove(best) => best.fmt(f),
            EngineReply::CopyProtection(state) => write!(f, "copyprotection {state}"),
            EngineReply::Registration(state) => write!(f, "registration {state}"),
            EngineReply::Info(report) => report.fmt(f),
            EngineReply::Option(option) => option.fmt(f),
        }
    }
}

impl fmt::Display for BestMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mv {
            Some(mv) => write!(f, "bestmove {mv}")?,
            None => f.write_str("bestmove (none)")?,
        }
        self.ponder.map_or(Ok(()), |mv| write!(f, " ponder {mv}"))
    }
}

impl fmt::Display for CheckState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CheckState::Checking => "checking",
            CheckState::Ok => "ok",
            CheckState::Error => "error",
        })
    }
}
