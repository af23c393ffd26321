//! Playing strengths for people, from beginner to expert, the same on every machine.
//!
//! This module defines what a level is and what it costs. A level searches a fixed number of
//! nodes, independent of time. It plays weaker than the engine can because it overlooks moves
//! ([`Visibility`]) and evaluates positions roughly, as people do. It never plays a move that it
//! knows to be worse than another one.

mod book;
mod curve;
mod technique;
mod visibility;

use castellan_rules::{Line, Move};

pub(crate) use visibility::{PreviousMove, Visibility};

/// A playing strength in rating points similar to those of chess clubs. The rating is an
/// estimate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Level(u16);

impl Level {
    /// The level of a player who has just learned how the pieces move.
    pub const LOWEST: Level = Level(400);
    /// The strongest level; only the engine at full strength is above it.
    pub const HIGHEST: Level = Level(2800);

    /// Returns the level with this many points, or `None` if it is out of range.
    pub const fn new(points: u16) -> Option<Level> {
        let is_level = Level::LOWEST.0 <= points && points <= Level::HIGHEST.0;
        if is_level { Some(Level(points)) } else { None }
    }

    /// Returns the rating points.
    pub const fn points(self) -> u16 {
        self.0
    }

    /// Returns the number of nodes the level searches per move.
    pub fn nodes(self) -> u64 {
        curve::at(self).nodes
    }
}

/// How an opponent is weakened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handicap {
    /// The playing strength.
    pub level: Level,
    /// The seed that decides which moves are overlooked. The same seed, level and moves give the
    /// same answer.
    pub seed: u64,
}

impl Handicap {
    /// Returns the number of nodes to search and what the level sees in the last position of a
    /// line.
    pub(crate) fn search(self, line: &Line) -> (u64, Option<Visibility>) {
        // A level that knows how to win an ending overlooks nothing there.
        if let Some(nodes) = technique::nodes(self.level, line.position()) {
            return (nodes, None);
        }
        let parameters = curve::at(self.level);
        (parameters.nodes, Some(Visibility::new(self, &parameters, line)))
    }

    /// Returns a move from the opening book, if the level knows one for the last position of a
    /// line.
    pub(crate) fn book_move(self, line: &Line) -> Option<Move> {
        book::choose(self.level, line, visibility::mixed(self.seed ^ line.moves().len() as u64))
    }

    /// Returns the table size in megabytes for a search of this many nodes.
    pub(crate) fn table_mb(nodes: u64) -> usize {
        if nodes < 20_000 { 1 } else { 8 }
    }
}
