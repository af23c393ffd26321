//! The search for a helpmate. When it ends without one, that is a proof that there is none.
//!
//! Every position is examined once. Two orders take turns: the positions that seem nearest to a
//! mate first, which finds most mates at once, and the oldest first, which cannot be led astray.
//! After an irreversible move, the static argument ([`static_proof`]) decides whether to continue.

use castellan_rules::{Color, Move, MoveList, Position};

use crate::Budget;
use crate::guide;
use crate::pieces::is_irreversible;
use crate::store::Store;
use crate::{material, static_proof};

/// How a search ended.
pub(crate) enum Found {
    /// A line of moves to a mate.
    Mate(Vec<Move>),
    /// There is no mate; this many positions were examined.
    Nothing(u64),
    /// The budget ran out first; the search can be continued.
    Spent,
}

/// The credit that a failed static argument costs. Each examined position earns one credit.
const COST_OF_FAILURE: u64 = 32;

/// The initial credit for failed static arguments.
const FIRST_CREDIT: u64 = 2_000;

/// The weight of the estimated distance to a mate, relative to the cost of the path so far.
const GUESS_WEIGHT: usize = 4;

/// The cost of a move for each sibling that looks better.
const SIBLING_PENALTY: u32 = 6;

/// The weight of the pieces on the board in the greedy order: fewer pieces are easier to steer.
const PIECE_WEIGHT: usize = 16;

/// The number of buckets. Orders beyond it share the last one.
const BUCKETS: usize = 1024;

/// Every how many picks the oldest position is examined next.
const PICKS_PER_OLDEST: usize = 16;

/// Every how many picks the greedy order chooses the next position.
const PICKS_PER_GREEDY: usize = 2;

/// Positions ordered by a number; among equal numbers the latest comes first.
struct Queue {
    buckets: Vec<Vec<u32>>,
    lowest: usize,
}

impl Queue {
    fn new() -> Queue {
        Queue { buckets: vec![Vec::new(); BUCKETS], lowest: BUCKETS }
    }

    fn push(&mut self, order: usize, number: u32) {
        let order = order.min(BUCKETS - 1);
        self.buckets[order].push(number);
        self.lowest = self.lowest.min(order);
    }

    fn pop(&mut self) -> Option<u32> {
        while let Some(bucket) = self.buckets.get_mut(self.lowest) {
            if let Some(number) = bucket.pop() {
                return Some(number);
            }
            self.lowest += 1;
        }
        None
    }
}

/// A search that can be paused and resumed.
pub(crate) struct Search {
    winner: Color,
    store: Store,
    is_expanded: Vec<bool>,
    /// The positions by the cost of the path and the estimate.
    likely: Queue,
    /// The positions by the estimate and the number of pieces, regardless of the path.
    greedy: Queue,
    oldest: usize,
    /// New positions: the estimate, the number of pieces left and the position's number.
    children: Vec<(usize, usize, u32)>,
    /// The number of positions picked so far.
    picks: usize,
    /// How much failed static arguments may still cost before the search has to earn more.
    credit: u64,
}

impl Search {
    /// Creates a search from a position for a mate by `winner`.
    pub(crate) fn new(root: &Position, winner: Color) -> Search {
        let mut search = Search {
            winner,
            store: Store::new(root),
            is_expanded: vec![false],
            likely: Queue::new(),
            greedy: Queue::new(),
            oldest: 0,
            children: Vec::new(),
            picks: 0,
            credit: FIRST_CREDIT,
        };
        search.likely.push(0, 0);
        search
    }

    /// Continues the search as far as the budget allows.
    pub(crate) fn run(&mut self, budget: &mut Budget<'_>) -> Found {
        let mut moves = MoveList::new();
        while !budget.is_spent()
            && let Some(number) = self.next()
        {
            budget.spend();
            self.credit += 1;
            self.is_expanded[number as usize] = true;
            let position = self.store.position(number);
            position.legal_moves_into(&mut moves);
            if let Some(mate) = self.expand(&position, number, &moves) {
                let mut line = self.store.line(number);
                line.push(mate);
                return Found::Mate(line);
            }
        }
        if budget.is_spent() { Found::Spent } else { Found::Nothing(self.store.len() as u64) }
    }

    /// Returns the next position to examine.
    fn next(&mut self) -> Option<u32> {
        self.picks += 1;
        if self.picks.is_multiple_of(PICKS_PER_OLDEST) {
            while self.oldest < self.is_expanded.len() {
                let number = self.oldest;
                self.oldest += 1;
                if !self.is_expanded[number] {
                    return u32::try_from(number).ok();
                }
            }
        }
        if self.picks.is_multiple_of(PICKS_PER_GREEDY) {
            let number = std::iter::from_fn(|| self.greedy.pop())
                .find(|&number| !self.is_expanded[number as usize]);
            if number.is_some() {
                return number;
            }
        }
        std::iter::from_fn(|| self.likely.pop()).find(|&number| !self.is_expanded[number as usize])
    }

    /// Adds the successors of a position, or returns a move that mates.
    fn expand(&mut self, position: &Position, number: u32, moves: &[Move]) -> Option<Move> {
        for &mv in moves {
            let next = position.play_unchecked(mv);
            if next.turn() != self.winner && next.is_check() && !next.has_legal_move() {
                return Some(mv);
            }
            if is_irreversible(position, mv) && self.is_hopeless(&next) {
                continue;
            }
            let Some(child) = self.store.add(&next, number, mv) else { continue };
            self.is_expanded.push(false);
            let pieces = next.occupied().count();
            self.children.push((guide::distance(&next, self.winner), pieces, child));
        }
        self.queue_children(self.store.cost(number));
        None
    }

    /// Queues the new positions. Each move is placed behind the one before it, because it is more
    /// likely to be irrelevant.
    fn queue_children(&mut self, cost: u32) {
        self.children.sort_unstable_by_key(|child| child.0);
        for (rank, (guess, pieces, child)) in self.children.drain(..).enumerate() {
            let cost = cost + 1 + SIBLING_PENALTY * rank as u32;
            self.store.set_cost(child, cost);
            self.likely.push(guess * GUESS_WEIGHT + cost as usize, child);
            self.greedy.push(guess + PIECE_WEIGHT * pieces, child);
        }
    }

    /// Returns whether a position reached by a capture or a pawn move is known to lead to no
    /// mate.
    ///
    /// If the static argument keeps failing, it is used less and less often.
    fn is_hopeless(&mut self, position: &Position) -> bool {
        if material::is_insufficient(position.pieces(), self.winner) {
            return true;
        }
        if self.credit < COST_OF_FAILURE || !static_proof::is_shut_in(position, self.winner) {
            return false;
        }
        let (is_hopeless, spent) =
            static_proof::prove_within(position, self.winner, self.credit / 16);
        if !is_hopeless {
            self.credit = self.credit.saturating_sub(COST_OF_FAILURE + spent);
        }
        is_hopeless
    }
}
