//! Formats a problem of a game as text or JSON.

use std::fmt;

use castellan_pgn::{Problem, Severity};
use serde::Serialize;

use crate::terminal::printable;

/// A problem of a game, with its position and the players' names.
#[derive(Serialize)]
pub(super) struct Finding<'a> {
    pub(super) file: &'a str,
    pub(super) line: u64,
    pub(super) column: u64,
    pub(super) severity: &'static str,
    pub(super) token: &'a str,
    pub(super) why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) white: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) black: Option<&'a str>,
}

/// The file of a game and the players' names.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    /// The name of the file.
    pub(super) file: &'a str,
    /// The names from the tags, if they are known.
    pub(super) white: Option<&'a str>,
    pub(super) black: Option<&'a str>,
}

impl<'a> Finding<'a> {
    /// Creates the finding for a problem at a line and column.
    pub(super) fn new(
        problem: &'a Problem,
        (line, column): (u64, u64),
        context: Context<'a>,
    ) -> Finding<'a> {
        let severity = problem.kind.severity();
        Finding {
            severity: if severity == Severity::Broken { "broken" } else { "forgiven" },
            token: &problem.token,
            why: problem.kind.to_string(),
            ..Finding::left_out(0, (line, column), context)
        }
    }

    /// Creates the finding that says how many more problems a game has than are listed.
    pub(super) fn left_out(
        count: usize,
        (line, column): (u64, u64),
        context: Context<'a>,
    ) -> Finding<'a> {
        let Context { file, white, black } = context;
        let why = format!("{count} more problems in this game");
        Finding { file, line, column, severity: "more", token: "", why, white, black }
    }
}

impl fmt::Display for Finding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: ", printable(self.file), self.line, self.column)?;
        if !self.token.is_empty() {
            write!(f, "{}: ", printable(self.token))?;
        }
        write!(f, "{}", printable(&self.why))?;
        if self.white.is_some() || self.black.is_some() {
            let name = |name: Option<&str>| printable(name.unwrap_or("?"));
            write!(f, " ({} - {})", name(self.white), name(self.black))?;
        }
        Ok(())
    }
}

/// Returns the name unless it is empty or `?`.
pub(super) fn known_name(name: &str) -> Option<&str> {
    Some(name.trim()).filter(|name| !name.is_empty() && *name != "?")
}
