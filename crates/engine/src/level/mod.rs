//! Strengths for people: from a beginner's to an expert's, each the same on every machine.
//!
//! Owns what a level is and what it costs. A level looks at a fixed number of positions, never at
//! a clock, and it plays weaker than the engine can because it overlooks moves ([`Sight`]) and
//! judges positions roughly, as people do. It never plays a move that it knows to be worse than
//! another one.

mod curve;
mod sight;
mod technique;

use castellan_rules::Line;

pub(crate) use sight::Sight;

/// A strength in points of a rating like those of chess clubs: an estimate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Level(u16);

impl Level {
    /// Somebody who has just learned how the pieces move.
    pub const LOWEST: Level = Level(400);
    /// The strongest level; above it is only the engine without any.
    pub const HIGHEST: Level = Level(2800);

    /// The level with so many points, if there is one.
    pub const fn new(points: u16) -> Option<Level> {
        let is_level = Level::LOWEST.0 <= points && points <= Level::HIGHEST.0;
        if is_level { Some(Level(points)) } else { None }
    }

    /// Its points.
    pub const fn points(self) -> u16 {
        self.0
    }

    /// How many positions it looks at for a move.
    pub fn nodes(self) -> u64 {
        curve::at(self).nodes
    }
}

/// How an opponent is weakened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handicap {
    /// How strong it is.
    pub level: Level,
    /// Decides what is overlooked. The same seed, level and moves give the same answer.
    pub seed: u64,
}

impl Handicap {
    /// What is seen of the last position of a line, and how many positions are looked at.
    pub(crate) fn search(self, line: &Line) -> (u64, Option<Sight>) {
        if let Some(nodes) = technique::nodes(self.level, line.position()) {
            return (nodes, None);
        }
        let point = curve::at(self.level);
        (point.nodes, Some(Sight::new(self, &point, line)))
    }

    /// Megabytes of the table that a search of so many positions needs.
    pub(crate) fn table_mb(nodes: u64) -> usize {
        if nodes < 20_000 { 1 } else { 8 }
    }
}
