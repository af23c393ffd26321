//! How the levels differ: three quantities, each a smooth function of the points.
//!
//! The knots were set by playing neighbouring levels against each other and against other
//! engines; `docs/LEVELS.md` has the results. Between knots everything is interpolated, so a few
//! points more are a little more strength.

use super::Level;

/// What a level has to work with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Point {
    /// Positions looked at for a move.
    pub(super) nodes: u64,
    /// How likely an ordinary move is overlooked, in logits; see [`Sight`](super::Sight).
    pub(super) blindness: f64,
    /// How far a judgement may be off either way, in centipawns.
    pub(super) blur: f64,
}

/// Points, positions, blindness, blur.
const KNOTS: [(u16, f64, f64, f64); 13] = [
    (400, 1.0, 8.0, 200.0),
    (600, 10.0, 4.6, 147.0),
    (800, 26.0, 3.0, 121.0),
    (1000, 37.0, 2.3, 111.0),
    (1200, 58.0, 1.6, 102.0),
    (1400, 90.0, 0.9, 91.0),
    (1600, 148.0, 0.2, 76.0),
    (1800, 248.0, -0.6, 62.0),
    (2000, 490.0, -1.6, 46.0),
    (2200, 1_100.0, -2.6, 34.0),
    (2400, 2_700.0, -3.6, 24.0),
    (2600, 8_600.0, -4.5, 16.0),
    (2800, 40_000.0, -5.6, 8.0),
];

/// The quantities of a level.
pub(super) fn at(level: Level) -> Point {
    let points = f64::from(level.points());
    let above = KNOTS.iter().position(|knot| f64::from(knot.0) >= points);
    let above = above.unwrap_or(KNOTS.len() - 1).max(1);
    let (low, high) = (KNOTS[above - 1], KNOTS[above]);
    let share = (points - f64::from(low.0)) / f64::from(high.0 - low.0);
    let mix = |low: f64, high: f64| low + (high - low) * share;
    Point {
        nodes: mix(low.1.ln(), high.1.ln()).exp().round() as u64,
        blindness: mix(low.2, high.2),
        blur: mix(low.3, high.3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_points_are_never_less_of_anything() {
        let levels = (Level::LOWEST.points()..=Level::HIGHEST.points()).filter_map(Level::new);
        let points: Vec<Point> = levels.map(at).collect();
        assert_eq!(points.len(), 2401);
        for pair in points.windows(2) {
            let [low, high] = [pair[0], pair[1]];
            assert!(high.nodes >= low.nodes);
            assert!(high.blindness < low.blindness);
            assert!(high.blur < low.blur);
            // No step is coarse: ten points are hardly felt.
            assert!(high.nodes as f64 <= 1.02 * low.nodes as f64 + 1.0);
        }
    }

    #[test]
    fn knots_are_met() {
        for knot in KNOTS {
            let level = Level::new(knot.0).expect("knots are levels");
            assert_eq!(at(level).nodes, knot.1 as u64);
        }
    }
}
