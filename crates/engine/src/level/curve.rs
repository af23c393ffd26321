//! How the levels differ: four parameters, each a smooth function of the rating.
//!
//! The knots were set by comparing the moves of the levels with those of rated people, and by
//! playing neighboring levels against each other; `docs/LEVELS.md` has the results. Between knots
//! all parameters are interpolated, so that a few more points mean a little more strength.

use super::Level;

/// The parameters of a level.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct LevelParameters {
    /// The number of nodes searched per move.
    pub(super) nodes: u64,
    /// How likely an ordinary move is overlooked, in logits; see [`Visibility`](super::Visibility).
    pub(super) blindness: f64,
    /// The maximum error of an evaluation in either direction, in centipawns.
    pub(super) blur: f64,
    /// The probability of a lapse: a move for which the player hardly looks at the replies.
    pub(super) lapse: f64,
}

const KNOTS: [(u16, f64, f64, f64, f64); 11] = [
    // rating points, nodes, blindness, blur, probability of a lapse
    (400, 1.0, 8.0, 200.0, 0.0),
    (600, 22.0, 3.2, 124.0, 0.0),
    (800, 55.0, 1.8, 102.0, 0.0),
    (1000, 105.0, 0.6, 86.0, 0.0),
    (1300, 230.0, -0.6, 63.0, 0.0),
    (1600, 420.0, -1.4, 50.0, 0.01),
    (1900, 900.0, -2.3, 40.0, 0.02),
    (2200, 1_900.0, -3.2, 29.0, 0.02),
    (2400, 3_600.0, -3.9, 23.0, 0.015),
    (2600, 7_500.0, -4.6, 17.0, 0.01),
    (2800, 16_000.0, -5.3, 12.0, 0.005),
];

/// Returns the parameters of a level.
pub(super) fn at(level: Level) -> LevelParameters {
    let points = f64::from(level.points());
    let above = KNOTS.iter().position(|knot| f64::from(knot.0) >= points);
    let above = above.unwrap_or(KNOTS.len() - 1).max(1);
    let (low, high) = (KNOTS[above - 1], KNOTS[above]);
    let share = (points - f64::from(low.0)) / f64::from(high.0 - low.0);
    let mix = |low: f64, high: f64| low + (high - low) * share;
    LevelParameters {
        nodes: mix(low.1.ln(), high.1.ln()).exp().round() as u64,
        blindness: mix(low.2, high.2),
        blur: mix(low.3, high.3),
        lapse: mix(low.4, high.4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_change_steadily_with_the_rating() {
        let levels = (Level::LOWEST.points()..=Level::HIGHEST.points()).filter_map(Level::new);
        let parameters: Vec<LevelParameters> = levels.map(at).collect();
        assert_eq!(parameters.len(), 2401);
        for pair in parameters.windows(2) {
            let [low, high] = [pair[0], pair[1]];
            assert!(high.nodes >= low.nodes);
            assert!(high.blindness < low.blindness);
            assert!(high.blur < low.blur);
            // One rating point makes hardly any difference.
            assert!(high.nodes as f64 <= 1.02 * low.nodes as f64 + 1.0);
        }
    }

    #[test]
    fn the_curve_passes_through_the_knots() {
        for knot in KNOTS {
            let level = Level::new(knot.0).expect("knots are levels");
            assert_eq!(at(level).nodes, knot.1 as u64);
        }
    }
}
