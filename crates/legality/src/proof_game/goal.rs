//! The position that a game is wanted for, and what it says about every such game.

use std::collections::VecDeque;
use std::rc::Rc;

use castellan_rules::{Bitboard, Color, File, Move, Piece, Position, Rank, Role, Square};

use super::backwards::last_moves;
use super::distances::Distances;
use super::estimate::Estimate;
use crate::{Budget, Case};

/// How many plies a goal is taken back at most.
const MAX_TAKEN_BACK: usize = 4;
/// How many goals are collected for one case.
const MAX_GOALS: usize = 64;

/// Where a game is to end.
#[derive(Clone)]
pub(super) struct Goal {
    /// The wanted position, or one a few plies before it.
    pub(super) position: Position,
    /// The moves from there.
    pub(super) last_moves: Vec<Move>,
    /// The squares of men that never move in any game to the goal.
    pub(super) steady: Bitboard,
    /// The ways around these.
    pub(super) distances: Rc<Distances>,
}

impl Goal {
    /// The case itself as a goal, whatever its en passant square says.
    pub(super) fn of(case: &Case) -> Option<Goal> {
        Goal::after(case, Vec::new(), None)
    }

    /// The goals of which games to a case reach one, the nearest first. A check, an en passant
    /// square and a draw by material speak of the last move, so these are taken back.
    pub(super) fn all(case: &Case, budget: &mut Budget<'_>) -> Vec<Goal> {
        let start = Position::start();
        let mut goals: Vec<(u32, Goal)> = Vec::new();
        let mut open = VecDeque::from([(*case, Vec::new())]);
        while let Some((case, moves)) = open.pop_front().filter(|_| goals.len() < MAX_GOALS) {
            if !budget.spend() {
                break;
            }
            if tells_last_move(&case) && moves.len() < MAX_TAKEN_BACK {
                open.extend(
                    last_moves(&case)
                        .into_iter()
                        .filter(|(case, _)| !is_dead(case))
                        .map(|(earlier, mv)| (earlier, [&[mv], moves.as_slice()].concat())),
                );
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

    /// A game to this goal with its last moves.
    pub(super) fn ended(&self, mut game: Vec<Move>) -> Vec<Move> {
        game.extend(&self.last_moves);
        game
    }

    fn after(case: &Case, last_moves: Vec<Move>, other: Option<&Goal>) -> Option<Goal> {
        let position = case.setup.position().ok()?;
        let steady = steady(&position);
        let distances = match other.filter(|other| other.steady == steady) {
            Some(other) => Rc::clone(&other.distances),
            None => Rc::new(Distances::around(steady, position.pieces())),
        };
        Some(Goal { position, last_moves, steady, distances })
    }

    /// The squares of a piece in the wanted position.
    #[inline]
    pub(super) fn piece(&self, piece: Piece) -> Bitboard {
        self.position.pieces().piece(piece)
    }

    /// Whether there are more men of some kind than at the start.
    pub(super) fn has_promoted(&self) -> bool {
        let start = Position::start();
        [Bitboard::LIGHT, Bitboard::DARK].into_iter().any(|squares| {
            Color::ALL.into_iter().any(|color| {
                [Role::Knight, Role::Bishop, Role::Rook, Role::Queen].into_iter().any(|role| {
                    // Only bishops keep the colour of their squares.
                    let squares = if role == Role::Bishop { squares } else { Bitboard::FULL };
                    let count = |position: &Position| {
                        (position.pieces().piece(Piece { color, role }) & squares).count()
                    };
                    count(&self.position) > count(&start)
                })
            })
        })
    }

    /// Whether a position is the goal. One in which a pawn can be captured in passing is
    /// another one, unless there are moves to come.
    pub(super) fn is_reached(&self, position: &Position) -> bool {
        position.turn() == self.position.turn()
            && position.pieces() == self.position.pieces()
            && position.castling_rooks() == self.position.castling_rooks()
            && (!self.last_moves.is_empty() || position.en_passant().is_none())
    }
}

fn tells_last_move(case: &Case) -> bool {
    let is_check = case.setup.position().is_ok_and(|position| position.is_check());
    is_check || case.setup.en_passant.is_some() || is_dead(case)
}

/// Whether nobody has enough men for a mate, so that the game ended when this came about
/// (FIDE 5.2.2).
fn is_dead(case: &Case) -> bool {
    let pieces = &case.setup.pieces;
    let strong = pieces.role(Role::Pawn) | pieces.role(Role::Rook) | pieces.role(Role::Queen);
    let bishops = pieces.role(Role::Bishop);
    let is_one_color =
        (bishops & Bitboard::LIGHT).is_empty() || (bishops & Bitboard::DARK).is_empty();
    let knights = pieces.role(Role::Knight);
    strong.is_empty()
        && (knights.is_empty() && is_one_color || bishops.is_empty() && !knights.is_many())
}

/// The men that never moved: pawns on their second rank, kings and rooks that may castle, and
/// bishops that such pawns shut in at home.
fn steady(position: &Position) -> Bitboard {
    let mut steady = position.castling_rooks();
    for color in Color::ALL {
        let first = Rank::First.relative_to(color);
        let second = Rank::Second.relative_to(color);
        if (position.castling_rooks() & Bitboard::rank(first)).any() {
            steady = steady.with(position.king(color));
        }
        let own = |role| position.pieces().piece(Piece { color, role });
        let pawns = own(Role::Pawn) & Bitboard::rank(second);
        steady |= pawns;
        for (home, left, right) in [(File::C, File::B, File::D), (File::F, File::E, File::G)] {
            let is_shut_in = pawns.contains(Square::new(left, second))
                && pawns.contains(Square::new(right, second));
            let home = Square::new(home, first);
            if is_shut_in && own(Role::Bishop).contains(home) {
                steady = steady.with(home);
            }
        }
    }
    steady
}
