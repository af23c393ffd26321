//! chasolver, by Miguel Ambrona, as a solver.

use chasolver::{Winnability, is_unwinnable_fast, winnability};
use chess::Color;

use super::positions::LabeledPosition;
use super::{Solver, Verdicts};

pub(super) const SOLVER: Solver = Solver { name: "chasolver", quick, full };

const COLORS: [Color; 2] = [Color::White, Color::Black];

fn quick(at: &LabeledPosition, _nodes: u64) -> Verdicts {
    COLORS.map(|color| is_unwinnable_fast(&at.board, color).then_some(false))
}

fn full(at: &LabeledPosition, _nodes: u64) -> Verdicts {
    COLORS.map(|color| {
        let answer = winnability(&at.board, color)?;
        Some(matches!(answer, Winnability::Winnable { .. }))
    })
}
