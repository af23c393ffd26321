//! Estimates how far a position is from the goal: a guess that guides the search, not a bound.

use castellan_rules::{Bitboard, Color, Piece, Position, Role, Square};

use super::distances::NEVER;
use super::goal::Goal;
use super::need::NeedCalculator;

/// An estimator of the distance to a goal, with caches.
pub(super) struct Estimate<'g> {
    goal: &'g Goal,
    needs: NeedCalculator<'g>,
    /// The extra weight of each pawn move.
    pawn_move: u32,
}

/// The weight of a move toward a capture, where a move of a piece to its own destination counts
/// one. It is higher so that a piece leaves its square for a capture.
const APPROACH: u32 = 2;
/// The extra weight of each capture still to be made.
const CAPTURE: u32 = 2;
/// The extra weight of each capture that a pawn has to make: pieces can wait, but pawns cannot go
/// back.
const PAWN_CAPTURE: u32 = 4;
/// The weight of two pawns that block each other permanently.
const CONFLICT: u32 = 8;
/// The distance beyond which pieces are not distinguished.
const FAR: u8 = 6;

impl<'g> Estimate<'g> {
    pub(super) fn new(goal: &'g Goal, places: usize) -> Estimate<'g> {
        // If pawns have to promote, they go first, before the pieces are in their way.
        let pawn_move = u32::from(goal.has_promoted());
        Estimate { goal, needs: NeedCalculator::new(goal, places), pawn_move }
    }

    /// Returns a number that falls on the way to the goal, or `None` if there is no way.
    pub(super) fn of(&mut self, position: &Position) -> Option<u32> {
        let plan = self.needs.plan(position)?;
        let captures: u32 = Color::ALL
            .map(|color| {
                let victims = plan.spare[(!color).index()];
                let capture_squares = plan.pawns.capture_squares(color);
                self.captures(position, color, victims)
                    + self.pawn_captures(position, color, capture_squares, victims)
            })
            .iter()
            .sum();
        let pawns = self.pawn_move * plan.pawns.moves();
        Some(plan.moves + pawns + captures + CONFLICT * u32::from(plan.pawns.conflicts))
    }

    /// Returns what it takes a side to capture the spare pieces of the other.
    fn captures(&self, position: &Position, color: Color, victims: Bitboard) -> u32 {
        let each = |victim| {
            let near = self.nearest(position, color, position.color(color), victim);
            CAPTURE + APPROACH * u32::from(near.clamp(1, FAR) - 1)
        };
        victims.into_iter().map(each).sum()
    }

    /// Returns what it takes to bring spare pieces of the other side in front of the pawns of one
    /// side.
    fn pawn_captures(
        &self,
        position: &Position,
        color: Color,
        capture_squares: &[Bitboard],
        victims: Bitboard,
    ) -> u32 {
        let each = |&lane: &Bitboard| {
            let moves = lane.into_iter().map(|to| self.nearest(position, !color, victims, to));
            PAWN_CAPTURE + APPROACH * u32::from(moves.min().unwrap_or(FAR).min(FAR))
        };
        capture_squares.iter().map(each).sum()
    }

    /// Returns the fewest moves in which one of the given pieces of a side reaches a square.
    fn nearest(&self, position: &Position, color: Color, pieces: Bitboard, to: Square) -> u8 {
        let mut best = NEVER;
        for role in Role::ALL {
            let piece = Piece { color, role };
            for from in position.role(role) & pieces {
                let moves = if role == Role::Pawn {
                    self.pawn_moves(color, from, to)
                } else {
                    self.goal.distances.moves(piece, from, to)
                };
                best = best.min(moves);
            }
        }
        best
    }

    /// Returns the moves of a pawn, which reaches a square of another file only by capturing.
    fn pawn_moves(&self, color: Color, from: Square, to: Square) -> u8 {
        self.goal.distances.moves(Piece { color, role: Role::Pawn }, from, to)
    }
}
