//! The index of a file: 56 bytes per game, and every name and tag stored once.

use serde::Serialize;

use castellan_pgn::GameResult;

use super::moves::{MoveStore, MovesAt, StoredMoves};
use super::names::{NameId, Names};
use super::replay::{PackedMove, Replay};

/// Maximum number of games in the list: 224 MB of rows.
pub(super) const MAX_GAMES: usize = 4_000_000;
/// Maximum memory for the names of players and openings and for the tags.
const MAX_NAME_BYTES: usize = 512 << 20;
/// Maximum number of broken games for which the place of the error is kept.
const MAX_FAULTS: usize = 100_000;

/// A game in the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) offset: u64,
    pub(super) length: u32,
    pub(super) white: NameId,
    pub(super) black: NameId,
    pub(super) opening: NameId,
    /// Tags with a column of their own.
    pub(super) event: NameId,
    pub(super) site: NameId,
    pub(super) round: NameId,
    /// Where the tags of the game begin; they end where those of the next game do.
    pub(super) tags_at: u32,
    /// Where its moves are.
    pub(super) moves_at: MovesAt,
    /// Ratings of White and Black; 0 if they are not known.
    pub(super) elos: [u16; 2],
    pub(super) date: Date,
    pub(super) plies: u16,
    pub(super) result: GameResult,
    pub(super) is_broken: bool,
}

const _: () = assert!(size_of::<Row>() <= 56);

/// Year, month and day as one number, such as 20261115; each part is zero if it is not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Date(u32);

impl Date {
    /// Parses `2026.11.15`, also with other separators and with question marks.
    pub(super) fn read(text: &str) -> Date {
        let mut parts = text.trim().split(['.', '-', '/']).map(|part| part.parse().unwrap_or(0));
        let mut next = |most: u32| parts.next().filter(|&part: &u32| part <= most).unwrap_or(0);
        Date(next(9999) * 10_000 + next(12) * 100 + next(31))
    }

    pub(super) fn year(self) -> u32 {
        self.0 / 10_000
    }

    pub(super) fn number(self) -> u32 {
        self.0
    }
}

/// The place where a game is broken.
pub(super) struct Fault {
    pub(super) row: u32,
    pub(super) line: u64,
    pub(super) column: u64,
    pub(super) token: Box<str>,
}

/// The games of a file.
#[derive(Default)]
pub(super) struct Index {
    rows: Vec<Row>,
    /// In the order of their rows.
    faults: Vec<Fault>,
    broken: usize,
    pub(super) players: Names,
    pub(super) openings: Names,
    /// Each tag as its name, a space and its value.
    pub(super) tags: Names,
    /// The tags of all games, one game after another.
    tag_lists: Vec<NameId>,
    moves: MoveStore,
}

impl Index {
    /// Adds a game with its tags and moves, and its start if that is not the usual one.
    pub(super) fn push(
        &mut self,
        mut row: Row,
        tags: &[NameId],
        start: Option<&Replay>,
        moves: &[PackedMove],
    ) {
        self.broken += usize::from(row.is_broken);
        row.moves_at = self.moves.push(self.rows.len(), start, moves);
        row.tags_at = u32::try_from(self.tag_lists.len()).unwrap_or(u32::MAX);
        self.tag_lists.extend_from_slice(tags);
        self.rows.push(row);
    }

    /// Returns the tags of a game.
    pub(super) fn tags_of(&self, at: usize) -> &[NameId] {
        let begin = |at: usize| self.rows.get(at).map(|row| row.tags_at as usize);
        let end = begin(at + 1).unwrap_or(self.tag_lists.len());
        begin(at).and_then(|begin| self.tag_lists.get(begin..end)).unwrap_or_default()
    }

    /// Returns the moves of a game; `None` if there are too many to keep.
    pub(super) fn moves_of(&self, at: usize) -> Option<StoredMoves<'_>> {
        let row = self.rows.get(at)?;
        self.moves.game(at, row.moves_at, row.plies)
    }

    /// Returns the number of games whose moves are not kept.
    pub(super) fn without_moves(&self) -> usize {
        self.moves.left_out()
    }

    /// Returns the value of a tag.
    pub(super) fn tag_value(&self, tag: NameId) -> &str {
        self.tags.text(tag).split_once(' ').map_or("", |(_, value)| value)
    }

    /// Records where the next game to be added is broken.
    pub(super) fn push_fault(&mut self, line: u64, column: u64, token: &str) {
        if let Ok(row) = u32::try_from(self.rows.len())
            && self.faults.len() < MAX_FAULTS
        {
            self.faults.push(Fault { row, line, column, token: token.into() });
        }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn broken(&self) -> usize {
        self.broken
    }

    pub(super) fn row(&self, at: usize) -> Option<&Row> {
        self.rows.get(at)
    }

    /// Returns `true` once a limit is reached.
    pub(super) fn is_full(&self) -> bool {
        self.rows.len() >= MAX_GAMES || self.name_bytes() >= MAX_NAME_BYTES
    }

    fn name_bytes(&self) -> usize {
        self.players.bytes() + self.openings.bytes() + self.tags.bytes() + 4 * self.tag_lists.len()
    }

    /// Returns the view of a game for the page. `ply` is where it reaches the position that is
    /// searched for.
    pub(super) fn game_row(&self, at: usize, ply: Option<u16>) -> Option<GameRow> {
        let row = self.rows.get(at)?;
        let fault = self.faults.binary_search_by_key(&at, |fault| fault.row as usize);
        let problem = fault.ok().and_then(|fault| self.faults.get(fault)).map(|fault| RowProblem {
            line: fault.line,
            column: fault.column,
            token: fault.token.to_string(),
        });
        Some(GameRow {
            number: at + 1,
            offset: row.offset,
            length: row.length,
            white: self.players.text(row.white).to_owned(),
            black: self.players.text(row.black).to_owned(),
            opening: self.openings.text(row.opening).to_owned(),
            event: self.tag_value(row.event).to_owned(),
            site: self.tag_value(row.site).to_owned(),
            round: self.tag_value(row.round).to_owned(),
            white_elo: row.elos[0],
            black_elo: row.elos[1],
            date: row.date.0,
            plies: row.plies,
            result: row.result.as_str(),
            is_broken: row.is_broken,
            problem,
            ply,
        })
    }
}

/// A game of the file, for the list of the page.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct GameRow {
    /// Number of the game in the file, from 1.
    number: usize,
    offset: u64,
    length: u32,
    white: String,
    black: String,
    /// ECO code and name of the opening.
    opening: String,
    event: String,
    site: String,
    round: String,
    /// Ratings; 0 if they are not known.
    white_elo: u16,
    black_elo: u16,
    /// Date as one number, such as 20261115; unknown parts are zero.
    date: u32,
    plies: u16,
    result: &'static str,
    is_broken: bool,
    problem: Option<RowProblem>,
    /// The ply at which the position of the filter is reached first.
    ply: Option<u16>,
}

/// Where a game could not be read.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct RowProblem {
    line: u64,
    column: u64,
    token: String,
}
