//! Finds a game from the start position to a given one.
//!
//! This module searches for such games and computes a lower bound on their length. A position is
//! legal only if a game leads to it, so a game found here is the proof. Games are searched forward
//! from the start: first all games of minimal length, then some longer ones, guided by an estimate
//! of what is left to do. The only moves taken back first are those that explain a check, an en
//! passant square or insufficient material.
//!
//! Invariant: whatever the search believes, a game is returned only after it has been replayed
//! with the rules. Finding none proves nothing.

mod beam;
mod cache;
mod deepening;
mod distances;
mod estimate;
mod goal;
mod need;
mod pawn_matcher;
mod pawns;
mod prices;
#[cfg(test)]
mod tests;

use castellan_rules::{Color, Move, Position};

use crate::{Budget, Case};
use beam::Beam;
use deepening::Deepening;
use goal::Goal;
use need::NeedCalculator;

/// The nodes for games of minimal length, before longer ones are searched.
const SHORT_NODES: u64 = 30_000;
/// The longest games, in plies, that are searched exhaustively.
const SHORT_PLIES: u32 = 24;
/// How many goals are tried for games of minimal length, and for longer ones.
const SHORT_GOALS: usize = 4;
const LONG_GOALS: usize = 8;
/// How many positions per ply are kept: at first, and at most.
const NARROW: usize = 8;
const WIDE: usize = 4096;

/// Finds a game from the start position to a case: its pieces, side to move and castling rights.
/// The game ends with the double step that the en passant square records; if there is no such
/// square, it ends without a possible en passant capture.
///
/// If `plies` gives the supposed length, a game of that length is tried first. Any other length is
/// accepted, because the clocks can be wrong even if the position is legal.
pub fn find(case: &Case, plies: Option<u32>, budget: &mut Budget<'_>) -> Option<Vec<Move>> {
    if !case.is_standard {
        return None;
    }
    let goals = Goal::all(case, budget);
    let exact = plies.and_then(|plies| exactly(&goals, plies, budget));
    let game = exact.or_else(|| short(&goals, budget)).or_else(|| long(&goals, budget))?;
    leads_to(&game, case).then_some(game)
}

/// Returns the least number of moves that each side, White first, makes in any game from the
/// start position to a case. Returns `None` if there certainly is no such game; a bound does not
/// mean that there is one.
pub(crate) fn lower_bound(case: &Case) -> Option<[u32; 2]> {
    bound(&Goal::of(case)?)
}

fn bound(goal: &Goal) -> Option<[u32; 2]> {
    let mut needs = NeedCalculator::new(goal, 1);
    let start = Position::start();
    let white = needs.bound(&start, Color::White)?;
    let black = needs.bound(&start, Color::Black)?;
    Some([white, black])
}

/// Returns the plies of a game in which White and Black make at least these numbers of moves and
/// in which the given side is then to move.
fn plies([white, black]: [u32; 2], turn: Color) -> u32 {
    turn.fold(2 * white.max(black), (2 * white).max(2 * black + 2) - 1)
}

/// Finds a game of a given length, if that is close to the minimum.
fn exactly(goals: &[Goal], plies: u32, budget: &mut Budget<'_>) -> Option<Vec<Move>> {
    goals.iter().take(SHORT_GOALS).find_map(|goal| {
        let left = plies.checked_sub(goal.last_moves.len() as u32)?;
        let is_turn = left.is_multiple_of(2) == (goal.position.turn() == Color::White);
        if !is_turn || left > SHORT_PLIES {
            return None;
        }
        let mut deepening = Deepening::new(goal);
        let game = budget.with_part(SHORT_NODES, |budget| deepening.game(left, budget));
        game.ok().flatten().map(|game| goal.ended(game))
    })
}

/// Finds a game of minimal length, as far as its share of the nodes allows.
fn short(goals: &[Goal], budget: &mut Budget<'_>) -> Option<Vec<Move>> {
    goals.iter().take(SHORT_GOALS).find_map(|goal| {
        let mut plies = plies(bound(goal)?, goal.position.turn());
        let mut deepening = Deepening::new(goal);
        let game = budget.with_part(SHORT_NODES, |budget| {
            while plies <= SHORT_PLIES {
                let game = deepening.game(plies, budget).ok()?;
                if game.is_some() {
                    return game;
                }
                plies += 2;
            }
            None
        });
        game.map(|game| goal.ended(game))
    })
}

/// Finds some game of any length. Each round keeps more positions; once the width has reached its
/// maximum, rounds differ in how they break ties.
fn long(goals: &[Goal], budget: &mut Budget<'_>) -> Option<Vec<Move>> {
    let mut width = NARROW;
    let mut salt = 0;
    while !budget.is_spent() && !goals.is_empty() {
        for goal in goals.iter().take(LONG_GOALS) {
            let game = Beam::new(goal, width, salt).game(budget);
            if game.is_some() {
                return game.map(|game| goal.ended(game));
            }
        }
        if width < WIDE {
            width = (width * 3).min(WIDE);
        } else {
            width /= 8;
            salt += 1;
        }
    }
    None
}

/// Replays a game with the rules, which alone decide whether it is one.
fn leads_to(game: &[Move], case: &Case) -> bool {
    let Ok(wanted) = case.setup.position() else { return false };
    let mut position = Position::start();
    for &mv in game {
        // The game would have ended here (FIDE 9.6.2).
        let is_over = position.halfmove_clock() >= 150;
        let Some(next) = position.play(mv).ok().filter(|_| !is_over) else { return false };
        position = next;
    }
    let passed = case.setup.en_passant;
    position == wanted && passed.is_none_or(|passed| position.passed_square() == Some(passed))
}
