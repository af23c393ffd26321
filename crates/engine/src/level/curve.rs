//! How the levels differ: three parameters, each a smooth function of the rating.
//!
//! The knots were set by playing neighboring levels against each other and against other engines;
//! `docs/LEVELS.md` has the results. Between knots all parameters are interpolated, so that a few
//! more points mean a little more strength.

use super::Level;

/// The parameters of a level.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Point {
    /// The number of nodes searched per move.
    pub(super) nodes: u64,
    /// How likely an ordinary move is overlooked, in logits; see [`Visibility`](super::Visibility).
    pub(super) blindness: f64,
    /// The maximum error of an evaluation in either direction, in centipawns.
    pub(super) blur: f64,
}

/// Rating points, nodes, blindness and blur.
const KNOTS: [(u16, f64, f64, f64); 13] = [
    (400, 1.0, 8.0, 200.0),
    (600, 20.0, 3.4, 128.0),
    (800, 43.0, 2.2, 107.0),
    (1000, 90.0, 1.0, 91.0),
    (1200, 180.0, -0.25, 70.0),
    (1400, 380.0, -1.3, 51.0),
    (1600, 1_200.0, -2.8, 34.0),
    (1800, 3_500.0, -3.8, 24.0),
    (2000, 10_000.0, -4.7, 15.0),
    (2200, 25_000.0, -5.6, 10.0),
    (2400, 60_000.0, -6.5, 6.0),
    (2600, 150_000.0, -7.5, 4.0),
    (2800, 400_000.0, -9.0, 2.0),
];

/// Returns the parameters of a level.
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
            // Single points make no coarse step: ten points are hardly noticeable.
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
