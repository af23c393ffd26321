//! Games as PGN: written with everything needed to continue them, and opened again as they stood.
//!
//! This module defines the requests about PGN and lists the games in a text. `told` defines the
//! meaning of the tags, `write` writes a game, and `open` reads one. Times are stored in `%clk`:
//! the time left if the clock counts down, the time used if it counts up.

mod open;
mod told;
mod write;

use castellan_pgn::{Flow, Game as Sheet, Mode, for_each_game, line_and_column};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::desk::{Answer, Failure, told};
use crate::games::Program;

pub(crate) use open::open;
pub(crate) use write::write;

/// Maximum number of games listed.
const MAX_LISTED: usize = 10_000;

/// A request to write a game.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Export {
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
pub(crate) struct Import {
    text: String,
}

/// A request to open a game of a text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Opening {
    text: String,
    index: usize,
    /// The moves in UCI that lead to the position to continue from; `None` for the end of the
    /// main line.
    #[serde(default)]
    line: Option<Vec<String>>,
    /// The players from now on; `None` if the tags decide.
    #[serde(default)]
    players: Option<Players>,
    pub(crate) now: u64,
}

/// The players of a game.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Players {
    /// Two people at one board.
    People {},
    /// A person and the engine.
    Program { program: Program },
}

pub(crate) fn read(import: &Import) -> Answer {
    let mut games = Vec::new();
    for_each_game(import.text.as_bytes(), Mode::Lenient, |sheet| {
        games.push(summary(&sheet, import.text.as_bytes()));
        if games.len() < MAX_LISTED { Flow::Continue } else { Flow::Stop }
    });
    told(games)
}

/// Returns one game of a text.
pub(crate) fn find(text: &str, index: usize) -> Result<Sheet, Failure> {
    let mut place = 0;
    let mut found = None;
    for_each_game(text.as_bytes(), Mode::Lenient, |sheet| {
        if place == index {
            found = Some(sheet);
            return Flow::Stop;
        }
        place += 1;
        Flow::Continue
    });
    found.ok_or_else(|| Failure::new("no_game", "the text does not contain this game"))
}

fn summary(sheet: &Sheet, source: &[u8]) -> Value {
    let tag = |name: &str| sheet.tags.get(name).unwrap_or("?").to_owned();
    let problems: Vec<Value> = sheet
        .problems
        .iter()
        .map(|problem| {
            let (line, column) = line_and_column(source, problem.at);
            json!({ "line": line, "column": column, "token": problem.token,
                "text": problem.kind.to_string() })
        })
        .collect();
    json!({
        "white": tag("White"), "black": tag("Black"), "event": tag("Event"), "date": tag("Date"),
        "result": sheet.result.as_str(),
        "plies": sheet.main_line().count(),
        "program": told::program(sheet),
        "problems": problems,
    })
}
