//! Scores: centipawns for the side to move, and mates.
//!
//! A mate is a score near the end of the range, closer to it the sooner the mate comes. Within
//! the search it is counted from the root; in the transposition table it is counted from the
//! stored position.

/// A score in centipawns for the side to move.
pub(crate) type Value = i32;

/// The maximum ply of any search.
pub(crate) const MAX_PLY: usize = 200;

/// Larger than any score.
pub(crate) const INFINITE: Value = 32_001;
/// The score of having delivered mate; one less for each ply until then.
pub(crate) const MATE: Value = 32_000;
/// Scores from here on are mates.
pub(crate) const MATE_BOUND: Value = MATE - MAX_PLY as Value;
/// No static evaluation exceeds this.
pub(crate) const EVALUATION_BOUND: Value = 29_000;
/// The score of a draw.
pub(crate) const DRAW: Value = 0;

/// Returns the score of mating at a ply.
#[inline]
pub(crate) const fn mate_at(ply: usize) -> Value {
    MATE - ply as Value
}

/// Returns the score of being mated at a ply.
#[inline]
pub(crate) const fn mated_at(ply: usize) -> Value {
    ply as Value - MATE
}

/// Returns `true` if either side is mated by force.
#[inline]
pub(crate) const fn is_decided(value: Value) -> bool {
    value.abs() >= MATE_BOUND
}

/// Returns `true` if the side to move is mated by force.
#[inline]
pub(crate) const fn is_lost(value: Value) -> bool {
    value <= -MATE_BOUND
}

/// Converts a score counted from the root to one counted from a position at a ply, for the table.
#[inline]
pub(crate) const fn to_stored(value: Value, ply: usize) -> Value {
    if value >= MATE_BOUND {
        value + ply as Value
    } else if value <= -MATE_BOUND {
        value - ply as Value
    } else {
        value
    }
}

/// Reverses [`to_stored`].
#[inline]
pub(crate) const fn from_stored(value: Value, ply: usize) -> Value {
    if value >= MATE_BOUND {
        value - ply as Value
    } else if value <= -MATE_BOUND {
        value + ply as Value
    } else {
        value
    }
}

/// The score of a position for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// An evaluation in centipawns.
    Centipawns(i32),
    /// Mate in this many moves; negative if the side to move is mated, and 0 if it is already
    /// mated.
    Mate(i32),
}

impl Score {
    /// Converts a value counted from the root.
    pub(crate) fn from_value(value: Value) -> Score {
        if value >= MATE_BOUND {
            Score::Mate((MATE - value + 1) / 2)
        } else if value <= -MATE_BOUND {
            Score::Mate(-(MATE + value) / 2)
        } else {
            Score::Centipawns(value)
        }
    }

    /// Returns the chances of a win, a draw and a loss in thousandths, which add up to 1000.
    ///
    /// Each side has a logistic curve: an advantage of `EVEN_CHANCE` wins every second game. The
    /// two parameters are fitted to games of the engine against itself; see docs/ENGINE.md.
    pub fn chances(self) -> [u32; 3] {
        let centipawns = match self {
            Score::Centipawns(centipawns) => f64::from(centipawns),
            Score::Mate(moves) if moves > 0 => return [1000, 0, 0],
            Score::Mate(_) => return [0, 0, 1000],
        };
        let chance = |advantage: f64| 1000.0 / (1.0 + ((EVEN_CHANCE - advantage) / SPREAD).exp());
        let win = chance(centipawns).round() as u32;
        let loss = chance(-centipawns).round() as u32;
        [win, 1000_u32.saturating_sub(win + loss), loss]
    }
}

/// The advantage in centipawns that wins half of the games.
const EVEN_CHANCE: f64 = 102.0;
/// The scale of the logistic curve in centipawns: the larger, the slower the chance grows.
const SPREAD: f64 = 135.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storing_a_score_and_reading_it_at_the_same_ply_changes_nothing() {
        for ply in [0, 1, 7, 60] {
            for value in [0, 35, -800, mate_at(ply), mate_at(90), mated_at(ply), mated_at(91)] {
                assert_eq!(from_stored(to_stored(value, ply), ply), value);
            }
        }
    }

    #[test]
    fn mates_are_counted_in_moves() {
        assert_eq!(Score::from_value(mate_at(1)), Score::Mate(1));
        assert_eq!(Score::from_value(mate_at(5)), Score::Mate(3));
        assert_eq!(Score::from_value(mated_at(0)), Score::Mate(0));
        assert_eq!(Score::from_value(mated_at(4)), Score::Mate(-2));
        assert_eq!(Score::from_value(-120), Score::Centipawns(-120));
    }

    #[test]
    fn chances_add_up_and_grow_with_the_score() {
        let mut last = 0;
        for centipawns in -3000..3000 {
            let [win, draw, loss] = Score::Centipawns(centipawns).chances();
            assert_eq!(win + draw + loss, 1000);
            assert!(win >= last);
            last = win;
            assert_eq!(Score::Centipawns(-centipawns).chances(), [loss, draw, win]);
        }
        assert_eq!(Score::Mate(3).chances(), [1000, 0, 0]);
        assert_eq!(Score::Mate(-3).chances(), [0, 0, 1000]);
    }
}
