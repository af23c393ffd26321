//! The tuner's view of the evaluation: how often each term occurs in a position, and the weights.
//! Only available with the feature `tuning`.

use castellan_rules::{Color, Position};

use super::endings::{WHOLE, bare_king, scale};
use super::generated::weights::{DANGER, WEIGHTS};
use super::incremental::{FULL_PHASE, IncrementalState, sign};
use super::king::{DANGER_LIMIT, DANGER_SHARE, DANGER_SQUARE};
use super::terms::{COUNT, DANGER_COUNT, GROUPS, PIECE_SQUARE};
use super::trace::Trace;
use super::{Evaluator, pawns, terms_of};
use crate::margins::Margins;

/// A position as a list of features for the tuner.
#[derive(Clone, Debug)]
pub struct Features {
    /// The terms that do not cancel out, with their number of occurrences for White minus those
    /// for Black.
    pub terms: Vec<(u16, i8)>,
    /// For each king's color, the number of occurrences of each king danger term.
    pub dangers: [[i8; DANGER_COUNT]; 2],
    /// The weight of the middlegame, from 0 to 1.
    pub middlegame: f32,
    /// For each color with an endgame advantage, the fraction of the advantage that counts.
    pub scales: [f32; 2],
}

/// All weights: of the terms, for the middlegame and the endgame, and of king danger.
#[derive(Clone, Debug)]
pub struct Weights {
    /// The middlegame and endgame weight of each term.
    pub terms: Vec<[f32; 2]>,
    /// The weight of each king danger term.
    pub dangers: [f32; DANGER_COUNT],
}

struct TermCounts {
    terms: Vec<i32>,
    dangers: [[i8; DANGER_COUNT]; 2],
}

impl Trace for TermCounts {
    fn term(&mut self, color: Color, index: usize, count: i32) {
        self.terms[index] += sign(color) * count;
    }

    fn danger(&mut self, color: Color, index: usize, count: i32) {
        self.dangers[color.index()][index] += count as i8;
    }
}

impl Features {
    /// Extracts the features of a position. Returns `None` for endings with an evaluation of
    /// their own.
    pub fn new(position: &Position) -> Option<Features> {
        if Color::ALL.into_iter().any(|color| bare_king(position, color).is_some()) {
            return None;
        }
        let mut counts = TermCounts { terms: vec![0; COUNT], dangers: [[0; DANGER_COUNT]; 2] };
        for (square, piece) in position.pieces().iter() {
            let seen = piece.color.fold(square, square.flip());
            let index = PIECE_SQUARE + piece.role.index() * 64 + seen.index();
            counts.term(piece.color, index, 1);
        }
        terms_of(position, &mut counts, pawns::structure);
        let terms = counts.terms.iter().enumerate().filter(|(_, count)| **count != 0);
        let phase = IncrementalState::new(position).phase.min(FULL_PHASE);
        Some(Features {
            terms: terms.map(|(index, &count)| (index as u16, count as i8)).collect(),
            dangers: counts.dangers,
            middlegame: phase as f32 / FULL_PHASE as f32,
            scales: Color::ALL.map(|color| scale(position, color) as f32 / WHOLE as f32),
        })
    }

    /// Returns the value of the position for White with the given weights, and each color's king
    /// danger.
    pub fn evaluate(&self, weights: &Weights) -> (f32, [f32; 2]) {
        let (mut middlegame, mut endgame) = (0.0, 0.0);
        for &(index, count) in &self.terms {
            let weight = weights.terms[usize::from(index)];
            middlegame += weight[0] * f32::from(count);
            endgame += weight[1] * f32::from(count);
        }
        let dangers = self.dangers.map(|counts| {
            let sum: f32 =
                counts.iter().zip(weights.dangers).map(|(&n, weight)| f32::from(n) * weight).sum();
            sum.clamp(0.0, DANGER_LIMIT as f32)
        });
        for (danger, sign) in dangers.iter().zip([-1.0, 1.0]) {
            middlegame += sign * danger * danger / DANGER_SQUARE as f32;
            endgame += sign * danger / DANGER_SHARE as f32;
        }
        let scale = self.scales[usize::from(endgame < 0.0)];
        (middlegame * self.middlegame + endgame * scale * (1.0 - self.middlegame), dangers)
    }

    /// Returns the derivative of the king danger penalty, for the middlegame and the endgame.
    pub fn danger_slopes(danger: f32) -> [f32; 2] {
        if danger <= 0.0 || danger >= DANGER_LIMIT as f32 {
            return [0.0; 2];
        }
        [2.0 * danger / DANGER_SQUARE as f32, 1.0 / DANGER_SHARE as f32]
    }
}

impl Weights {
    /// Returns the weights the engine plays with.
    pub fn current() -> Weights {
        let pair = |weight: &super::Pair| [weight.middlegame() as f32, weight.endgame() as f32];
        Weights {
            terms: WEIGHTS.iter().map(pair).collect(),
            dangers: DANGER.map(|weight| weight as f32),
        }
    }

    /// Returns the source of the generated weights file.
    pub fn to_source(&self) -> String {
        let mut text = String::from(HEADER);
        for (name, start, length) in GROUPS {
            text += &format!("    // {name}\n");
            for row in self.terms[start..start + length].chunks(8) {
                let row: Vec<_> = row
                    .iter()
                    .map(|[mg, eg]| format!("pair({}, {}),", mg.round(), eg.round()))
                    .collect();
                text +=
                    &format!("    {}\n", row.join(" ").replace("-0,", "0,").replace("-0)", "0)"));
            }
        }
        text += "];\n\n/// By term of danger.\n#[rustfmt::skip]\npub(crate) static DANGER: [i32; DANGER_COUNT] = [\n   ";
        for weight in self.dangers {
            text += &format!(" {},", weight.round() as i32);
        }
        text + "\n];\n"
    }
}

const HEADER: &str = "//! The weights of the evaluation's terms. @generated by the tuner; \
edit the terms, not this.\n\nuse crate::eval::pair::{Pair, pair};\n\
use crate::eval::terms::{COUNT, DANGER_COUNT};\n\n\
/// By term.\n#[rustfmt::skip]\npub(crate) static WEIGHTS: [Pair; COUNT] = [\n";

/// Returns the evaluation of a position for White.
pub fn evaluate(position: &Position) -> i32 {
    Evaluator::new(position, None, &Margins::HAND_WRITTEN).evaluate(position)
        * sign(position.turn())
}

#[cfg(test)]
mod tests {
    use castellan_testkit::play::{GameShape, random_games};

    use super::*;

    #[test]
    fn the_features_add_up_to_the_evaluation() {
        let weights = Weights::current();
        let mut compared = 0;
        for game in random_games(31, GameShape::default()).take(30) {
            for oracle in game.positions() {
                let position = Position::from_fen(&oracle.to_fen()).unwrap();
                let Some(features) = Features::new(&position) else { continue };
                let (value, _) = features.evaluate(&weights);
                let exact = evaluate(&position) as f32;
                // Integers are truncated at several steps.
                assert!((value - exact).abs() <= 4.0, "{position:?} {value} {exact}");
                compared += 1;
            }
        }
        assert!(compared > 1000);
    }

    #[test]
    fn the_groups_cover_all_weights() {
        let mut next = 0;
        for (name, start, length) in GROUPS {
            assert_eq!(start, next, "{name}");
            next += length;
        }
        assert_eq!(next, COUNT);
    }
}
