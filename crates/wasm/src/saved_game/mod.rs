//! Games as PGN: written with everything needed to continue them, and opened again as they stood.
//!
//! This module defines the requests about PGN and lists the games in a text. `tags` defines the
//! meaning of the tags, `write` writes a game, and `open` reads one. Times are stored in `%clk`:
//! the time left if the clock counts down, the time used if it counts up.

mod open;
mod tags;
mod write;

use castellan_game::Moment;
use castellan_pgn::{Flow, Game as Pgn, Mode, for_each_game, nth_game};
use serde::{Deserialize, Serialize};

use crate::error::{ApiError, ErrorCode};
use crate::games::Program;
use crate::view::PgnProblem;

pub(crate) use open::open;
pub(crate) use write::write;

/// Maximum number of games listed.
const MAX_LISTED: usize = 10_000;

/// A request to write a game.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct WritePgn {
    pub(crate) game: u32,
    /// Value of the tag `Event` for a game that was not opened from a file.
    #[serde(default)]
    event: Option<String>,
    /// Minutes that local time is ahead of UTC, for the tag `Date`.
    #[serde(default)]
    offset_minutes: i64,
    now: u64,
}

/// A request to list the games of a text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct ReadPgn {
    text: String,
}

/// A request to open a game of a text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct OpenPgn {
    text: String,
    index: usize,
    /// The moves in UCI that lead to the position to continue from; `None` for the end of the
    /// main line.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional))]
    line: Option<Vec<String>>,
    /// The players from now on; `None` if the tags decide.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional))]
    players: Option<Players>,
    now: u64,
}

impl OpenPgn {
    pub(crate) fn now(&self) -> Moment {
        Moment::from_millis(self.now)
    }
}

/// The players of a game.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) enum Players {
    /// Two people at one board.
    People {},
    /// A person and the engine.
    Program { program: Program },
}

/// A game of a text, for a list.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct PgnSummary {
    /// The tags of these names; `?` if they are missing.
    white: String,
    black: String,
    event: String,
    date: String,
    result: &'static str,
    plies: usize,
    program: Option<Program>,
    problems: Vec<PgnProblem>,
}

pub(crate) fn read(request: &ReadPgn) -> Vec<PgnSummary> {
    let source = request.text.as_bytes();
    let mut games = Vec::new();
    let mut take = |pgn: Pgn| {
        games.push(PgnSummary::new(&pgn, source));
        if games.len() < MAX_LISTED { Flow::Continue } else { Flow::Stop }
    };
    // As in `nth_game`, so that the module contains the PGN reader only once.
    for_each_game(source, Mode::Lenient, &mut take as &mut dyn FnMut(Pgn) -> Flow);
    games
}

/// Returns one game of a text.
pub(crate) fn find(text: &str, index: usize) -> Result<Pgn, ApiError> {
    let found = nth_game(text.as_bytes(), Mode::Lenient, index);
    found.ok_or_else(|| ApiError::new(ErrorCode::NoGame, "the text does not contain this game"))
}

impl PgnSummary {
    fn new(pgn: &Pgn, source: &[u8]) -> PgnSummary {
        let tag = |name: &str| pgn.tags.get(name).unwrap_or("?").to_owned();
        PgnSummary {
            white: tag("White"),
            black: tag("Black"),
            event: tag("Event"),
            date: tag("Date"),
            result: pgn.result.as_str(),
            plies: pgn.main_line().count(),
            program: tags::program(pgn),
            problems: pgn.problems.iter().map(|it| PgnProblem::new(source, it)).collect(),
        }
    }
}
