//! Lists of finished games and sums over them.
//!
//! Owns: the question, the cursor and the rows. Leaves to the backends: how they are found.
//! Invariant: following the cursors shows every game that had finished before the first page
//! exactly once, newest first, however many finish meanwhile.

use core::fmt;
use core::str::FromStr;

use castellan_game::{End, GameId, Moment, PlayerId};

/// Which finished games, and how many at once.
#[derive(Debug, Clone, Default)]
pub struct HistoryQuery {
    /// Only games of somebody whose name contains this, whatever its case and accents; empty for
    /// all games.
    pub name: String,
    /// Only games older than this one: the cursor of the page before.
    pub after: Option<Cursor>,
    /// How many games at most. At most [`HistoryQuery::MAX_LIMIT`] are given.
    pub limit: u32,
}

impl HistoryQuery {
    /// The largest page.
    pub const MAX_LIMIT: u32 = 100;
}

/// A place in the list of finished games, to be continued from there.
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

/// The text is not a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a cursor: two numbers with a dot between them")]
pub struct ParseCursorError;

impl FromStr for Cursor {
    type Err = ParseCursorError;

    fn from_str(text: &str) -> Result<Cursor, ParseCursorError> {
        let (finished, number) = text.split_once('.').ok_or(ParseCursorError)?;
        let cursor = Cursor {
            finished: finished.parse().map_err(|_| ParseCursorError)?,
            number: number.parse().map_err(|_| ParseCursorError)?,
        };
        // One cursor has one text: no plus signs, no leading zeros.
        if cursor.to_string() == text { Ok(cursor) } else { Err(ParseCursorError) }
    }
}

/// Some finished games, newest first.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The games.
    pub games: Vec<FinishedGame>,
    /// Where the next page begins; none if this is the last.
    pub next: Option<Cursor>,
}

/// One line in a list of finished games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedGame {
    /// Which game.
    pub id: GameId,
    /// Who had the white pieces, if that seat was taken.
    pub white: Option<Seat>,
    /// Who had the black pieces, if that seat was taken.
    pub black: Option<Seat>,
    /// How it ended.
    pub end: End,
    /// How many plies were played.
    pub plies: u32,
    /// When it was created.
    pub created: Moment,
    /// When it ended.
    pub finished: Moment,
}

/// Who sat there, as known when they sat down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    /// Which player.
    pub player: PlayerId,
    /// The name then.
    pub name: String,
    /// The rating then, of players who had one.
    pub rating: Option<u16>,
}

/// How somebody's games ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Results {
    /// With the white pieces.
    pub as_white: Tally,
    /// With the black pieces.
    pub as_black: Tally,
}

/// Counted games. Aborted games do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}
