//! The moves of all games, two bytes each, so that a search need not read the file again.

use castellan_rules::Position;

use super::replay::{PackedMove, Replay};

/// Moves in one piece of memory. The store grows by such pieces, because a single vector would be
/// copied whenever it grows.
const CHUNK_MOVES: usize = 1 << 18;
/// Maximum number of moves kept: 400 MB.
const MAX_MOVES: usize = 200_000_000;
/// Maximum number of games that start from a position other than the usual one: 96 MB.
const MAX_STARTS: usize = 1_000_000;

/// Where the moves of a game are. Games beyond the limits have none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MovesAt(u32);

impl MovesAt {
    pub(super) const NOWHERE: MovesAt = MovesAt(u32::MAX);
}

/// The board at the start of a game, and its moves.
pub(super) type StoredMoves<'a> = (&'a Replay, &'a [PackedMove]);

/// The moves of the games of an index.
pub(super) struct MoveStore {
    chunks: Vec<Vec<PackedMove>>,
    /// The board at the start of most games.
    usual: Replay,
    /// The other starting boards with the numbers of their games, in order.
    starts: Vec<(u32, Replay)>,
    /// The number of games whose moves are not kept.
    left_out: usize,
}

impl Default for MoveStore {
    fn default() -> MoveStore {
        let usual = Replay::new(&Position::start());
        MoveStore { chunks: Vec::new(), usual, starts: Vec::new(), left_out: 0 }
    }
}

impl MoveStore {
    /// Keeps the moves of the game with the number `row`, which is larger than that of all before.
    /// `start` is `None` for the usual start.
    pub(super) fn push(
        &mut self,
        row: usize,
        start: Option<&Replay>,
        moves: &[PackedMove],
    ) -> MovesAt {
        let at = self.keep(row, start, moves);
        self.left_out += usize::from(at.is_none());
        at.unwrap_or(MovesAt::NOWHERE)
    }

    fn keep(
        &mut self,
        row: usize,
        start: Option<&Replay>,
        moves: &[PackedMove],
    ) -> Option<MovesAt> {
        let other = start.filter(|start| **start != self.usual);
        let is_too_long = moves.len() > usize::from(u16::MAX - 1);
        if is_too_long || (other.is_some() && self.starts.len() >= MAX_STARTS) {
            return None;
        }
        let has_room = |chunk: &Vec<PackedMove>| chunk.len() + moves.len() <= CHUNK_MOVES;
        if !self.chunks.last().is_some_and(has_room) {
            if self.chunks.len() >= MAX_MOVES / CHUNK_MOVES {
                return None;
            }
            self.chunks.push(Vec::with_capacity(CHUNK_MOVES));
        }
        let number = self.chunks.len() - 1;
        let chunk = self.chunks.last_mut()?;
        let at = u32::try_from(number * CHUNK_MOVES + chunk.len()).ok()?;
        if let Some(start) = other {
            self.starts.push((u32::try_from(row).ok()?, *start));
        }
        chunk.extend_from_slice(moves);
        Some(MovesAt(at))
    }

    /// Returns the number of games whose moves are not kept.
    pub(super) fn left_out(&self) -> usize {
        self.left_out
    }

    /// Returns the starting board and the moves of a game; `None` if they are not kept.
    pub(super) fn game(&self, row: usize, at: MovesAt, plies: u16) -> Option<StoredMoves<'_>> {
        if at == MovesAt::NOWHERE {
            return None;
        }
        let (chunk, first) = (at.0 as usize / CHUNK_MOVES, at.0 as usize % CHUNK_MOVES);
        let moves = self.chunks.get(chunk)?.get(first..first + usize::from(plies))?;
        let other = self.starts.binary_search_by_key(&row, |&(row, _)| row as usize);
        Some((other.map_or(&self.usual, |at| &self.starts[at].1), moves))
    }
}
