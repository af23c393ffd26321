//! chasolver, by Miguel Ambrona, as a contestant.

use chasolver::{Winnability, is_unwinnable_fast, winnability};
use chess::Color;

use super::question::Question;
use super::{Contestant, Verdict};

pub(super) const CONTESTANT: Contestant = Contestant { name: "chasolver", quick, full };

const COLORS: [Color; 2] = [Color::White, Color::Black];

fn quick(question: &Question, _nodes: u64) -> [Verdict; 2] {
    COLORS.map(|color| is_unwinnable_fast(&question.board, color).then_some(false))
}

fn full(question: &Question, _nodes: u64) -> [Verdict; 2] {
    COLORS.map(|color| {
        let answer = winnability(&question.board, color)?;
        Some(matches!(answer, Winnability::Winnable { .. }))
    })
}
