//! The prices of captures, and the resources at the start.
//!
//! A lane that cannot run out is left out of all prices, so that purses that differ only there
//! are equal.

use castellan_rules::Color;

use super::crossing::{Crossing, Kind};
use super::goal::Goal;
use super::purse::{Lane, Purse};

/// The prices for one goal and a number of captures.
pub(super) struct Tariff {
    /// The resources at the start.
    pub(super) purse: Purse,
    /// The promotions required in the end.
    pub(super) wanted: Purse,
    /// The least price of capturing a piece or a pawn on any square, by the color of the
    /// capturer.
    least: [[Purse; 2]; 2],
    /// The price of capturing a pawn, by the color of the capturer.
    pawns: [Purse; 2],
    /// The price of a pawn capturing a piece on a dark or a light square, by the color of the
    /// capturer.
    pieces: [[Purse; 2]; 2],
}

impl Tariff {
    /// Computes the prices if `captures` captures may be made in total. The squares where pieces
    /// are captured count only if they are known.
    pub(super) fn of(goal: &Goal, captures: u32, knows_squares: bool) -> Tariff {
        let mut tariff = Tariff {
            purse: Purse::EMPTY.plus(Lane::ALL_CAPTURES, captures),
            wanted: Purse::EMPTY,
            least: [[Lane::ALL_CAPTURES.one(); 2]; 2],
            pawns: [Lane::ALL_CAPTURES.one(); 2],
            pieces: [[Lane::ALL_CAPTURES.one(); 2]; 2],
        };
        for color in Color::ALL {
            tariff.price_captures(goal, color, captures);
            if knows_squares {
                tariff.price_squares(goal, color, captures);
            }
            for is_light in [false, true] {
                let number = goal.bishops[color.index()][usize::from(is_light)];
                tariff.wanted = tariff.wanted.plus(Lane::promotions(color, is_light), number);
            }
        }
        tariff
    }

    /// Sets the prices of captures by a side.
    fn price_captures(&mut self, goal: &Goal, by: Color, captures: u32) {
        let side = by.index();
        let most = goal.captures[side].min(captures);
        let [mut pawn, mut piece] = [self.pawns[side], self.pieces[side][0]];
        if most < captures {
            let lane = Lane::captures(by);
            self.purse = self.purse.plus(lane, most);
            [pawn, piece] = [pawn.and(lane.one()), piece.and(lane.one())];
        }
        let spare = goal.spare_pawns[(!by).index()];
        if spare < most {
            self.purse = self.purse.plus(Lane::pawns(!by), spare);
            pawn = pawn.and(Lane::pawns(!by).one());
        }
        self.least[side] = [piece, pawn];
        self.pawns[side] = pawn;
        self.pieces[side] = [piece; 2];
    }

    /// Adds the price of squares for captures by a side if a bishop is among the captured pieces:
    /// that bishop was not captured on a square of the other color, and it was not a pawn.
    fn price_squares(&mut self, goal: &Goal, by: Color, captures: u32) {
        let side = by.index();
        for is_light in [false, true] {
            let elsewhere = goal.taken_bishops[(!by).index()][usize::from(!is_light)];
            let room = goal.captures[side] - elsewhere;
            if room < goal.captures[side].min(captures) {
                let lane = Lane::pieces(!by, is_light);
                self.purse = self.purse.plus(lane, room);
                self.pawns[side] = self.pawns[side].and(lane.one());
                let piece = &mut self.pieces[side][usize::from(is_light)];
                *piece = piece.and(lane.one());
            }
        }
    }

    /// Returns the price of a pawn captured by a side.
    pub(super) fn pawn(&self, by: Color) -> Purse {
        self.pawns[by.index()]
    }

    /// Returns the least price of a pawn's capture on any rank.
    pub(super) fn least(&self, crossing: Crossing) -> Purse {
        self.least[crossing.color.index()][usize::from(crossing.kind == Kind::TakesPawn)]
    }

    /// Returns the price of a pawn's capture onto a file.
    pub(super) fn crossing(&self, crossing: Crossing, to: usize) -> Purse {
        let side = crossing.color.index();
        match crossing.kind {
            Kind::TakesPawn => self.pawns[side],
            _ => {
                let is_light = (to + usize::from(crossing.landing)).is_multiple_of(2);
                self.pieces[side][usize::from(is_light)]
            }
        }
    }

    /// Returns what has been spent if `left` is left.
    pub(super) fn spent(&self, left: Purse) -> Purse {
        self.purse.less(left.without_promotions())
    }

    /// Returns the promotions that are required beyond those seen.
    pub(super) fn wanted_besides(&self, noted: Purse) -> Purse {
        self.wanted.less(noted.promotions())
    }

    /// Adds a promotion on a file to the purse, as far as bishops require it.
    pub(super) fn credit(&self, purse: Purse, color: Color, file: usize) -> Purse {
        let is_light = (file + color.fold(7, 0)) % 2 == 1;
        let lane = Lane::promotions(color, is_light);
        if purse.get(lane) < self.wanted.get(lane) { purse.plus(lane, 1) } else { purse }
    }
}
