//! Castellan as a contestant.

use castellan_rules::Color;
use castellan_winnable::{Budget, CanWin, can_win, can_win_quickly};

use super::question::Question;
use super::{Contestant, Verdict};

pub(super) const CONTESTANT: Contestant = Contestant { name: "castellan", quick, full };

fn quick(question: &Question, _nodes: u64) -> [Verdict; 2] {
    Color::ALL.map(|color| can_win_quickly(&question.position, color))
}

fn full(question: &Question, nodes: u64) -> [Verdict; 2] {
    Color::ALL.map(|color| match can_win(&question.position, color, &mut Budget::of_nodes(nodes)) {
        CanWin::Yes(_) => Some(true),
        CanWin::No(_) => Some(false),
        CanWin::Unknown(_) => None,
    })
}
