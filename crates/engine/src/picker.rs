//! Move ordering: the order in which the moves of a position are tried.
//!
//! The hash move comes first, then winning captures, then quiet moves by history, then losing
//! captures. Moves are generated in stages, only when they are needed, because most positions are
//! done after the first stages.
//!
//! The moves of all pickers of a thread lie on one shared stack, each picker's on top of those of
//! the pickers below it. The code that creates a picker must also clear it.

use castellan_rules::{Move, MoveList, Position};

use crate::checks::CheckSquares;
use crate::exchange::{captured_role, value_of, wins_at_least};
use crate::history::{Context, Histories};

/// The stack that holds the moves of all pickers of a thread.
///
/// A candidate is a 64-bit word with the move's score in the upper half and its index in `moves`
/// in the lower half, so that the maximum of many candidates can be found several at a time.
pub(crate) struct MoveStack {
    candidates: Vec<i64>,
    moves: Vec<Move>,
    list: MoveList,
}

impl MoveStack {
    pub(crate) fn new() -> MoveStack {
        let room = 1 << 13;
        MoveStack {
            candidates: Vec::with_capacity(room),
            moves: Vec::with_capacity(room),
            list: MoveList::new(),
        }
    }

    #[inline]
    fn push(&mut self, mv: Move, score: i32) {
        self.candidates.push(i64::from(score) << 32 | self.moves.len() as i64);
        self.moves.push(mv);
    }

    #[inline]
    fn move_of(&self, candidate: i64) -> Move {
        self.moves[(candidate & i64::from(u32::MAX)) as usize]
    }
}

/// Which moves to pick from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MoveFilter {
    /// All moves.
    All,
    /// Captures and promotions.
    Noisy,
    /// Captures, promotions and quiet moves that give check.
    NoisyOrCheck,
    /// Captures and promotions that win at least this much.
    Winning(i32),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    HashMove,
    MakeNoisy,
    Good,
    MakeQuiet,
    Quiet,
    Bad,
    Done,
}

/// Picks the moves of one position in order.
pub(crate) struct Picker {
    hash_move: Option<Move>,
    killers: [Option<Move>; 2],
    filter: MoveFilter,
    stage: Stage,
    skips_quiets: bool,
    wants_checks_only: bool,
    /// Positions on the stack: `start..bad_end` are losing captures, and moves from `next` are
    /// still to be picked.
    start: usize,
    bad_end: usize,
    next: usize,
}

/// The information needed to score and pick moves.
pub(crate) struct PickContext<'a> {
    pub(crate) position: &'a Position,
    pub(crate) histories: &'a Histories,
    pub(crate) context: &'a Context,
    pub(crate) check_squares: &'a CheckSquares,
}

/// The score of a killer move, above all histories.
const KILLER: i32 = 40_000;
/// The bonus for a quiet move that gives check.
const CHECK: i32 = 8000;
/// The static exchange threshold below which a check gets no bonus, because the checking piece is
/// lost.
const CHECK_LOSS: i32 = -75;
/// The factor for the value of a captured piece, relative to history scores.
const VICTIM_WEIGHT: i32 = 24;

impl Picker {
    /// Creates a picker whose moves go on top of the stack. `hash_move` must be a legal move.
    pub(crate) fn new(
        stack: &MoveStack,
        hash_move: Option<Move>,
        killers: [Option<Move>; 2],
        filter: MoveFilter,
    ) -> Picker {
        let start = stack.candidates.len();
        let stage = if hash_move.is_some() { Stage::HashMove } else { Stage::MakeNoisy };
        Picker {
            hash_move,
            killers,
            filter,
            stage,
            skips_quiets: false,
            wants_checks_only: false,
            start,
            bad_end: start,
            next: start,
        }
    }

    /// Removes the picker's moves from the stack.
    pub(crate) fn clear(&self, stack: &mut MoveStack) {
        stack.candidates.truncate(self.start);
        stack.moves.truncate(self.start);
    }

    /// Skips the remaining quiet moves.
    pub(crate) fn skip_quiets(&mut self) {
        self.skips_quiets = true;
    }

    /// Skips the remaining quiet moves except those that give check.
    pub(crate) fn skip_quiets_but_checks(&mut self) {
        self.wants_checks_only = true;
    }

    /// Returns `true` if only losing captures are left.
    pub(crate) fn is_past_quiets(&self) -> bool {
        self.stage > Stage::Quiet
    }

    /// Returns the next move, or `None` when there are no more.
    pub(crate) fn next(
        &mut self,
        stack: &mut MoveStack,
        pick_context: &PickContext<'_>,
    ) -> Option<Move> {
        loop {
            match self.stage {
                Stage::HashMove => {
                    self.stage = Stage::MakeNoisy;
                    return self.hash_move;
                }
                Stage::MakeNoisy => {
                    self.make_noisy(stack, pick_context);
                    self.stage = Stage::Good;
                }
                Stage::Good => {
                    if let Some(mv) = self.next_good(stack, pick_context) {
                        return Some(mv);
                    }
                    let has_quiets =
                        matches!(self.filter, MoveFilter::All | MoveFilter::NoisyOrCheck);
                    self.stage = if has_quiets { Stage::MakeQuiet } else { Stage::Done };
                }
                Stage::MakeQuiet => {
                    if self.filter == MoveFilter::NoisyOrCheck {
                        self.make_checks(stack, pick_context);
                    } else if !self.skips_quiets {
                        self.make_quiet(stack, pick_context);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => {
                    if let Some(mv) = self.next_quiet(stack, pick_context) {
                        return Some(mv);
                    }
                    self.stage = Stage::Bad;
                    self.next = self.start;
                }
                Stage::Bad => {
                    if self.next < self.bad_end {
                        self.next += 1;
                        return Some(stack.move_of(stack.candidates[self.next - 1]));
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    fn make_noisy(&mut self, stack: &mut MoveStack, pick_context: &PickContext<'_>) {
        let PickContext { position, histories, .. } = *pick_context;
        let turn = position.turn();
        position.noisy_moves_into(&mut stack.list);
        for index in 0..stack.list.len() {
            let mv = stack.list[index];
            if Some(mv) != self.hash_move {
                let victim = captured_role(position, mv);
                let value = victim.map_or(0, value_of)
                    + mv.promotion().map_or(0, |promotion| value_of(promotion.role()) - 400);
                let score = value * VICTIM_WEIGHT + histories.noisy(turn, mv, victim);
                stack.push(mv, score);
            }
        }
    }

    fn make_quiet(&mut self, stack: &mut MoveStack, pick_context: &PickContext<'_>) {
        let PickContext { position, histories, context, check_squares } = *pick_context;
        let turn = position.turn();
        position.quiet_moves_into(&mut stack.list);
        self.next = stack.candidates.len();
        for index in 0..stack.list.len() {
            let mv = stack.list[index];
            if Some(mv) != self.hash_move {
                let is_killer = self.killers.contains(&Some(mv));
                let is_safe_check =
                    check_squares.are_reached_by(mv) && wins_at_least(position, mv, CHECK_LOSS);
                let bonus =
                    if is_killer { KILLER } else { 0 } + if is_safe_check { CHECK } else { 0 };
                let score = histories.quiet(turn, mv, context) + bonus;
                stack.push(mv, score);
            }
        }
    }

    fn make_checks(&mut self, stack: &mut MoveStack, pick_context: &PickContext<'_>) {
        let PickContext { position, histories, context, .. } = *pick_context;
        self.next = stack.candidates.len();
        pick_context.check_squares.quiet_moves(position, |mv| {
            if Some(mv) != self.hash_move {
                let score = histories.quiet(position.turn(), mv, context);
                stack.push(mv, score);
            }
        });
    }

    /// Returns the next capture that does not lose material; losing ones are set aside.
    fn next_good(&mut self, stack: &mut MoveStack, pick_context: &PickContext<'_>) -> Option<Move> {
        loop {
            let mv = self.take_best(stack)?;
            let score = (stack.candidates[self.next - 1] >> 32) as i32;
            let threshold = match self.filter {
                MoveFilter::All => -score / GOOD_CAPTURE_DIVISOR,
                MoveFilter::Noisy | MoveFilter::NoisyOrCheck => return Some(mv),
                MoveFilter::Winning(threshold) => threshold,
            };
            if wins_at_least(pick_context.position, mv, threshold) {
                return Some(mv);
            }
            stack.candidates.swap(self.bad_end, self.next - 1);
            self.bad_end += 1;
        }
    }

    /// Returns the next quiet move: the one with the highest score or, if only checks are wanted,
    /// the next one that gives check.
    fn next_quiet(
        &mut self,
        stack: &mut MoveStack,
        pick_context: &PickContext<'_>,
    ) -> Option<Move> {
        if self.skips_quiets {
            return None;
        }
        if !self.wants_checks_only {
            return self.take_best(stack);
        }
        loop {
            let mv = stack.move_of(*stack.candidates.get(self.next)?);
            self.next += 1;
            if pick_context.check_squares.are_reached_by(mv) {
                return Some(mv);
            }
        }
    }

    /// Takes the remaining move with the highest score.
    fn take_best(&mut self, stack: &mut MoveStack) -> Option<Move> {
        let left = stack.candidates.get_mut(self.next..)?;
        let best = left.iter().copied().max()?;
        let at = left.iter().position(|&candidate| candidate == best)?;
        left.swap(0, at);
        self.next += 1;
        Some(stack.move_of(best))
    }
}

/// A capture counts as good if it loses at most its score divided by this, in centipawns.
const GOOD_CAPTURE_DIVISOR: i32 = 256;
