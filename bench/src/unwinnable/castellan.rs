//! Castellan as a solver.

use castellan_rules::Color;
use castellan_winnable::{Budget, can_win, can_win_quickly};

use super::positions::LabeledPosition;
use super::{Solver, Verdicts};

pub(super) const SOLVER: Solver = Solver { name: "castellan", quick, full };

fn quick(at: &LabeledPosition, _nodes: u64) -> Verdicts {
    Color::ALL.map(|color| can_win_quickly(&at.position, color))
}

fn full(at: &LabeledPosition, nodes: u64) -> Verdicts {
    Color::ALL.map(|color| can_win(&at.position, color, &mut Budget::of_nodes(nodes)).answer())
}
