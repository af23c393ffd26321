//! Captures that pawns certainly made, and which pieces can have been the victims.
//!
//! A pawn whose final square is known made a capture onto each file between its start and its
//! end, and all the captures of its cheapest path. Together, the pawns made at least as many
//! captures as they need in total. Each of these captures is a demand: it needs a victim of its
//! own that can have been captured on one of its squares. The captured pieces are therefore
//! assigned once more, with some of their places reserved for pieces that can have been captured
//! on the squares of a demand. Pairs that occur in no such assignment are ruled out.

use castellan_rules::{Bitboard, Color, File, Role, Square};

use super::History;
use super::assignment::{Assignment, IMPOSSIBLE, PIECES_PER_SIDE};
use super::side::{FIRST_PAWN, Side};
use super::victims::captured_on;
use crate::{Code, Finding, Value};

/// The possible squares of each certain capture.
type Demands = Vec<Bitboard>;

impl History {
    /// Finds victims of a color for all demands of the other side. Returns whether that ruled
    /// anything out.
    pub(super) fn satisfy_demands(&mut self, color: Color) -> Result<bool, Finding> {
        let demands = self.demands_of(!color);
        let side = &mut self.sides[color.index()];
        let slots = PIECES_PER_SIDE - side.len;
        let may_refuse = |squares: &Bitboard| {
            (0..PIECES_PER_SIDE).any(|original| {
                side.may_be_captured(original)
                    && (side.capture_squares[original] & *squares).is_empty()
            })
        };
        if demands.len() > slots || !demands.iter().any(may_refuse) {
            return Ok(false);
        }
        let mut costs = side.costs;
        for (row, squares) in costs[side.len..].iter_mut().zip(&demands) {
            for (cost, capture_squares) in row.iter_mut().zip(side.capture_squares) {
                *cost = if (capture_squares & *squares).any() { *cost } else { IMPOSSIBLE };
            }
        }
        let captures = self.obstacles.captures[color.index()];
        let cheapest =
            Assignment::cheapest(&costs).filter(|found| usize::from(found.total) <= captures);
        let Some(cheapest) = cheapest else {
            let capturing_pawns = self.capturing_pawns(!color);
            let finding = Finding::new(Code::NoVictim, capturing_pawns)
                .with_value(Value::Color(!color))
                .with_value(Value::Squares(capturing_pawns))
                .with_value(Value::Number(demands.len() as u64));
            return Err(finding);
        };
        Ok(side.apply_demands(&cheapest, captures, &demands))
    }

    /// Returns the pieces on the board that certainly were pawns of a color and captured
    /// something.
    fn capturing_pawns(&self, color: Color) -> Bitboard {
        let side = &self.sides[color.index()];
        let is_hunter =
            |&(place, _, _): &(usize, Square, Role)| side.costs[place].iter().all(|&cost| cost > 0);
        side.on_board().filter(is_hunter).map(|(_, square, _)| square).collect()
    }

    /// Returns the captures that pawns of a color certainly made.
    fn demands_of(&self, color: Color) -> Demands {
        let side = &self.sides[color.index()];
        let mut demands = Demands::new();
        if side.needed == 0 {
            return demands;
        }
        for original in FIRST_PAWN..PIECES_PER_SIDE {
            self.demand(side, original, &mut demands);
        }
        let others = side.needed.saturating_sub(demands.len());
        let pawn_captures = self.pawn_capture_squares(color);
        demands.extend(std::iter::repeat_n(pawn_captures, others));
        demands
    }

    /// Adds the captures that one original pawn certainly made.
    fn demand(&self, side: &Side, original: usize, demands: &mut Demands) {
        let mut places = (0..side.len).filter(|&place| side.costs[place][original] < IMPOSSIBLE);
        let forwards = &side.forwards[original - FIRST_PAWN];
        let (place, backwards) =
            match (places.next(), places.next(), side.may_be_captured(original)) {
                (Some(place), None, false) => (place, &side.backwards[place]),
                (None, _, true) => {
                    (PIECES_PER_SIDE - 1, &side.lost_backwards[original - FIRST_PAWN])
                }
                _ => return,
            };
        let capture_targets = self.obstacles.capture_targets[side.color.index()];
        let targets =
            captured_on(forwards, backwards, side.max_captures[place][original], side.color)
                & capture_targets;
        let count = demands.len();
        if place < side.len && side.pieces[place].1 == Role::Pawn {
            let (from, to) = (original - FIRST_PAWN, side.pieces[place].0.file().index());
            let crossed = if from < to { from + 1..to + 1 } else { to..from };
            demands.extend(File::ALL[crossed].iter().map(|&file| targets & Bitboard::file(file)));
        }
        let others = usize::from(side.costs[place][original]).saturating_sub(demands.len() - count);
        demands.extend(std::iter::repeat_n(targets, others));
    }
}

impl Side {
    /// Rules out pairs that have no assignment meeting the demands. Returns whether there were
    /// any.
    fn apply_demands(&mut self, cheapest: &Assignment, captures: usize, demands: &Demands) -> bool {
        let is_possible = |place: usize, original: usize| {
            usize::from(cheapest.total_with[place][original]) <= captures
        };
        let mut changed = false;
        for original in 0..PIECES_PER_SIDE {
            for place in (0..self.len).filter(|&place| !is_possible(place, original)) {
                changed |= self.raise(place, original, IMPOSSIBLE);
            }
            if !(self.len..PIECES_PER_SIDE).any(|place| is_possible(place, original)) {
                changed |= self.raise_capture(original, IMPOSSIBLE);
            } else if self.len + demands.len() == PIECES_PER_SIDE {
                // There are as many demands as captured pieces, so every captured piece met one
                // of them.
                let met = (self.len..PIECES_PER_SIDE)
                    .zip(demands)
                    .filter(|&(place, _)| is_possible(place, original));
                let met = met.fold(Bitboard::EMPTY, |all, (_, &squares)| all | squares);
                changed |= (self.capture_squares[original] & !met).any();
                self.capture_squares[original] &= met;
            }
        }
        changed
    }
}
