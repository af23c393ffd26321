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
use super::assignment::{Assignment, MEN, NEVER};
use super::side::{FIRST_PAWN, Side};
use super::victims::struck;
use crate::{Code, Finding, Value};

/// The possible squares of each certain capture.
type Demands = Vec<Bitboard>;

impl History {
    /// Finds victims of a color for all demands of the other side. Returns whether that ruled
    /// anything out.
    pub(super) fn satisfy_demands(&mut self, color: Color) -> Result<bool, Finding> {
        let demands = self.demands_of(!color);
        let side = &mut self.sides[color.index()];
        let slots = MEN - side.len;
        let may_refuse = |squares: &Bitboard| {
            (0..MEN)
                .any(|man| side.may_be_captured(man) && (side.graves[man] & *squares).is_empty())
        };
        if demands.len() > slots || !demands.iter().any(may_refuse) {
            return Ok(false);
        }
        let mut costs = side.costs;
        for (row, squares) in costs[side.len..].iter_mut().zip(&demands) {
            for (cost, graves) in row.iter_mut().zip(side.graves) {
                *cost = if (graves & *squares).any() { *cost } else { NEVER };
            }
        }
        let captures = self.ground.captures[color.index()];
        let cheapest =
            Assignment::cheapest(&costs).filter(|found| usize::from(found.total) <= captures);
        let Some(cheapest) = cheapest else {
            let hunters = self.hunters(!color);
            let finding = Finding::new(Code::NoVictim, hunters)
                .with(Value::Color(!color))
                .with(Value::Squares(hunters))
                .with(Value::Number(demands.len() as u64));
            return Err(finding);
        };
        Ok(side.heed(&cheapest, captures, &demands))
    }

    /// Returns the pieces on the board that certainly were pawns of a color and captured
    /// something.
    fn hunters(&self, color: Color) -> Bitboard {
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
        for man in FIRST_PAWN..MEN {
            self.demand(side, man, &mut demands);
        }
        let others = side.needed.saturating_sub(demands.len());
        let hunted = self.hunted_squares(color);
        demands.extend(std::iter::repeat_n(hunted, others));
        demands
    }

    /// Adds the captures that one original pawn certainly made.
    fn demand(&self, side: &Side, man: usize, demands: &mut Demands) {
        let mut places = (0..side.len).filter(|&place| side.costs[place][man] < NEVER);
        let forwards = &side.forwards[man - FIRST_PAWN];
        let (place, backwards) = match (places.next(), places.next(), side.may_be_captured(man)) {
            (Some(place), None, false) => (place, &side.backwards[place]),
            (None, _, true) => (MEN - 1, &side.lost_backwards[man - FIRST_PAWN]),
            _ => return,
        };
        let prey = self.ground.prey[side.color.index()];
        let targets = struck(forwards, backwards, side.most[place][man], side.color) & prey;
        let count = demands.len();
        if place < side.len && side.men[place].1 == Role::Pawn {
            let (from, to) = (man - FIRST_PAWN, side.men[place].0.file().index());
            let crossed = if from < to { from + 1..to + 1 } else { to..from };
            demands.extend(File::ALL[crossed].iter().map(|&file| targets & Bitboard::file(file)));
        }
        let others = usize::from(side.costs[place][man]).saturating_sub(demands.len() - count);
        demands.extend(std::iter::repeat_n(targets, others));
    }
}

impl Side {
    /// Rules out pairs that have no assignment meeting the demands. Returns whether there were
    /// any.
    fn heed(&mut self, cheapest: &Assignment, captures: usize, demands: &Demands) -> bool {
        let is_possible =
            |place: usize, man: usize| usize::from(cheapest.total_with[place][man]) <= captures;
        let mut is_news = false;
        for man in 0..MEN {
            for place in (0..self.len).filter(|&place| !is_possible(place, man)) {
                is_news |= self.raise(place, man, NEVER);
            }
            if !(self.len..MEN).any(|place| is_possible(place, man)) {
                is_news |= self.raise_capture(man, NEVER);
            } else if self.len + demands.len() == MEN {
                // There are as many demands as captured pieces, so every captured piece met one
                // of them.
                let met =
                    (self.len..MEN).zip(demands).filter(|&(place, _)| is_possible(place, man));
                let met = met.fold(Bitboard::EMPTY, |all, (_, &squares)| all | squares);
                is_news |= (self.graves[man] & !met).any();
                self.graves[man] &= met;
            }
        }
        is_news
    }
}
