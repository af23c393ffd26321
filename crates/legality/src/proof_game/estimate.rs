//! How far a position seems to be from the goal: a guess that leads somewhere, not a bound.

use castellan_rules::{Bitboard, Color, Piece, Position, Role, Square};

use super::distances::NEVER;
use super::goal::Goal;
use super::need::Needs;

/// Guesses how far it is.
pub(super) struct Estimate<'g> {
    goal: &'g Goal,
    needs: Needs<'g>,
    /// What the move of a pawn counts besides.
    pawn_move: u32,
}

/// What a move of somebody towards a capture counts, where a move of a man to its own place
/// counts one: more, so that a man leaves its place for a capture.
const APPROACH: u32 = 2;
/// What an outstanding capture counts besides.
const CAPTURE: u32 = 2;
/// What an outstanding capture of a pawn counts besides: pieces can wait, pawns cannot go back.
const PAWN_CAPTURE: u32 = 4;
/// What two pawns count that are in each other's way for good.
const CONFLICT: u32 = 8;
/// Further than this nobody is looked for.
const FAR: u8 = 6;

impl<'g> Estimate<'g> {
    pub(super) fn new(goal: &'g Goal, places: usize) -> Estimate<'g> {
        // Where pawns have to be promoted they come first, before the pieces are in their way.
        let pawn_move = u32::from(goal.has_promoted());
        Estimate { goal, needs: Needs::new(goal, places), pawn_move }
    }

    /// A number that falls on the way to the goal; none if there is no way.
    pub(super) fn of(&mut self, position: &Position) -> Option<u32> {
        let outlook = self.needs.plan(position)?;
        let captures: u32 = Color::ALL
            .map(|color| {
                let victims = outlook.spare[(!color).index()];
                let lanes = outlook.pawns.lanes(color);
                self.captures(position, color, victims)
                    + self.pawn_captures(position, color, lanes, victims)
            })
            .iter()
            .sum();
        let pawns = self.pawn_move * outlook.pawns.moves();
        Some(outlook.moves + pawns + captures + CONFLICT * u32::from(outlook.pawns.conflicts))
    }

    /// What it takes a side to capture the spare men of the other.
    fn captures(&self, position: &Position, color: Color, victims: Bitboard) -> u32 {
        let each = |victim| {
            let near = self.nearest(position, color, position.color(color), victim);
            CAPTURE + APPROACH * u32::from(near.clamp(1, FAR) - 1)
        };
        victims.into_iter().map(each).sum()
    }

    /// What it takes to bring spare men of the other side in front of the pawns of one side.
    fn pawn_captures(
        &self,
        position: &Position,
        color: Color,
        lanes: &[Bitboard],
        victims: Bitboard,
    ) -> u32 {
        let each = |&lane: &Bitboard| {
            let moves = lane.into_iter().map(|to| self.nearest(position, !color, victims, to));
            PAWN_CAPTURE + APPROACH * u32::from(moves.min().unwrap_or(FAR).min(FAR))
        };
        lanes.iter().map(each).sum()
    }

    /// The fewest moves in which one of some men of a side comes to a square.
    fn nearest(&self, position: &Position, color: Color, men: Bitboard, to: Square) -> u8 {
        let mut best = NEVER;
        for role in Role::ALL {
            let piece = Piece { color, role };
            for from in position.role(role) & men {
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

    /// A pawn comes to a square of another file only by capturing.
    fn pawn_moves(&self, color: Color, from: Square, to: Square) -> u8 {
        self.goal.distances.moves(Piece { color, role: Role::Pawn }, from, to)
    }
}
