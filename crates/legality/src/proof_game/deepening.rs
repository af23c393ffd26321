//! Finds a shortest game by iterative deepening: tries all games of a length, and gives up on a
//! game as soon as it can no longer reach the position.
//!
//! Invariant: a game of the given length is missed only if the budget runs out.

use castellan_rules::{Color, Move, MoveList, Position};

use super::goal::Goal;
use super::need::NeedCalculator;
use crate::Budget;

/// The binary logarithm of the table's size. Short games, for which this search is meant, have
/// about as many positions.
const TABLE_BITS: u32 = 14;

/// Searches for games of increasing lengths.
pub(super) struct Deepening<'g> {
    goal: &'g Goal,
    needs: NeedCalculator<'g>,
    /// Hashes of positions, with the number of plies left, from which nothing was found.
    failed: Vec<u64>,
    line: Vec<Move>,
    /// A move list for each number of plies left, to reuse its memory.
    lists: Vec<MoveList>,
}

/// The error for a budget that ran out.
pub(super) struct OutOfBudget;

impl<'g> Deepening<'g> {
    pub(super) fn new(goal: &'g Goal) -> Deepening<'g> {
        Deepening {
            goal,
            needs: NeedCalculator::new(goal, 1 << 10),
            failed: vec![0; 1 << TABLE_BITS],
            line: Vec::new(),
            lists: Vec::new(),
        }
    }

    /// Returns a game of exactly `plies` plies to the goal, if there is one.
    pub(super) fn game(
        &mut self,
        plies: u32,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Vec<Move>>, OutOfBudget> {
        self.line.clear();
        self.lists.resize_with(plies as usize + 1, MoveList::new);
        let is_found = self.search(&Position::start(), plies, budget)?;
        Ok(is_found.then(|| self.line.clone()))
    }

    fn search(
        &mut self,
        position: &Position,
        left: u32,
        budget: &mut Budget<'_>,
    ) -> Result<bool, OutOfBudget> {
        if left == 0 {
            return Ok(self.goal.is_reached(position));
        }
        let key = position.hash() ^ u64::from(left).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = (key >> 20) as usize % self.failed.len();
        if self.failed[slot] == key {
            return Ok(false);
        }
        for (_, mv) in self.promising(position, left - 1, budget)? {
            self.line.push(mv);
            if self.search(&position.play_unchecked(mv), left - 1, budget)? {
                return Ok(true);
            }
            self.line.pop();
        }
        self.failed[slot] = key;
        Ok(false)
    }

    /// Returns the moves after which the goal can still be reached in time, those with the fewest
    /// moves to go first.
    fn promising(
        &mut self,
        position: &Position,
        left: u32,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<(u32, Move)>, OutOfBudget> {
        let turn = position.turn();
        let mut promising = Vec::new();
        let mut list = std::mem::take(&mut self.lists[left as usize]);
        position.legal_moves_into(&mut list);
        for &mv in &list {
            if !budget.spend() {
                return Err(OutOfBudget);
            }
            let next = position.play_unchecked(mv);
            if let Some(moves_needed) = self.moves_needed(&next, turn, left) {
                promising.push((moves_needed, mv));
            }
        }
        self.lists[left as usize] = list;
        promising.sort_by_key(|&(moves_needed, _)| moves_needed);
        Ok(promising)
    }

    /// Returns a lower bound on the moves that both sides still need, or `None` if they do not fit
    /// into `left` plies.
    fn moves_needed(&mut self, next: &Position, mover: Color, left: u32) -> Option<u32> {
        let own = self.needs.bound(next, mover)?;
        if own > left / 2 {
            return None;
        }
        let other = self.needs.bound(next, !mover)?;
        (other <= left.div_ceil(2)).then_some(own + other)
    }
}
