//! The search for a helpmate, which is a proof of there being none when it comes to an end.
//!
//! Every position is looked at once. Two orders take turns: the positions that seem nearest to a mate
//! first, which finds most mates at once, and the oldest first, which cannot be led
//! astray. After a move that cannot be taken back the static argument is asked whether it is
//! worth going on.

use castellan_rules::{Color, Move, MoveList, Position};

use super::guide;
use super::men::is_irreversible;
use super::store::Store;
use super::{material, statics};
use crate::Budget;

/// How a search ended.
pub(super) enum Found {
    /// Moves to a mate.
    Mate(Vec<Move>),
    /// There is no mate; so many positions were looked at.
    Nothing(u64),
    /// The budget was spent before; the search can go on.
    Spent,
}

/// A static argument that fails has to be earned by looking at so many positions.
const COST_OF_FAILURE: u64 = 32;

/// What may be spent on failures before anything is earned.
const FIRST_CREDIT: u64 = 2_000;

/// Positions are ordered by a guess of what is to come, weighted so, and what the way was worth.
const GUESS_WEIGHT: usize = 4;

/// What it costs not to be the best of the moves, for each that is better.
const PENALTY: u32 = 6;

/// How the greedy order weighs men on the board against the guess: fewer are easier to steer.
const MAN_WEIGHT: usize = 16;

/// Sums of both are below this.
const BUCKETS: usize = 1024;

/// Of so many positions one is taken from the oldest, and of fewer one by the guess alone.
const TURNS_FOR_OLDEST: usize = 16;
const TURNS_FOR_GUESS: usize = 2;

/// Positions in the order of a number, those of the same number the latest first.
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

/// A search that can be left and taken up again.
pub(super) struct Search {
    winner: Color,
    store: Store,
    is_expanded: Vec<bool>,
    /// By the way and the guess.
    likely: Queue,
    /// By the guess alone.
    greedy: Queue,
    oldest: usize,
    /// New positions with their guesses and how many men are left.
    children: Vec<(usize, usize, u32)>,
    turn: usize,
    /// Static arguments that may still fail before the search has to earn new ones.
    credit: u64,
}

impl Search {
    /// A search from a position for a mate by `winner`.
    pub(super) fn new(root: &Position, winner: Color) -> Search {
        let mut search = Search {
            winner,
            store: Store::new(root),
            is_expanded: vec![false],
            likely: Queue::new(),
            greedy: Queue::new(),
            oldest: 0,
            children: Vec::new(),
            turn: 0,
            credit: FIRST_CREDIT,
        };
        search.likely.push(0, 0);
        search
    }

    /// Looks on, as far as the budget goes.
    pub(super) fn run(&mut self, budget: &mut Budget<'_>) -> Found {
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

    /// The next position to look at.
    fn next(&mut self) -> Option<u32> {
        self.turn += 1;
        if self.turn.is_multiple_of(TURNS_FOR_OLDEST) {
            while self.oldest < self.is_expanded.len() {
                let number = self.oldest;
                self.oldest += 1;
                if !self.is_expanded[number] {
                    return u32::try_from(number).ok();
                }
            }
        }
        if self.turn.is_multiple_of(TURNS_FOR_GUESS) {
            let number = std::iter::from_fn(|| self.greedy.pop())
                .find(|&number| !self.is_expanded[number as usize]);
            if number.is_some() {
                return number;
            }
        }
        std::iter::from_fn(|| self.likely.pop()).find(|&number| !self.is_expanded[number as usize])
    }

    /// Adds what follows a position; returns a move that mates.
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
            let men = next.occupied().count();
            self.children.push((guide::distance(&next, self.winner), men, child));
        }
        self.queue_children(self.store.cost(number));
        None
    }

    /// Queues the new positions. All moves are more likely to be beside the point than
    /// the best one, so that each is put behind the one before.
    fn queue_children(&mut self, cost: u32) {
        self.children.sort_unstable_by_key(|child| child.0);
        for (rank, (guess, men, child)) in self.children.drain(..).enumerate() {
            let cost = cost + 1 + PENALTY * rank as u32;
            self.store.set_cost(child, cost);
            self.likely.push(guess * GUESS_WEIGHT + cost as usize, child);
            self.greedy.push(guess + MAN_WEIGHT * men, child);
        }
    }

    /// Whether a position met after a capture or a pawn's move is known to lead to no mate.
    ///
    /// Where the static argument keeps failing it is asked less and less often.
    fn is_hopeless(&mut self, position: &Position) -> bool {
        if material::is_insufficient(position.pieces(), self.winner) {
            return true;
        }
        if self.credit < COST_OF_FAILURE || !statics::is_shut_in(position, self.winner) {
            return false;
        }
        let (is_hopeless, spent) = statics::weigh(position, self.winner, self.credit / 16);
        if !is_hopeless {
            self.credit = self.credit.saturating_sub(COST_OF_FAILURE + spent);
        }
        is_hopeless
    }
}
