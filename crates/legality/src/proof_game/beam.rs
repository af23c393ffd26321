//! Finds a game, not necessarily a shortest one, by beam search.
//!
//! All positions of a ply are ranked by an estimate of what is left to do, and only the best are
//! kept. A caller that finds nothing may try again with a greater width.

use castellan_rules::{Move, MoveList, Position};

use super::estimate::Estimate;
use super::goal::Goal;
use crate::Budget;

/// How many plies without progress end the search.
const MAX_PLIES_WITHOUT_PROGRESS: u32 = 40;
/// The longest game, in plies. Together with the width it bounds the memory.
const MAX_PLIES: usize = 600;

/// A position that may be kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    estimate: u32,
    hash: u64,
    parent: u32,
    /// The index of the move among the parent's legal moves.
    index: u16,
}

/// A beam search with a fixed width.
pub(super) struct Beam<'g> {
    goal: &'g Goal,
    estimate: Estimate<'g>,
    kept: Vec<Position>,
    /// For each ply, the parent and the move of each position kept.
    trail: Vec<Vec<(u32, Move)>>,
    candidates: Vec<Candidate>,
    seen: Seen,
    width: usize,
    salt: u64,
    list: MoveList,
}

impl<'g> Beam<'g> {
    /// Creates a beam that keeps `width` positions per ply. The salt breaks ties.
    pub(super) fn new(goal: &'g Goal, width: usize, salt: u64) -> Beam<'g> {
        Beam {
            goal,
            estimate: Estimate::new(goal, (width * 64).next_power_of_two().clamp(1 << 9, 1 << 13)),
            kept: Vec::new(),
            trail: Vec::new(),
            candidates: Vec::new(),
            seen: Seen::new(width * MAX_PLIES / 4),
            width,
            salt: salt.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            list: MoveList::new(),
        }
    }

    /// Returns a game to the goal, if a beam of this width meets one.
    pub(super) fn game(&mut self, budget: &mut Budget<'_>) -> Option<Vec<Move>> {
        self.kept.push(Position::start());
        if self.goal.is_reached(&self.kept[0]) {
            return Some(Vec::new());
        }
        let (mut best, mut waited) = (u32::MAX, 0);
        while self.trail.len() < MAX_PLIES && waited < MAX_PLIES_WITHOUT_PROGRESS {
            if let Some((parent, mv)) = self.look_ahead(budget)? {
                return Some(self.retraced(parent, mv));
            }
            let estimate = self.keep_best()?;
            waited = if estimate < best { 0 } else { waited + 1 };
            best = best.min(estimate);
        }
        None
    }

    /// Collects the successors of the positions kept. Returns `None` if the budget ran out;
    /// otherwise the move that reaches the goal, if there is one.
    #[expect(clippy::option_option, reason = "budget and goal are different questions")]
    fn look_ahead(&mut self, budget: &mut Budget<'_>) -> Option<Option<(u32, Move)>> {
        self.candidates.clear();
        for parent in 0..self.kept.len() {
            let position = self.kept[parent];
            position.legal_moves_into(&mut self.list);
            for (index, &mv) in self.list.iter().enumerate() {
                if !budget.spend() {
                    return None;
                }
                let next = position.play_unchecked(mv);
                if self.goal.is_reached(&next) {
                    return Some(Some((parent as u32, mv)));
                }
                let hash = next.hash();
                if self.seen.contains(hash) {
                    continue;
                }
                if let Some(estimate) = self.estimate.of(&next) {
                    let (parent, index) = (parent as u32, index as u16);
                    let hash = hash ^ self.salt;
                    self.candidates.push(Candidate { estimate, hash, parent, index });
                }
            }
        }
        Some(None)
    }

    /// Keeps the best candidates and returns the best estimate, or `None` if there are no
    /// candidates.
    fn keep_best(&mut self) -> Option<u32> {
        // Few candidates are duplicates, so twice the width is enough to choose from.
        let limit = 2 * self.width;
        if self.candidates.len() > limit {
            self.candidates.select_nth_unstable(limit);
            self.candidates.truncate(limit);
        }
        self.candidates.sort_unstable();
        let mut next = Vec::with_capacity(self.width);
        let mut steps = Vec::with_capacity(self.width);
        for candidate in &self.candidates {
            if next.len() >= self.width {
                break;
            }
            if !self.seen.insert(candidate.hash ^ self.salt) {
                continue;
            }
            let parent = self.kept[candidate.parent as usize];
            parent.legal_moves_into(&mut self.list);
            let mv = self.list[usize::from(candidate.index)];
            next.push(parent.play_unchecked(mv));
            steps.push((candidate.parent, mv));
        }
        self.kept = next;
        self.trail.push(steps);
        self.candidates.first().map(|candidate| candidate.estimate)
    }

    /// Returns the moves to a position kept, followed by one more move.
    fn retraced(&self, parent: u32, mv: Move) -> Vec<Move> {
        let mut game = vec![mv];
        let mut at = parent;
        for steps in self.trail.iter().rev() {
            let (parent, mv) = steps[at as usize];
            game.push(mv);
            at = parent;
        }
        game.reverse();
        game
    }
}

/// The hashes of positions that were kept before. It forgets some when it is full.
struct Seen {
    places: Vec<u64>,
}

impl Seen {
    /// Creates a table with room for about `size` hashes.
    fn new(size: usize) -> Seen {
        let places = (2 * size).next_power_of_two().clamp(1 << 12, 1 << 21);
        Seen { places: vec![0; places] }
    }

    fn place(&self, hash: u64) -> usize {
        (hash >> 16) as usize & (self.places.len() - 1)
    }

    fn contains(&self, hash: u64) -> bool {
        self.places[self.place(hash)] == hash
    }

    /// Remembers a hash. Returns `false` if it was known.
    fn insert(&mut self, hash: u64) -> bool {
        let place = self.place(hash);
        let is_new = self.places[place] != hash;
        self.places[place] = hash;
        is_new
    }
}
