//! The names of openings, found by position and not by the order of moves.
//!
//! This module contains the table of named positions, which is built into the binary, and finds
//! the opening of a game. `data/README.md` says where the names come from.

#[cfg(test)]
mod tests;

use castellan_rules::Position;

// The table: `ENTRIES` sorted by hash, and where each bucket begins.
include!(concat!(env!("OUT_DIR"), "/openings.rs"));

/// A named position in the table.
struct Entry {
    hash: u64,
    name_at: u32,
    eco: u16,
    name_bytes: u8,
}

const _: () = assert!(size_of::<Entry>() == 16);

/// An opening with its name and code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Opening {
    /// Code of the Encyclopaedia of Chess Openings, from `A00` to `E99`.
    pub eco: &'static str,
    /// Name, such as `Sicilian Defense: Najdorf Variation`.
    pub name: &'static str,
}

/// Returns the opening that this position belongs to, whatever moves led to it, or `None` if the
/// position has no name.
///
/// ```
/// use castellan_pgn::opening;
/// use castellan_rules::Position;
///
/// let position = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
/// let found = opening(&Position::from_fen(position)?).unwrap();
/// assert_eq!((found.eco, found.name), ("B20", "Sicilian Defense"));
/// assert_eq!(opening(&Position::start()), None);
/// # Ok::<(), castellan_rules::FenError>(())
/// ```
pub fn opening(position: &Position) -> Option<Opening> {
    let hash = position.hash();
    let bucket = (hash >> (u64::BITS - BUCKET_BITS)) as usize;
    let entries = &ENTRIES[usize::from(BUCKETS[bucket])..usize::from(BUCKETS[bucket + 1])];
    entries.iter().find(|entry| entry.hash == hash).map(Entry::opening)
}

impl Entry {
    fn opening(&self) -> Opening {
        let (eco_at, name_at) = (usize::from(self.eco) * 3, self.name_at as usize);
        Opening {
            eco: &ECOS[eco_at..eco_at + 3],
            name: &NAMES[name_at..name_at + usize::from(self.name_bytes)],
        }
    }
}

/// Follows a game and remembers the last position that has a name.
#[derive(Clone, Debug, Default)]
pub struct Classifier {
    last: Option<Opening>,
}

impl Classifier {
    /// Processes the next position of the game.
    #[inline]
    pub fn follow(&mut self, position: &Position) {
        self.last = opening(position).or(self.last);
    }

    /// Returns the opening of the game after all positions processed so far, or `None` if none of
    /// them has a name.
    pub fn opening(&self) -> Option<Opening> {
        self.last
    }
}
