//! What an engine answers.

mod option;
mod parse;
mod report;

use std::fmt;

use castellan_rules::UciMove;

use crate::ParseUciError;
use crate::words::OneLine;

pub use option::{EngineOption, OptionKind};
pub use report::{Bound, CurrentLine, Outlook, Report, Score, ScoreValue};

/// One line from an engine to a GUI.
///
/// What is written reads back as the same reply, as long as its texts have no blanks at their
/// ends or two in a row; line ends in them are written as blanks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EngineReply {
    /// `id`: who it is.
    Id(Id),
    /// `uciok`: everything about the engine has been said.
    UciOk,
    /// `readyok`.
    ReadyOk,
    /// `bestmove`: the end of a search.
    BestMove(BestMove),
    /// `copyprotection`.
    CopyProtection(Permission),
    /// `registration`.
    Registration(Permission),
    /// `info`: how the search goes. Boxed, because it is much larger than the others.
    Info(Box<Report>),
    /// `option`: what can be set.
    Option(EngineOption),
}

/// `id name NAME` or `id author AUTHOR`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Id {
    /// The engine's name.
    Name(String),
    /// Who wrote it.
    Author(String),
}

/// `bestmove e2e4 ponder e7e5`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BestMove {
    /// The move; none, written `(none)`, where there is no legal move.
    pub mv: Option<UciMove>,
    /// The answer it expects.
    pub ponder: Option<UciMove>,
}

/// How a check for a licence went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Permission {
    /// It is being looked at.
    Checking,
    /// All is well.
    Ok,
    /// It is not.
    Error,
}

impl EngineReply {
    /// Reads a line.
    ///
    /// Its first word decides. UCI would have words before it skipped, but engines print names
    /// and greetings, and a sentence with the word `option` in it offers none. Within an `info`,
    /// words that mean nothing are skipped.
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
    /// A move and nothing else.
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
            EngineReply::CopyProtection(permission) => write!(f, "copyprotection {permission}"),
            EngineReply::Registration(permission) => write!(f, "registration {permission}"),
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

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Permission::Checking => "checking",
            Permission::Ok => "ok",
            Permission::Error => "error",
        })
    }
}
