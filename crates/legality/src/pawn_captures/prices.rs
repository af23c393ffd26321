//! The prices of captures, and the resources at the start.
//!
//! The search treats every counter of the position, such as the captures that a side has made, as a
//! resource that captures use up.
//!
//! A counter that cannot run out is left out of all prices, so that resources that differ only
//! there are equal.

use castellan_rules::Color;

use super::crossing::{Crossing, Kind};
use super::goal::CaptureGoal;
use super::resources::{Counter, Resources};

/// The prices for one goal and a number of captures.
pub(super) struct CapturePrices {
    /// The resources at the start.
    pub(super) resources: Resources,
    /// The promotions required in the end.
    pub(super) wanted: Resources,
    /// The lowest price of capturing a piece or a pawn on any square, by the color of the
    /// capturer.
    cheapest: [[Resources; 2]; 2],
    /// The price of capturing a pawn, by the color of the capturer.
    pawns: [Resources; 2],
    /// The price of a pawn capturing a piece on a dark or a light square, by the color of the
    /// capturer.
    pieces: [[Resources; 2]; 2],
}

impl CapturePrices {
    /// Computes the prices if `captures` captures may be made in total. The squares where pieces
    /// are captured count only if they are known.
    pub(super) fn of(goal: &CaptureGoal, captures: u32, knows_squares: bool) -> CapturePrices {
        let mut prices = CapturePrices {
            resources: Resources::EMPTY.add_to(Counter::ALL_CAPTURES, captures),
            wanted: Resources::EMPTY,
            cheapest: [[Counter::ALL_CAPTURES.one(); 2]; 2],
            pawns: [Counter::ALL_CAPTURES.one(); 2],
            pieces: [[Counter::ALL_CAPTURES.one(); 2]; 2],
        };
        for color in Color::ALL {
            prices.price_captures(goal, color, captures);
            if knows_squares {
                prices.price_squares(goal, color, captures);
            }
            for is_light in [false, true] {
                let number = goal.bishops[color.index()][usize::from(is_light)];
                prices.wanted = prices.wanted.add_to(Counter::promotions(color, is_light), number);
            }
        }
        prices
    }

    /// Sets the prices of captures by a side.
    fn price_captures(&mut self, goal: &CaptureGoal, by: Color, captures: u32) {
        let side = by.index();
        let limit = goal.captures[side].min(captures);
        let [mut pawn, mut piece] = [self.pawns[side], self.pieces[side][0]];
        if limit < captures {
            let counter = Counter::captures(by);
            self.resources = self.resources.add_to(counter, limit);
            [pawn, piece] = [pawn.plus(counter.one()), piece.plus(counter.one())];
        }
        let spare = goal.spare_pawns[(!by).index()];
        if spare < limit {
            self.resources = self.resources.add_to(Counter::pawns(!by), spare);
            pawn = pawn.plus(Counter::pawns(!by).one());
        }
        self.cheapest[side] = [piece, pawn];
        self.pawns[side] = pawn;
        self.pieces[side] = [piece; 2];
    }

    /// Adds the price of squares for captures by a side if a bishop is among the captured pieces:
    /// that bishop was not captured on a square of the other color, and it was not a pawn.
    fn price_squares(&mut self, goal: &CaptureGoal, by: Color, captures: u32) {
        let side = by.index();
        for is_light in [false, true] {
            let elsewhere = goal.taken_bishops[(!by).index()][usize::from(!is_light)];
            let room = goal.captures[side] - elsewhere;
            if room < goal.captures[side].min(captures) {
                let counter = Counter::pieces(!by, is_light);
                self.resources = self.resources.add_to(counter, room);
                self.pawns[side] = self.pawns[side].plus(counter.one());
                let piece = &mut self.pieces[side][usize::from(is_light)];
                *piece = piece.plus(counter.one());
            }
        }
    }

    /// Returns the price of a pawn captured by a side.
    pub(super) fn pawn(&self, by: Color) -> Resources {
        self.pawns[by.index()]
    }

    /// Returns the lowest price of a pawn's capture on any rank.
    pub(super) fn cheapest(&self, crossing: Crossing) -> Resources {
        self.cheapest[crossing.color.index()][usize::from(crossing.kind == Kind::TakesPawn)]
    }

    /// Returns the price of a pawn's capture onto a file.
    pub(super) fn crossing(&self, crossing: Crossing, to: usize) -> Resources {
        let side = crossing.color.index();
        match crossing.kind {
            Kind::TakesPawn => self.pawns[side],
            Kind::TakesPiece | Kind::Promotes => {
                let is_light = (to + usize::from(crossing.landing)).is_multiple_of(2);
                self.pieces[side][usize::from(is_light)]
            }
        }
    }

    /// Returns what has been spent if `left` is left.
    pub(super) fn spent(&self, left: Resources) -> Resources {
        self.resources.minus(left.without_promotions())
    }

    /// Returns the promotions that are required beyond those already credited.
    pub(super) fn wanted_besides(&self, credited: Resources) -> Resources {
        self.wanted.minus(credited.promotions())
    }

    /// Adds a promotion on a file to the resources, as far as bishops require it.
    pub(super) fn credit(&self, resources: Resources, color: Color, file: usize) -> Resources {
        let is_light = (file + color.fold(7, 0)) % 2 == 1;
        let counter = Counter::promotions(color, is_light);
        if resources.get(counter) < self.wanted.get(counter) {
            resources.add_to(counter, 1)
        } else {
            resources
        }
    }
}
