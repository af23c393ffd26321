//! Lists of finished games and statistics about them.
//!
//! This module defines the query, the cursor and the rows; the backends find the games.
//! Invariant: following the cursors shows every game that had finished before the first page
//! exactly once, newest first, no matter how many games finish meanwhile.

use core::fmt;
use core::str::FromStr;

use castellan_game::{End, GameId, Moment, PlayerId};

/// A query for one page of finished games.
#[derive(Debug, Clone, Default)]
pub struct HistoryQuery {
    /// Selects games of players whose name contains this text, without regard to case and
    /// accents. Empty selects all games.
    pub name: String,
    /// Selects games older than this position: the cursor of the previous page.
    pub after: Option<Cursor>,
    /// Maximum number of games, at most [`HistoryQuery::MAX_LIMIT`].
    pub limit: u32,
}

impl HistoryQuery {
    /// The largest page size.
    pub const MAX_LIMIT: u32 = 100;
}

/// A position in the list of finished games from which the list can continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    pub(crate) finished: i64,
    pub(crate) number: i64,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.finished, self.number)
    }
}

/// The error for a text that is not a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a cursor: expected two numbers with a dot between them")]
pub struct ParseCursorError;

impl FromStr for Cursor {
    type Err = ParseCursorError;

    fn from_str(text: &str) -> Result<Cursor, ParseCursorError> {
        let (finished, number) = text.split_once('.').ok_or(ParseCursorError)?;
        let cursor = Cursor {
            finished: finished.parse().map_err(|_| ParseCursorError)?,
            number: number.parse().map_err(|_| ParseCursorError)?,
        };
        // A cursor has exactly one text form: no plus signs, no leading zeros.
        if cursor.to_string() == text { Ok(cursor) } else { Err(ParseCursorError) }
    }
}

/// One page of finished games, newest first.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The games of this page.
    pub games: Vec<FinishedGame>,
    /// Where the next page starts; `None` if this page is the last.
    pub next: Option<Cursor>,
}

/// One entry in a list of finished games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedGame {
    /// The game's id.
    pub id: GameId,
    /// The player with the white pieces; `None` if the seat was never taken.
    pub white: Option<Seat>,
    /// The player with the black pieces; `None` if the seat was never taken.
    pub black: Option<Seat>,
    /// How the game ended.
    pub end: End,
    /// Number of plies played.
    pub plies: u32,
    /// When the game was created.
    pub created: Moment,
    /// When the game ended.
    pub finished: Moment,
}

/// A player in a game, as known when they took the seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    /// The player's id.
    pub player: PlayerId,
    /// The player's name at that time.
    pub name: String,
    /// The player's rating at that time; `None` for unrated players.
    pub rating: Option<u16>,
}

/// How a player's games ended, by color.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Results {
    /// Games with the white pieces.
    pub as_white: ResultCounts,
    /// Games with the black pieces.
    pub as_black: ResultCounts,
}

/// Counts of wins, draws and losses. Aborted games do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ResultCounts {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}
