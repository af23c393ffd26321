//! One search by an engine: the task, the reports while it runs, and the result.
//!
//! The page sends the same task to the engine in the browser and to an engine on the user's own
//! computer, and gets the same reports from both. Scores are from White's point of view.

use core::num::NonZeroU8;

use serde::{Deserialize, Serialize};

use crate::ServerCode;

/// Maximum number of best lines in one search.
pub const MAX_SEARCH_LINES: u8 = 5;

/// A request to search the position after some moves.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SearchTask {
    /// Starting position as a FEN.
    pub start: String,
    /// Moves from there, in UCI notation.
    pub moves: Vec<String>,
    /// Whether castling is written in Chess960 notation.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub is_chess960: bool,
    /// Strength in Elo points; `None` for full strength. An engine that cannot be limited ignores
    /// it.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub level: Option<u16>,
    /// Makes the moves of a limited engine vary from game to game.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<u32>"))]
    pub seed: u64,
    /// Maximum time in milliseconds.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub move_time_ms: Option<u64>,
    /// Maximum number of positions.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub nodes: Option<u64>,
    /// Maximum depth in plies.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub depth: Option<u32>,
    /// The clock of the side to move.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub clock: Option<SearchClock>,
    /// Number of best lines; 0 counts as 1.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<u8>"))]
    pub lines: u8,
    /// Number of threads; `None` for the engine's own setting. The engine in the browser always has
    /// one.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub threads: Option<NonZeroU8>,
    /// Whether to report each line as it is found.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub wants_reports: bool,
}

/// The clock of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SearchClock {
    /// Time left, in milliseconds.
    pub remaining_ms: u64,
    /// Time added after each move, in milliseconds.
    pub increment_ms: u64,
}

/// A score from White's point of view: centipawns, or the number of moves to mate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(rename = "Score"))]
pub enum SearchScore {
    /// Hundredths of a pawn.
    Cp(i32),
    /// Mate in this many moves; negative if Black mates.
    Mate(i32),
}

/// A line that an engine found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SearchLine {
    /// Depth in plies; 0 if the engine did not say.
    pub depth: u32,
    /// Rank of the line, counted from 1 for the best.
    pub rank: u32,
    /// How good the line is.
    pub score: SearchScore,
    /// The moves in UCI notation.
    pub moves: Vec<String>,
    /// The same moves in SAN.
    pub line: Vec<String>,
}

/// A line found by a search that is still running.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SearchReport {
    /// The line.
    #[serde(flatten)]
    pub line: SearchLine,
    /// Positions searched so far.
    pub nodes: u64,
    /// Time spent so far, in milliseconds.
    pub time_ms: u64,
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SearchResult {
    /// The best move in UCI notation; `None` if there is none.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// The best move in SAN.
    pub san: Option<String>,
    /// The score of the best move; some engines report none.
    pub score: Option<SearchScore>,
    /// Positions searched.
    pub nodes: u64,
    /// The last line reported for each rank, best first.
    pub lines: Vec<SearchLine>,
}

/// One line of the stream with which the server answers a task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum SearchMessage {
    /// A line found so far.
    Report(SearchReport),
    /// The end of the search.
    Result(SearchResult),
    /// The search failed.
    Error(SearchError),
}

/// Why a search failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SearchError {
    /// The code for programs.
    pub code: ServerCode,
    /// A text for developers.
    pub message: String,
}
