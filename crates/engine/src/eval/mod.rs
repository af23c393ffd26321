//! Static evaluation: the value of a position without looking ahead.
//!
//! This module is responsible for the terms, their weights and the state that is updated while
//! moves are made. An [`Evaluator`] with a network uses it instead of the terms, and the search
//! does not notice the difference. Invariant: a position with the colors exchanged has the same
//! value for the side to move.

mod endings;
mod evaluation;
pub(crate) mod generated;
mod geometry;
mod incremental;
mod king;
mod network;
mod pair;
mod pawns;
mod pieces;
mod survey;
mod terms;
mod threats;
mod trace;
#[cfg(feature = "tuning")]
pub mod tuning;

#[cfg(test)]
mod tests;

use castellan_nnue::{Accumulators, Changes};
use castellan_rules::{Bitboard, Color, Move, Position};

use crate::margins::Margins;
use crate::score::{EVALUATION_BOUND, Value};
use endings::{WHOLE, bare_king, scale};
use evaluation::Evaluation;
pub(crate) use incremental::IncrementalState;
use incremental::{FULL_PHASE, sign};
pub(crate) use network::NetworkWeight;
use network::Observers;
pub(crate) use network::SharedNetwork;
use pair::Pair;
use pawns::{PawnCache, PawnEntry};
use survey::Survey;
use terms::TEMPO;
use trace::{NoTrace, Trace};

/// Evaluates the positions of a line of moves, with incrementally updated state.
pub(crate) struct Evaluator {
    /// The incremental state of the current position and all positions before it.
    stack: Vec<IncrementalState>,
    pawns: PawnCache,
    /// Tracks the pieces for the network; without one the hand-written terms are used.
    accumulators: Option<Accumulators>,
    network_weight: NetworkWeight,
}

impl Evaluator {
    /// Creates an evaluator for a position.
    pub(crate) fn new(
        position: &Position,
        network: Option<&SharedNetwork>,
        margins: &Margins,
    ) -> Evaluator {
        let follow = |network: &SharedNetwork| Accumulators::new(network.clone(), position);
        Evaluator {
            stack: vec![IncrementalState::new(position)],
            pawns: PawnCache::new(),
            accumulators: network.map(follow),
            network_weight: margins.network_weight(),
        }
    }

    /// Starts over at a position.
    pub(crate) fn reset(&mut self, position: &Position) {
        self.stack.clear();
        self.stack.push(IncrementalState::new(position));
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.reset(position);
        }
    }

    /// Plays a legal move from the current position.
    #[inline]
    pub(crate) fn play(&mut self, position: &Position, mv: Move) -> Position {
        let mut state = *self.state();
        let next = match &mut self.accumulators {
            None => position.play_observed(mv, &mut state),
            Some(accumulators) => {
                let mut followers = Observers { state: &mut state, changes: Changes::NONE };
                let next = position.play_observed(mv, &mut followers);
                accumulators.push(followers.changes);
                next
            }
        };
        self.stack.push(state);
        next
    }

    /// Makes a null move, which leaves all state unchanged.
    pub(crate) fn null_move(&mut self) {
        self.stack.push(*self.state());
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.push(Changes::NONE);
        }
    }

    /// Takes back a move or a null move.
    #[inline]
    pub(crate) fn undo(&mut self) {
        self.stack.pop();
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.pop();
        }
    }

    /// Returns the incremental state of the current position.
    #[inline]
    pub(crate) fn state(&self) -> &IncrementalState {
        self.stack.last().expect("the first position is never taken back")
    }

    /// Returns the value of the current position for the side to move, which must not be in
    /// check.
    pub(crate) fn evaluate(&mut self, position: &Position) -> Value {
        let phase = self.state().phase;
        let value = match &mut self.accumulators {
            Some(accumulators) => {
                network::value(accumulators, position, phase, self.network_weight)
            }
            None => self.sum_of_terms(position),
        };
        value.clamp(-EVALUATION_BOUND, EVALUATION_BOUND)
    }

    /// Returns the hand-written evaluation.
    fn sum_of_terms(&mut self, position: &Position) -> Value {
        let state = *self.state();
        let pawns = &mut self.pawns;
        let value = of_white(position, &state, |survey, trace: &mut NoTrace| {
            pawns.get(state.pawns, || pawns::structure(survey, trace))
        });
        value * sign(position.turn())
    }
}

/// Returns the value of a position for White.
fn of_white<'a>(
    position: &'a Position,
    state: &IncrementalState,
    structure: impl FnOnce(&Survey<'a>, &mut NoTrace) -> PawnEntry,
) -> Value {
    if let Some(value) = known_ending(position) {
        return value;
    }
    let score = state.weights + terms_of(position, &mut NoTrace, structure);
    blend(position, score, state.phase)
}

/// Returns the value of a position with a bare king for White, if the ending is known.
fn known_ending(position: &Position) -> Option<Value> {
    let bare = |color: &Color| !position.color(!*color).has_multiple();
    let strong = Color::ALL.into_iter().filter(bare);
    strong.filter_map(|color| Some(bare_king(position, color)? * sign(color))).next()
}

/// Returns the sum of the terms that are not incrementally updated, for White.
fn terms_of<'a, T: Trace>(
    position: &'a Position,
    trace: &mut T,
    structure: impl FnOnce(&Survey<'a>, &mut T) -> PawnEntry,
) -> Pair {
    let mut survey = Survey::new(position);
    let entry = structure(&survey, trace);
    let mut evaluation = Evaluation { score: entry.score, trace };
    // Naming each color makes the compiler generate code for both, which speeds up the whole
    // search by 7 %.
    pieces::pieces(&mut survey, Color::White, &mut evaluation);
    pieces::pieces(&mut survey, Color::Black, &mut evaluation);
    relations(&survey, Color::White, entry.passed[0], &mut evaluation);
    relations(&survey, Color::Black, entry.passed[1], &mut evaluation);
    evaluation.add(position.turn(), TEMPO, 1);
    evaluation.score
}

/// Adds what depends on all pieces: a color's king safety, threats and passed pawns.
#[inline(always)]
fn relations<T: Trace>(
    survey: &Survey<'_>,
    color: Color,
    passed: Bitboard,
    evaluation: &mut Evaluation<'_, T>,
) {
    king::king(survey, color, evaluation);
    threats::threats(survey, color, evaluation);
    threats::passed(survey, color, passed, evaluation);
}

/// Interpolates between the middlegame and endgame scores by game phase (tapered evaluation),
/// after scaling the endgame score by the winning chances of the material.
fn blend(position: &Position, score: Pair, phase: i32) -> Value {
    let strong = if score.endgame() >= 0 { Color::White } else { Color::Black };
    let phase = phase.min(FULL_PHASE);
    let endgame = score.endgame() * scale(position, strong) / WHOLE;
    (score.middlegame() * phase + endgame * (FULL_PHASE - phase)) / FULL_PHASE
}
