//! The parameters of the search: margins, reductions and limits.
//!
//! [`Margins`] holds the parameters that matches can tune, with a range for each; the trainer's
//! command `spsa` does that. The other parameters are constants. Every change is backed by the
//! result of a match.

use core::ops::RangeInclusive;

use crate::eval::NetworkWeight;
use crate::score::Value;

/// The unit of reductions: one ply has this many parts.
pub(crate) const PLY: i32 = 1024;
/// The maximum depth for reverse futility pruning.
pub(crate) const REVERSE_FUTILITY_DEPTH: i32 = 9;
/// A score of either side beyond which the game is won and only the mate matters. From there on, no
/// position is cut off because it looks good enough: a quiet move that prepares a mate does not show
/// in the evaluation.
pub(crate) const WON: Value = 1000;
/// The maximum depth for razoring.
pub(crate) const RAZORING_DEPTH: i32 = 4;
/// The depth from which a null move cutoff must be verified.
pub(crate) const VERIFIED_NULL_MOVE_DEPTH: i32 = 13;
/// The minimum depth for ProbCut.
pub(crate) const PROBCUT_DEPTH: i32 = 5;
/// The minimum depth for internal iterative reductions, for positions without a hash move.
pub(crate) const REDUCED_DEPTH: i32 = 4;
/// The maximum reduced depth for futility pruning.
pub(crate) const FUTILITY_DEPTH: i32 = 8;
/// The maximum reduced depth for pruning quiet moves by history.
pub(crate) const HISTORY_DEPTH: i32 = 5;
/// The minimum depth for singular extensions.
pub(crate) const SINGULAR_DEPTH: i32 = 7;

/// A tunable parameter: its name, its range, and how to read and change it.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name of the field of [`Margins`].
    pub name: &'static str,
    /// The values that make sense.
    pub range: RangeInclusive<i32>,
    /// Reads the parameter.
    pub get: fn(&Margins) -> i32,
    /// Changes the parameter.
    pub set: fn(&mut Margins, i32),
}

/// Defines [`Margins`], the values for both evaluations and the list of parameters.
macro_rules! margins {
    ($(
        $(#[$doc:meta])*
        $name:ident: $value:literal, by hand $by_hand:literal, in $low:literal to $high:literal;
    )*) => {
        /// The tunable parameters of the search.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct Margins {
            $($(#[$doc])* pub $name: i32,)*
        }

        impl Margins {
            /// The parameters for a search with a network.
            pub const NETWORK: Margins = Margins { $($name: $value,)* };

            /// The parameters for a search with the hand-written evaluation.
            pub const HAND_WRITTEN: Margins = Margins { $($name: $by_hand,)* };

            /// Returns all parameters, in the order of the fields.
            pub fn parameters() -> Vec<Parameter> {
                vec![$(Parameter {
                    name: stringify!($name),
                    range: $low..=$high,
                    get: |margins| margins.$name,
                    set: |margins, value| margins.$name = value,
                },)*]
            }
        }
    };
}

margins! {
    /// The weight of the network's values when only kings and pawns are left, in 128ths. The
    /// hand-written evaluation does not use it.
    network_endgame: 78, by hand 78, in 40 to 130;
    /// What the pieces of the initial position add to that weight, likewise.
    network_growth: 22, by hand 22, in 0 to 60;
    /// Reverse futility pruning: the margin at depth 0, in centipawns.
    reverse_futility_base: 6, by hand 8, in -40 to 80;
    /// Reverse futility pruning: the margin for each ply.
    reverse_futility_slope: 64, by hand 72, in 40 to 130;
    /// Reverse futility pruning: how much less if the opponent's last move lost evaluation.
    reverse_futility_worsening: 23, by hand 20, in 0 to 60;
    /// How much evaluation a reduced move must have lost for its replies to be searched less deep.
    hindsight: 142, by hand 150, in 50 to 400;
    /// The history bonus for a quiet move that changed the evaluation, for each centipawn.
    gain_slope: 6, by hand 6, in 1 to 20;
    /// The maximum of that bonus.
    gain_limit: 636, by hand 600, in 200 to 1600;
    /// The bonus for a quiet move after which no reply raised alpha, in percent of that for a
    /// cutoff.
    refutation: 64, by hand 60, in 10 to 150;
    /// Razoring: the margin at depth 0.
    razoring_base: 209, by hand 210, in 80 to 400;
    /// Razoring: the margin for each ply squared.
    razoring_square: 191, by hand 190, in 60 to 350;
    /// Null move: how far above beta the evaluation must be at depth 0.
    null_base: 126, by hand 150, in 40 to 300;
    /// Null move: by how much that falls with each ply.
    null_slope: 16, by hand 15, in 4 to 32;
    /// Null move: the evaluation above beta that adds a ply to the reduction.
    null_surplus: 168, by hand 190, in 80 to 350;
    /// ProbCut: how far above beta a capture must get.
    probcut: 212, by hand 190, in 90 to 320;
    /// ProbCut: how much less if the position is improving.
    probcut_improving: 52, by hand 50, in 0 to 110;
    /// Late move pruning: the number of moves at depth 0, in hundredths.
    late_move_base: 399, by hand 400, in 150 to 800;
    /// Late move pruning: the number of moves for each ply squared, in hundredths.
    late_move_square: 116, by hand 100, in 50 to 200;
    /// Futility pruning of quiet moves: the margin at depth 0.
    futility_base: 105, by hand 95, in 20 to 200;
    /// Futility pruning of quiet moves: the margin for each ply.
    futility_slope: 106, by hand 105, in 50 to 180;
    /// Futility pruning of quiet moves: the history score worth one centipawn.
    futility_history: 146, by hand 140, in 70 to 300;
    /// Pruning by history: the history score for each ply, negated.
    history_slope: 4406, by hand 3800, in 1500 to 7000;
    /// Pruning by reduced depth: the history score worth one part of a ply.
    pruning_history: 17, by hand 16, in 8 to 40;
    /// Pruning of quiet moves that lose material: centipawns for each ply squared, negated.
    quiet_exchange: 25, by hand 24, in 10 to 50;
    /// Pruning of captures that lose material: centipawns for each ply, negated.
    noisy_exchange: 102, by hand 100, in 40 to 180;
    /// Pruning of captures that lose material: the history score worth one centipawn.
    noisy_exchange_history: 51, by hand 45, in 20 to 120;
    /// Singular extension: the margin for each ply, in 64ths.
    singular: 106, by hand 96, in 32 to 200;
    /// Singular extension: the same in positions that were in the principal variation.
    singular_pv: 156, by hand 160, in 64 to 300;
    /// How far all other moves must stay below the singular margin for a double extension.
    double_extension: 19, by hand 18, in 4 to 50;
    /// How far all other moves must stay below the singular margin for a triple extension.
    triple_extension: 114, by hand 110, in 50 to 220;
    /// Late move reduction of quiet moves: the constant part, in parts of a ply.
    reduction_base: 891, by hand 780, in 200 to 1400;
    /// Late move reduction of quiet moves: the divisor of the logarithms, in hundredths.
    reduction_quiet_divisor: 223, by hand 240, in 160 to 360;
    /// Late move reduction of captures: the divisor of the logarithms, in hundredths.
    reduction_noisy_divisor: 295, by hand 310, in 200 to 480;
    /// Reduced less if the position was in the principal variation.
    reduction_was_pv: 833, by hand 900, in 200 to 1600;
    /// Reduced less if the position is in the principal variation.
    reduction_pv: 330, by hand 300, in 0 to 900;
    /// Reduced more in positions where a cutoff is expected.
    reduction_cut_node: 1566, by hand 1500, in 600 to 2600;
    /// Reduced less if the move gives check.
    reduction_check: 654, by hand 700, in 0 to 1500;
    /// Reduced more if the table's move is a capture and this one is not.
    reduction_noisy_hash_move: 774, by hand 700, in 100 to 1500;
    /// Reduced more if the position is not improving.
    reduction_not_improving: 476, by hand 400, in 0 to 1000;
    /// Reduced more if many replies caused cutoffs.
    reduction_cutoffs: 674, by hand 800, in 200 to 1500;
    /// Reduced less for killer moves.
    reduction_killer: 640, by hand 700, in 100 to 1500;
    /// The history score that reduces the reduction by a whole ply.
    reduction_history: 10298, by hand 9000, in 4000 to 16000;
    /// A reduced search that is better than expected by this much is repeated deeper.
    deeper_base: 37, by hand 40, in 10 to 90;
    /// A value above beta by this much counts as a deeper search in the histories.
    surprise: 62, by hand 60, in 20 to 150;
    /// The bonus for a move that caused a cutoff, for each ply.
    bonus_slope: 155, by hand 150, in 80 to 260;
    /// The maximum of that bonus.
    bonus_limit: 1699, by hand 1700, in 900 to 2800;
    /// The malus for a move that did not, for each ply.
    malus_slope: 175, by hand 170, in 80 to 300;
    /// The maximum of that malus.
    malus_limit: 1551, by hand 1500, in 700 to 2600;
    /// The weight of the correction by the pawn structure, in centipawns at its limit.
    correction_pawns: 70, by hand 90, in 30 to 180;
    /// The weight of the correction by the minor pieces.
    correction_minors: 67, by hand 60, in 20 to 140;
    /// The weight of the correction by the pieces of either color.
    correction_pieces: 73, by hand 70, in 20 to 140;
    /// The weight of the correction by the last two moves.
    correction_moves: 89, by hand 70, in 20 to 140;
    /// Half the width of the first aspiration window.
    aspiration: 14, by hand 11, in 5 to 25;
    /// Quiescence search: the futility margin.
    quiescence: 160, by hand 150, in 60 to 280;
    /// Quiescence search: how much material a move may lose, in centipawns.
    quiescence_exchange: 46, by hand 40, in 0 to 110;
}

/// Returns `true` if a position may be pruned without trying its moves. Shallow searches of the
/// replies to a root move try them all, because a quiet root move that mates in two looks
/// harmless to every static test.
pub(crate) fn may_prune(ply: usize, depth: i32) -> bool {
    ply >= 2 || depth > 2
}

impl Margins {
    /// Returns the weight of the network's values.
    pub(crate) fn network_weight(&self) -> NetworkWeight {
        NetworkWeight { endgame: self.network_endgame, growth: self.network_growth }
    }

    /// Returns how far above beta an evaluation must be for reverse futility pruning.
    pub(crate) fn reverse_futility(
        &self,
        depth: i32,
        is_improving: bool,
        is_worsening: bool,
    ) -> Value {
        self.reverse_futility_slope * (depth - i32::from(is_improving)).max(0)
            + self.reverse_futility_base
            - self.reverse_futility_worsening * i32::from(is_worsening)
    }

    /// Returns the history bonus for a quiet move that gained this much, in centipawns.
    pub(crate) fn gain_bonus(&self, gain: Value) -> i32 {
        (self.gain_slope * gain).clamp(-self.gain_limit, self.gain_limit)
    }

    /// Returns how far below alpha an evaluation must be for razoring.
    pub(crate) fn razoring(&self, depth: i32) -> Value {
        self.razoring_base + self.razoring_square * depth * depth
    }

    /// Returns the depth reduction of a null move search.
    pub(crate) fn null_move_reduction(&self, depth: i32, surplus: Value) -> i32 {
        3 + depth / 3 + (surplus / self.null_surplus).clamp(0, 3)
    }

    /// Returns how far above beta the evaluation must be to try a null move. The margin shrinks
    /// with depth and becomes negative.
    pub(crate) fn null_move(&self, depth: i32) -> Value {
        self.null_base - self.null_slope * depth
    }

    /// Returns the score that a capture must reach in a ProbCut search.
    pub(crate) fn probcut_beta(&self, beta: Value, is_improving: bool) -> Value {
        beta + self.probcut - self.probcut_improving * i32::from(is_improving)
    }

    /// Returns the number of moves after which the remaining quiet moves are pruned (late move
    /// pruning).
    pub(crate) fn late_move_limit(&self, depth: i32, is_improving: bool) -> i32 {
        let limit = (self.late_move_base + self.late_move_square * depth * depth) / 100;
        if is_improving { limit } else { limit / 2 }
    }

    /// Returns how far below alpha the evaluation must be to prune a quiet move.
    pub(crate) fn futility(&self, depth: i32, history: i32) -> Value {
        self.futility_base + self.futility_slope * depth + history / self.futility_history
    }

    /// Returns the history score below which a quiet move is pruned.
    pub(crate) fn history(&self, depth: i32) -> i32 {
        -self.history_slope * depth
    }

    /// Returns the static exchange threshold below which a quiet move is pruned.
    pub(crate) fn quiet_exchange(&self, depth: i32) -> Value {
        -self.quiet_exchange * depth * depth
    }

    /// Returns the static exchange threshold below which a capture is pruned.
    pub(crate) fn noisy_exchange(&self, depth: i32, history: i32) -> Value {
        -self.noisy_exchange * depth - history / self.noisy_exchange_history
    }

    /// Returns the score that all other moves must stay below for a move to be singular.
    pub(crate) fn singular_beta(&self, value: Value, depth: i32, was_pv: bool) -> Value {
        value - depth * if was_pv { self.singular_pv } else { self.singular } / 64
    }

    /// Returns the late move reduction of the n-th move at a depth, in parts of a ply.
    pub(crate) fn late_move_reduction(&self, depth: i32, count: i32, is_noisy: bool) -> i32 {
        let [of_depth, of_count] = [depth, count].map(|n| LOGARITHMS[n.clamp(1, 63) as usize]);
        let product = 100 * (f64::from(PLY) * of_depth * of_count) as i32;
        if is_noisy {
            product / self.reduction_noisy_divisor
        } else {
            self.reduction_base + product / self.reduction_quiet_divisor
        }
    }

    /// Returns the bonus for a move that caused a cutoff at a depth.
    pub(crate) fn bonus(&self, depth: i32) -> i32 {
        (self.bonus_slope * depth - 60).min(self.bonus_limit)
    }

    /// Returns the malus for a move that was tried before the one that caused a cutoff.
    pub(crate) fn malus(&self, depth: i32) -> i32 {
        (self.malus_slope * depth - 30).min(self.malus_limit)
    }

    /// Returns half the width of the first aspiration window around the previous score.
    pub(crate) fn aspiration_delta(&self, average: Value) -> Value {
        self.aspiration + average.abs().min(2000) / 90
    }
}

/// Natural logarithms, computed at compile time so that they are the same on every machine.
static LOGARITHMS: [f64; 64] = {
    let mut table = [0.0; 64];
    let mut index = 1;
    while index < 64 {
        table[index] = logarithm(index as f64);
        index += 1;
    }
    table
};

/// Computes the natural logarithm with the series for (x - 1) / (x + 1), after dividing by powers
/// of two.
const fn logarithm(mut x: f64) -> f64 {
    let mut halves = 0.0;
    while x > 1.5 {
        x /= 2.0;
        halves += 1.0;
    }
    let ratio = (x - 1.0) / (x + 1.0);
    let (mut power, mut sum, mut term) = (ratio, 0.0, 1.0);
    while term < 40.0 {
        sum += power / term;
        power *= ratio * ratio;
        term += 2.0;
    }
    2.0 * sum + halves * std::f64::consts::LN_2
}

/// Scales an evaluation toward zero as the fifty-move rule approaches.
pub(crate) fn scaled_by_fifty_move_rule(value: Value, halfmove_clock: u16) -> Value {
    value * (220 - i32::from(halfmove_clock.min(100))) / 220
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_the_standard_library() {
        for n in 1..64 {
            assert!((logarithm(f64::from(n)) - f64::from(n).ln()).abs() < 1e-9, "{n}");
        }
    }

    #[test]
    fn reductions_grow_with_depth_and_count() {
        for is_noisy in [false, true] {
            let reduction =
                |depth, count| Margins::NETWORK.late_move_reduction(depth, count, is_noisy);
            for n in 2..60 {
                assert!(reduction(n + 1, n) >= reduction(n, n));
                assert!(reduction(n, n + 1) >= reduction(n, n));
            }
            assert!(reduction(60, 60) < 10 * PLY);
        }
        assert!((2 * PLY..5 * PLY).contains(&Margins::NETWORK.late_move_reduction(12, 20, false)));
    }

    #[test]
    fn every_parameter_is_well_within_its_range() {
        for margins in [Margins::NETWORK, Margins::HAND_WRITTEN] {
            for Parameter { name, range, get, set } in Margins::parameters() {
                let value = get(&margins);
                assert!(*range.start() < value && value < *range.end(), "{name}");
                let mut changed = margins;
                set(&mut changed, value + 1);
                assert_eq!(get(&changed), value + 1, "{name}");
                assert_ne!(changed, margins, "{name}");
            }
        }
    }
}
