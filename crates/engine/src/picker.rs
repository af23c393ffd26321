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
pub(crate) struct Pile {
    candidates: Vec<i64>,
    moves: Vec<Move>,
    list: MoveList,
}

impl Pile {
    pub(crate) fn new() -> Pile {
        let room = 1 << 13;
        Pile {
            candidates: Vec::with_capacity(room),
            moves: Vec::with_capacity(room),
            list: MoveList::new(),
        }
    }

    #[inline]
    fn push(&mut self, mv: Move, promise: i32) {
        self.candidates.push(i64::from(promise) << 32 | self.moves.len() as i64);
        self.moves.push(mv);
    }

    #[inline]
    fn move_of(&self, candidate: i64) -> Move {
        self.moves[(candidate & i64::from(u32::MAX)) as usize]
    }
}

/// Which moves to pick from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
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
    Known,
    MakeNoisy,
    Good,
    MakeQuiet,
    Quiet,
    Bad,
    Done,
}

/// Picks the moves of one position in order.
pub(crate) struct Picker {
    known: Option<Move>,
    killers: [Option<Move>; 2],
    wish: Wish,
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
pub(crate) struct Surroundings<'a> {
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
    /// Creates a picker whose moves go on top of the stack. `known` must be a legal move.
    pub(crate) fn new(
        pile: &Pile,
        known: Option<Move>,
        killers: [Option<Move>; 2],
        wish: Wish,
    ) -> Picker {
        let start = pile.candidates.len();
        let stage = if known.is_some() { Stage::Known } else { Stage::MakeNoisy };
        Picker {
            known,
            killers,
            wish,
            stage,
            skips_quiets: false,
            wants_checks_only: false,
            start,
            bad_end: start,
            next: start,
        }
    }

    /// Removes the picker's moves from the stack.
    pub(crate) fn clear(&self, pile: &mut Pile) {
        pile.candidates.truncate(self.start);
        pile.moves.truncate(self.start);
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
    pub(crate) fn next(&mut self, pile: &mut Pile, around: &Surroundings<'_>) -> Option<Move> {
        loop {
            match self.stage {
                Stage::Known => {
                    self.stage = Stage::MakeNoisy;
                    return self.known;
                }
                Stage::MakeNoisy => {
                    self.make_noisy(pile, around);
                    self.stage = Stage::Good;
                }
                Stage::Good => {
                    if let Some(mv) = self.next_good(pile, around) {
                        return Some(mv);
                    }
                    let has_quiets = matches!(self.wish, Wish::All | Wish::NoisyOrCheck);
                    self.stage = if has_quiets { Stage::MakeQuiet } else { Stage::Done };
                }
                Stage::MakeQuiet => {
                    if self.wish == Wish::NoisyOrCheck {
                        self.make_checks(pile, around);
                    } else if !self.skips_quiets {
                        self.make_quiet(pile, around);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => {
                    if let Some(mv) = self.next_quiet(pile, around) {
                        return Some(mv);
                    }
                    self.stage = Stage::Bad;
                    self.next = self.start;
                }
                Stage::Bad => {
                    if self.next < self.bad_end {
                        self.next += 1;
                        return Some(pile.move_of(pile.candidates[self.next - 1]));
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    fn make_noisy(&mut self, pile: &mut Pile, around: &Surroundings<'_>) {
        let Surroundings { position, histories, .. } = *around;
        let turn = position.turn();
        position.noisy_moves_into(&mut pile.list);
        for index in 0..pile.list.len() {
            let mv = pile.list[index];
            if Some(mv) != self.known {
                let victim = captured_role(position, mv);
                let value = victim.map_or(0, value_of)
                    + mv.promotion().map_or(0, |promotion| value_of(promotion.role()) - 400);
                let promise = value * VICTIM_WEIGHT + histories.noisy(turn, mv, victim);
                pile.push(mv, promise);
            }
        }
    }

    fn make_quiet(&mut self, pile: &mut Pile, around: &Surroundings<'_>) {
        let Surroundings { position, histories, context, check_squares } = *around;
        let turn = position.turn();
        position.quiet_moves_into(&mut pile.list);
        self.next = pile.candidates.len();
        for index in 0..pile.list.len() {
            let mv = pile.list[index];
            if Some(mv) != self.known {
                let is_killer = self.killers.contains(&Some(mv));
                let is_safe_check =
                    check_squares.are_reached_by(mv) && wins_at_least(position, mv, CHECK_LOSS);
                let bonus =
                    if is_killer { KILLER } else { 0 } + if is_safe_check { CHECK } else { 0 };
                let promise = histories.quiet(turn, mv, context) + bonus;
                pile.push(mv, promise);
            }
        }
    }

    fn make_checks(&mut self, pile: &mut Pile, around: &Surroundings<'_>) {
        let Surroundings { position, histories, context, .. } = *around;
        self.next = pile.candidates.len();
        around.check_squares.quiet_moves(position, |mv| {
            if Some(mv) != self.known {
                let promise = histories.quiet(position.turn(), mv, context);
                pile.push(mv, promise);
            }
        });
    }

    /// Returns the next capture that does not lose material; losing ones are set aside.
    fn next_good(&mut self, pile: &mut Pile, around: &Surroundings<'_>) -> Option<Move> {
        loop {
            let mv = self.take_best(pile)?;
            let promise = (pile.candidates[self.next - 1] >> 32) as i32;
            let threshold = match self.wish {
                Wish::All => -promise / SURE_PROMISE,
                Wish::Noisy | Wish::NoisyOrCheck => return Some(mv),
                Wish::Winning(threshold) => threshold,
            };
            if wins_at_least(around.position, mv, threshold) {
                return Some(mv);
            }
            pile.candidates.swap(self.bad_end, self.next - 1);
            self.bad_end += 1;
        }
    }

    /// Returns the next quiet move: the one with the highest score or, if only checks are wanted,
    /// the next one that gives check.
    fn next_quiet(&mut self, pile: &mut Pile, around: &Surroundings<'_>) -> Option<Move> {
        if self.skips_quiets {
            return None;
        }
        if !self.wants_checks_only {
            return self.take_best(pile);
        }
        loop {
            let mv = pile.move_of(*pile.candidates.get(self.next)?);
            self.next += 1;
            if around.check_squares.are_reached_by(mv) {
                return Some(mv);
            }
        }
    }

    /// Takes the remaining move with the highest score.
    fn take_best(&mut self, pile: &mut Pile) -> Option<Move> {
        let left = pile.candidates.get_mut(self.next..)?;
        let best = left.iter().copied().max()?;
        let at = left.iter().position(|&candidate| candidate == best)?;
        left.swap(0, at);
        self.next += 1;
        Some(pile.move_of(best))
    }
}

/// A capture counts as good if it loses at most its score divided by this, in centipawns.
const SURE_PROMISE: i32 = 256;
