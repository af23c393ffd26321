//! The position to reach, and what it implies about every game that reaches it.

use std::collections::VecDeque;
use std::rc::Rc;

use castellan_rules::{Bitboard, Color, Move, Piece, Position, Role};

use super::distances::Distances;
use super::estimate::Estimate;
use crate::{Budget, Case, retro};

/// The most plies by which a goal is taken back.
const MAX_TAKEN_BACK: usize = 4;
/// The most goals collected for one case.
const MAX_GOALS: usize = 64;

/// Where a game is to end.
#[derive(Clone)]
pub(super) struct Goal {
    /// The wanted position, or one a few plies before it.
    pub(super) position: Position,
    /// The moves from there to the wanted position.
    pub(super) last_moves: Vec<Move>,
    /// The squares of pieces that never move in any game to the goal.
    pub(super) unmoved: Bitboard,
    /// The distances around these pieces.
    pub(super) distances: Rc<Distances>,
}

impl Goal {
    /// Returns the case itself as a goal, regardless of its en passant square.
    pub(super) fn of(case: &Case) -> Option<Goal> {
        Goal::after(case, Vec::new(), None)
    }

    /// Returns goals, the nearest first, such that every game to the case reaches one of them. A
    /// check, an en passant square and insufficient material reveal the last move, so that move is
    /// taken back.
    pub(super) fn all(case: &Case, budget: &mut Budget<'_>) -> Vec<Goal> {
        let start = Position::start();
        let mut goals: Vec<(u32, Goal)> = Vec::new();
        let mut open = VecDeque::from([(*case, Vec::new())]);
        while let Some((case, moves)) = open.pop_front().filter(|_| goals.len() < MAX_GOALS) {
            if !budget.spend() {
                break;
            }
            if tells_last_move(&case) && moves.len() < MAX_TAKEN_BACK {
                let earlier = last_moves(&case).filter(|(earlier, _)| !earlier.is_dead());
                open.extend(earlier.map(|(earlier, mv)| (earlier, [&[mv], &moves[..]].concat())));
                continue;
            }
            let goal = Goal::after(&case, moves, goals.last().map(|(_, goal)| goal));
            let Some(goal) = goal else { continue };
            let estimate = Estimate::new(&goal, 1).of(&start);
            goals.extend(estimate.map(|estimate| (estimate, goal)));
        }
        goals.sort_by_key(|(estimate, _)| *estimate);
        goals.into_iter().map(|(_, goal)| goal).collect()
    }

    /// Appends the last moves to a game that reaches this goal.
    pub(super) fn ended(&self, mut game: Vec<Move>) -> Vec<Move> {
        game.extend(&self.last_moves);
        game
    }

    fn after(case: &Case, last_moves: Vec<Move>, other: Option<&Goal>) -> Option<Goal> {
        let position = case.setup.position().ok()?;
        let unmoved = case.unmoved();
        let distances = match other.filter(|other| other.unmoved == unmoved) {
            Some(other) => Rc::clone(&other.distances),
            None => Rc::new(Distances::around(unmoved, position.pieces())),
        };
        Some(Goal { position, last_moves, unmoved, distances })
    }

    /// Returns the squares of a piece in the wanted position.
    #[inline]
    pub(super) fn piece(&self, piece: Piece) -> Bitboard {
        self.position.pieces().piece(piece)
    }

    /// Returns whether there are more pieces of some kind than at the start.
    pub(super) fn has_promoted(&self) -> bool {
        let start = Position::start();
        [Bitboard::LIGHT, Bitboard::DARK].into_iter().any(|squares| {
            Color::ALL.into_iter().any(|color| {
                [Role::Knight, Role::Bishop, Role::Rook, Role::Queen].into_iter().any(|role| {
                    // Only bishops keep the color of their squares.
                    let squares = if role == Role::Bishop { squares } else { Bitboard::FULL };
                    let count = |position: &Position| {
                        (position.pieces().piece(Piece { color, role }) & squares).count()
                    };
                    count(&self.position) > count(&start)
                })
            })
        })
    }

    /// Returns whether a position is the goal. A position that allows an en passant capture is a
    /// different one, unless there are moves to come.
    pub(super) fn is_reached(&self, position: &Position) -> bool {
        position.turn() == self.position.turn()
            && position.pieces() == self.position.pieces()
            && position.castling_rooks() == self.position.castling_rooks()
            && (!self.last_moves.is_empty() || position.en_passant().is_none())
    }
}

/// Returns the cases from which one move leads to a case, with that move. A double step that
/// allows an en passant capture leads to a different position if the case has no en passant
/// square.
fn last_moves(case: &Case) -> impl Iterator<Item = (Case, Move)> {
    let after = case.setup.position().ok();
    retro::predecessors(case).map(|(retro_move, before)| (before, retro_move.mv)).filter(
        move |&(before, mv)| {
            let reached = before.setup.position().ok().and_then(|position| position.play(mv).ok());
            reached.is_some() && reached == after
        },
    )
}

fn tells_last_move(case: &Case) -> bool {
    let is_check = case.setup.position().is_ok_and(|position| position.is_check());
    is_check || case.setup.en_passant.is_some() || case.is_dead()
}
