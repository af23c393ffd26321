//! Positions with last moves, none of which leads back to a game.
//!
//! A position can be reached if a way back leads to a start. So this is a walk over the graph of
//! predecessors: where the caller's arguments refute a position, or where there was no last
//! move, the way ends. If all ways end, the position has no past. If one goes on for long, the
//! position is free and the walk is given up, which happens at once on ordinary boards.
//!
//! No position need be visited twice: the shortest game that leads to a position passes
//! through none a second time.

use std::collections::HashSet;

use castellan_rules::Bitboard;

use super::generate::Unmoves;
use super::predecessors;
use super::unmove::{Unmove, may_be_start};
use crate::{Budget, Case, Code, Finding, Value};

/// How many plies a narrow way back may go on before it is believed to lead to a game.
const LONG_WAY: usize = 64;

/// The same for a way on which pieces shuffle, with how many of their moves are tried at each
/// stop, and how many in all.
const QUIET_WAY: usize = 16;
const QUIET_BRANCHES: usize = 6;
const QUIET_NODES: usize = 64;

/// How many moves are named.
const NAMED_MOVES: usize = 6;

/// Refutes a position by its past, if every way back ends in a position without last move or in
/// one that `refute` refutes.
///
/// What `refute` is shown has the fewest castling rights and en passant squares that fit; that
/// one is missing says nothing. Each predecessor looked at costs a node.
pub(crate) fn refute_by_past(
    case: &Case,
    budget: &mut Budget<'_>,
    refute: &mut dyn FnMut(&Case) -> bool,
) -> Option<Refutation> {
    if may_be_start(case) || is_free(case) || !all_ways_end(case, budget, refute) {
        return None;
    }
    let (chain, before) = forced_chain(case, refute);
    let finding = match chain.first() {
        None => no_past(case),
        Some(last) => {
            let names: Vec<String> = chain.iter().map(ToString::to_string).collect();
            let squares = Bitboard::of(last.mv.from()).with(last.mv.to());
            let finding = Finding::new(Code::ForcedPast, squares);
            finding.with(Value::Text(names.join(", ")))
        }
    };
    Some(Refutation { finding, before })
}

/// A position refuted by its past.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Refutation {
    /// What to say.
    pub(crate) finding: Finding,
    /// The position before the forced moves, if there is only one: it is impossible itself.
    pub(crate) before: Option<Case>,
}

/// The finding for a position with several last moves, all of them impossible.
fn no_past(case: &Case) -> Finding {
    let mut names: Vec<String> = Vec::new();
    let mut squares = Bitboard::EMPTY;
    for (unmove, _) in predecessors(case) {
        let name = unmove.to_string();
        if !names.contains(&name) {
            names.push(name);
            squares = squares.with(unmove.mv.to());
        }
    }
    names.truncate(if names.len() > NAMED_MOVES { 0 } else { NAMED_MOVES });
    Finding::new(Code::NoPastMoves, squares)
        .with(Value::Color(case.last_mover()))
        .with(Value::Text(names.join(", ")))
        .with(Value::Squares(squares))
}

/// Whether no way leads back to a game: false also if the nodes do not suffice.
fn all_ways_end(
    case: &Case,
    budget: &mut Budget<'_>,
    refute: &mut dyn FnMut(&Case) -> bool,
) -> bool {
    let unmoves = |case: &Case| Unmoves::of(case).all();
    let mut walk = Walk::from(case, LONG_WAY, unmoves);
    while let Some(before) = walk.next() {
        if !budget.spend() || may_be_start(&before) {
            return false;
        }
        if !Unmoves::of(&before).exist() || refute(&before) {
            continue;
        }
        if is_free(&before) || !walk.go_on(before) {
            return false;
        }
    }
    true
}

/// Whether the pieces can shuffle back for long. That tells neither pawns nor counts anything
/// new, so the caller's arguments, which may be dear, need not be asked at every step.
fn is_free(case: &Case) -> bool {
    let unmoves = |case: &Case| Unmoves::of(case).some_quiet(QUIET_BRANCHES);
    let mut walk = Walk::from(case, QUIET_WAY, unmoves);
    for _ in 0..QUIET_NODES {
        let Some(before) = walk.next() else { return false };
        if !walk.go_on(before) {
            return true;
        }
    }
    false
}

/// A walk back, depth first, that comes to no position twice.
struct Walk<F> {
    visited: HashSet<Case>,
    way: Vec<Stop>,
    longest: usize,
    unmoves: F,
}

/// A position on the way back, and what is left to try there.
struct Stop {
    case: Case,
    unmoves: std::vec::IntoIter<Unmove>,
}

impl<F: Fn(&Case) -> Vec<Unmove>> Walk<F> {
    /// A walk of so many plies at most that takes back the moves a function tells.
    fn from(case: &Case, longest: usize, unmoves: F) -> Walk<F> {
        let stop = Stop { case: *case, unmoves: unmoves(case).into_iter() };
        Walk { visited: HashSet::from([*case]), way: vec![stop], longest, unmoves }
    }

    /// The next position before the one where the walk has come to, or before one passed on the
    /// way there if that has no other.
    fn next(&mut self) -> Option<Case> {
        while let Some(stop) = self.way.last_mut() {
            match stop.unmoves.next() {
                None => {
                    self.way.pop();
                }
                Some(unmove) => {
                    let before = unmove.before(&stop.case);
                    if self.visited.insert(before) {
                        return Some(before);
                    }
                }
            }
        }
        None
    }

    /// Goes on from a position that was the next one, unless the way is long enough.
    fn go_on(&mut self, case: Case) -> bool {
        self.way.push(Stop { case, unmoves: (self.unmoves)(&case).into_iter() });
        self.way.len() <= self.longest
    }
}

/// The last moves of a position without a past, as long as there is only one, the latest first,
/// and the position before all of them if it is certain.
fn forced_chain(case: &Case, refute: &mut dyn FnMut(&Case) -> bool) -> (Vec<Unmove>, Option<Case>) {
    let mut chain = Vec::new();
    let mut case = *case;
    while chain.len() < NAMED_MOVES {
        let found: Vec<(Unmove, Case)> = predecessors(&case).collect();
        let Some(&(last, before)) = found.first() else { return (chain, Some(case)) };
        if !found.iter().all(|(unmove, _)| unmove.is_same_move(&last)) {
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
