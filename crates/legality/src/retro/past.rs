//! Positions that have last moves, none of which leads back to a game.
//!
//! A position can be reached if a path back leads to a start position. The search walks the graph
//! of predecessors. A path ends at a position that the caller's arguments refute, or that has no
//! last move. If all paths end, the position has no past. If a path becomes too long, the position
//! is considered free and the search gives up, which happens at once on ordinary boards.
//!
//! No position needs to be visited twice: the shortest game that leads to a position never
//! repeats one.

use std::collections::HashSet;

use castellan_rules::Bitboard;

use super::generate::RetroMoves;
use super::predecessors;
use super::retro_move::{RetroMove, may_be_start};
use crate::{Budget, Case, Code, Finding, Value};

/// How many plies a narrow path back may have before it is assumed to lead to a game.
const MAX_PATH: usize = 64;

/// The same limit for paths on which only pieces other than pawns move, and limits on how many of
/// their moves are tried in each position and in total.
const MAX_QUIET_PATH: usize = 16;
const QUIET_BRANCHES: usize = 6;
const QUIET_NODES: usize = 64;

/// The most moves that are named in a finding.
const NAMED_MOVES: usize = 6;

/// Refutes a position by its past if every path back ends in a position that has no last move or
/// that `refute` refutes.
///
/// The positions passed to `refute` have the fewest castling rights and en passant squares that
/// fit; a missing right means nothing. Each predecessor examined costs a node.
pub(crate) fn refute_by_past(
    case: &Case,
    budget: &mut Budget<'_>,
    refute: &mut dyn FnMut(&Case) -> bool,
) -> Option<Refutation> {
    if may_be_start(case) || is_free(case) || !all_paths_end(case, budget, refute) {
        return None;
    }
    let (chain, before) = forced_chain(case, refute);
    let finding = match chain.first() {
        None => no_past(case),
        Some(last) => {
            let names: Vec<String> = chain.iter().map(ToString::to_string).collect();
            let squares = Bitboard::of(last.mv.from()).with(last.mv.to());
            let finding = Finding::new(Code::ForcedPast, squares);
            finding.with_value(Value::Text(names.join(", ")))
        }
    };
    Some(Refutation { finding, before })
}

/// A position refuted by its past.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Refutation {
    /// The finding to report.
    pub(crate) finding: Finding,
    /// The position before the forced moves, if it is unique; it is itself impossible.
    pub(crate) before: Option<Case>,
}

/// Creates the finding for a position with several last moves, all of them impossible.
fn no_past(case: &Case) -> Finding {
    let mut names: Vec<String> = Vec::new();
    let mut squares = Bitboard::EMPTY;
    for (retro_move, _) in predecessors(case) {
        let name = retro_move.to_string();
        if !names.contains(&name) {
            names.push(name);
            squares = squares.with(retro_move.mv.to());
        }
    }
    names.truncate(if names.len() > NAMED_MOVES { 0 } else { NAMED_MOVES });
    Finding::new(Code::NoPastMoves, squares)
        .with_value(Value::Color(case.last_mover()))
        .with_value(Value::Text(names.join(", ")))
        .with_value(Value::Squares(squares))
}

/// Returns whether no path leads back to a game. Also returns `false` if the budget runs out.
fn all_paths_end(
    case: &Case,
    budget: &mut Budget<'_>,
    refute: &mut dyn FnMut(&Case) -> bool,
) -> bool {
    let retro_moves = |case: &Case| RetroMoves::of(case).all();
    let mut walk = Walk::from(case, MAX_PATH, retro_moves);
    while let Some(before) = walk.next() {
        if !budget.spend() || may_be_start(&before) {
            return false;
        }
        if !RetroMoves::of(&before).exist() || refute(&before) {
            continue;
        }
        if is_free(&before) || !walk.go_on(before) {
            return false;
        }
    }
    true
}

/// Returns whether the pieces can shuffle back for long. Shuffling changes neither pawns nor
/// counts, so the caller's arguments, which may be expensive, need not run at every step.
fn is_free(case: &Case) -> bool {
    let retro_moves = |case: &Case| RetroMoves::of(case).some_quiet(QUIET_BRANCHES);
    let mut walk = Walk::from(case, MAX_QUIET_PATH, retro_moves);
    for _ in 0..QUIET_NODES {
        let Some(before) = walk.next() else { return false };
        if !walk.go_on(before) {
            return true;
        }
    }
    false
}

/// A depth-first walk back that visits no position twice.
struct Walk<F> {
    visited: HashSet<Case>,
    path: Vec<Stop>,
    longest: usize,
    retro_moves: F,
}

/// A position on the path back, and the moves still to be tried there.
struct Stop {
    case: Case,
    retro_moves: std::vec::IntoIter<RetroMove>,
}

impl<F: Fn(&Case) -> Vec<RetroMove>> Walk<F> {
    /// Starts a walk of at most `longest` plies that takes back the moves returned by
    /// `retro_moves`.
    fn from(case: &Case, longest: usize, retro_moves: F) -> Walk<F> {
        let stop = Stop { case: *case, retro_moves: retro_moves(case).into_iter() };
        Walk { visited: HashSet::from([*case]), path: vec![stop], longest, retro_moves }
    }

    /// Returns the next unvisited predecessor of the current position, backtracking to earlier
    /// positions of the path when there is none.
    fn next(&mut self) -> Option<Case> {
        while let Some(stop) = self.path.last_mut() {
            match stop.retro_moves.next() {
                None => {
                    self.path.pop();
                }
                Some(retro_move) => {
                    let before = retro_move.before(&stop.case);
                    if self.visited.insert(before) {
                        return Some(before);
                    }
                }
            }
        }
        None
    }

    /// Continues from a position that `next` returned. Returns `false` if the path has become too
    /// long.
    fn go_on(&mut self, case: Case) -> bool {
        self.path.push(Stop { case, retro_moves: (self.retro_moves)(&case).into_iter() });
        self.path.len() <= self.longest
    }
}

/// Returns the last moves of a position without a past as long as they are forced, the latest
/// first, and the position before all of them if it is unique.
fn forced_chain(
    case: &Case,
    refute: &mut dyn FnMut(&Case) -> bool,
) -> (Vec<RetroMove>, Option<Case>) {
    let mut chain = Vec::new();
    let mut case = *case;
    while chain.len() < NAMED_MOVES {
        let found: Vec<(RetroMove, Case)> = predecessors(&case).collect();
        let Some(&(last, before)) = found.first() else { return (chain, Some(case)) };
        if !found.iter().all(|(retro_move, _)| retro_move.is_same_move(&last)) {
            return (chain, None);
        }
        chain.push(last);
        if found.len() > 1 {
            return (chain, None);
        }
        if refute(&before) {
            return (chain, Some(before));
        }
        case = before;
    }
    (chain, None)
}
