//! Who was captured where, and by how many pawns.
//!
//! A captured officer died on a square it could get to, a captured pawn on a square of its cone
//! or, promoted, anywhere but on a steady man's square. Both are too many squares rather than too
//! few. Pawns capture only where somebody can have died. If the pawns of one side need as many captures as there were men for them to
//! capture, then all of these were captured by pawns, on the squares where pawns capture on their
//! cheapest ways.
//!
//! The square of a pawn captured in passing is taken to be the one it passed over, where the
//! capturing pawn arrives: that square is in the cone too.

use castellan_rules::{Bitboard, Color, Piece, Rank, Role, Square, attacks};

use super::History;
use super::assignment::{MEN, NEVER};
use super::ground::Ground;
use super::side::{FIRST_PAWN, Side, start_role, start_square};
use super::track::{MAX_STAGES, Track, indices, step, strike};
use super::travel::{Levels, MAX_CAPTURES, flood, pawn_backwards, pawn_forwards};

impl History {
    /// Narrows where men were captured and how many of them by pawns. True if that is news.
    ///
    /// What may have happened is found for both sides before it is used for either.
    pub(super) fn narrow_victims(&mut self) -> bool {
        self.find_ways();
        let is_found = Color::ALL.map(|color| self.find_graves(color));
        let is_reached = Color::ALL.map(|color| self.find_killers(color));
        let is_prey = Color::ALL.map(|color| self.find_prey(color));
        let is_counted = Color::ALL.map(|color| self.count_captures(color));
        [is_found, is_reached, is_prey, is_counted].as_flattened().contains(&true)
    }

    /// Counts the men of a colour that pawns can have captured.
    fn count_captures(&mut self, color: Color) -> bool {
        let hunted = self.hunted_squares(!color);
        let side = &self.sides[color.index()];
        let is_safe = |man: usize| side.is_captured(man) && (side.graves[man] & hunted).is_empty();
        let safe: u16 = (0..MEN).filter(|&man| is_safe(man)).fold(0, |set, man| set | 1 << man);
        let hunter = (!color).index();
        let captures = (MEN - side.len).saturating_sub(safe.count_ones() as usize);
        let mut is_news = captures < self.ground.captures[hunter];
        self.ground.captures[hunter] = captures.min(self.ground.captures[hunter]);
        if self.sides[hunter].needed == captures {
            is_news |= self.bury_all(color, safe, hunted);
        }
        is_news
    }

    /// Finds the ways of all pawns of the start.
    fn find_ways(&mut self) {
        for side in &mut self.sides {
            for (index, ways) in side.forwards.iter_mut().enumerate() {
                let home = start_square(side.color, FIRST_PAWN + index);
                *ways = ways_of_pawn(&self.ground, side.color, home);
            }
        }
    }

    /// Finds where the men that may be missing can have been, and what it cost the pawns.
    fn find_graves(&mut self, color: Color) -> bool {
        let History { ground, sides, .. } = self;
        let side = &mut sides[color.index()];
        let mut is_news = false;
        for man in 0..MEN {
            if !side.may_be_captured(man) {
                continue;
            }
            if man < FIRST_PAWN {
                side.graves[man] &= side.reach[man];
            } else {
                is_news |= bury_pawn(ground, side, man);
            }
            if side.graves[man].is_empty() {
                is_news |= side.raise_capture(man, NEVER);
            }
        }
        is_news
    }

    /// Nobody was captured where no enemy could come.
    fn find_killers(&mut self, color: Color) -> bool {
        let hunter = &self.sides[(!color).index()];
        let last_rank = Bitboard::rank(Rank::Eighth.relative_to(!color));
        let mut reach = hunter.reach.iter().fold(Bitboard::EMPTY, |all, &reach| all | reach);
        for ways in &hunter.forwards {
            let been = ways[MAX_CAPTURES];
            reach |= if (been & last_rank).any() { Bitboard::FULL } else { strike(been, !color) };
        }
        let side = &mut self.sides[color.index()];
        let mut is_news = false;
        for man in (0..MEN).filter(|_| reach != Bitboard::FULL) {
            if side.may_be_captured(man) {
                is_news |= (side.graves[man] & !reach).any();
                side.graves[man] &= reach;
                if side.graves[man].is_empty() {
                    is_news |= side.raise_capture(man, NEVER);
                }
            }
        }
        is_news
    }

    /// Pawns of the other colour capture only where one of these men can have died.
    fn find_prey(&mut self, color: Color) -> bool {
        let side = &self.sides[color.index()];
        let may_die = (0..MEN).filter(|&man| side.may_be_captured(man));
        let graves = may_die.fold(Bitboard::EMPTY, |set, man| set | side.graves[man]);
        let prey = &mut self.ground.prey[(!color).index()];
        let is_news = (*prey & !graves).any();
        *prey &= graves;
        is_news
    }

    /// Where the pawns of a colour can have captured at all.
    pub(super) fn hunted_squares(&self, color: Color) -> Bitboard {
        let side = &self.sides[color.index()];
        let prey = self.ground.prey[color.index()];
        let mut hunted = Bitboard::EMPTY;
        for man in FIRST_PAWN..MEN {
            let forwards = &side.forwards[man - FIRST_PAWN];
            for place in 0..side.len {
                if side.costs[place][man] < NEVER {
                    let most = side.most[place][man];
                    hunted |= struck(forwards, &side.backwards[place], most, color) & prey;
                }
            }
            if side.may_be_captured(man) {
                let backwards = &side.lost_backwards[man - FIRST_PAWN];
                hunted |= struck(forwards, backwards, side.most[MEN - 1][man], color) & prey;
            }
        }
        hunted
    }

    /// Says that all captured men but the safe ones were captured by pawns on these squares.
    fn bury_all(&mut self, color: Color, safe: u16, hunted: Bitboard) -> bool {
        let mut is_news = false;
        for man in 0..MEN {
            let side = &self.sides[color.index()];
            if safe >> man & 1 == 1 || !side.may_be_captured(man) {
                continue;
            }
            let mut graves = hunted & side.graves[man];
            if man >= FIRST_PAWN && graves.any() {
                graves &= self.meetings(color, man);
            }
            let side = &mut self.sides[color.index()];
            is_news |= graves != side.graves[man];
            side.graves[man] = graves;
            if graves.is_empty() {
                is_news |= side.raise_capture(man, NEVER);
            }
        }
        is_news
    }

    /// Where some pawn of the other colour can have met this one, each with its own way in mind.
    fn meetings(&self, color: Color, man: usize) -> Bitboard {
        let hunter = &self.sides[(!color).index()];
        let mut met = Bitboard::EMPTY;
        for (place, square, role) in hunter.on_board() {
            if !hunter.may_be_pawn(place) || self.ground.steady.contains(square) {
                continue;
            }
            match self.track_of(!color, place) {
                Some(track) if role == Role::Pawn => met |= self.met_on(&track, color, man),
                _ => return Bitboard::FULL,
            }
        }
        let may_have_died = (FIRST_PAWN..MEN).any(|pawn| hunter.may_be_captured(pawn));
        if may_have_died { Bitboard::FULL } else { met }
    }

    /// Where the pawn of a track can have captured a man that was a pawn at the start.
    fn met_on(&self, track: &Track, color: Color, man: usize) -> Bitboard {
        let home = start_square(color, man);
        let staged = pawn_forwards(&self.ground, track, color, home, Bitboard::FULL);
        let last_rank = Bitboard::rank(Rank::Eighth.relative_to(color));
        let mut met = Bitboard::EMPTY;
        for (stage, ways) in track.stages().iter().zip(&staged) {
            let been = ways[MAX_CAPTURES];
            for next in indices(stage.strikes) {
                let target = track.stages()[next].square;
                let in_passing = step(target, color);
                if (been & (target | in_passing | last_rank)).any() {
                    met |= target;
                }
            }
        }
        met
    }
}

/// Where a pawn captures on ways from its start to a goal with so many captures at most.
pub(super) fn struck(forwards: &Levels, backwards: &Levels, most: u8, color: Color) -> Bitboard {
    let most = usize::from(most).min(MAX_CAPTURES);
    (0..most).fold(Bitboard::EMPTY, |set, before| {
        set | strike(forwards[before], color) & backwards[most - 1 - before]
    })
}

/// Where a pawn can have been, by captures, if it was not captured there.
fn ways_of_pawn(ground: &Ground, color: Color, home: Square) -> Levels {
    if ground.steady.contains(home) {
        return [Bitboard::of(home); MAX_CAPTURES + 1];
    }
    let stops = !ground.no_stop(color, Role::Pawn);
    pawn_forwards(ground, &Track::trivial(), color, home, stops)[0]
}

/// Where a pawn can have been captured, and the least captures of its own that it takes.
fn bury_pawn(ground: &Ground, side: &mut Side, man: usize) -> bool {
    let color = side.color;
    let forwards = side.forwards[man - FIRST_PAWN];
    let been = forwards[MAX_CAPTURES];
    let last_rank = Bitboard::rank(Rank::Eighth.relative_to(color));
    let promoted = been & last_rank;
    let prey = ground.prey[color.index()];
    let one_more = step(been, color) | strike(been, color) & prey;
    let reach = if promoted.any() { !ground.steady } else { (been | one_more) & !ground.steady };
    side.graves[man] &= reach;
    let mut goals = [Bitboard::EMPTY; MAX_STAGES];
    goals[0] = side.graves[man] & (been | one_more) | promoted;
    let backwards = pawn_backwards(ground, &Track::trivial(), color, &goals)[0];
    side.lost_backwards[man - FIRST_PAWN] = backwards;
    let home = start_square(color, man);
    let cost = backwards.iter().position(|set| set.contains(home));
    side.raise_capture(man, cost.map_or(NEVER, |cost| cost as u8))
}

/// Where an officer of the start can have been, if only to be captured there.
pub(super) fn reach_of_officer(ground: &Ground, color: Color, man: usize) -> Bitboard {
    let (role, home) = (start_role(man), start_square(color, man));
    if ground.steady.contains(home) {
        return Bitboard::of(home);
    }
    let blocked = ground.steady;
    let shunned = ground.no_stop(color, role);
    let reach = flood(role, Bitboard::of(home), blocked, !blocked & !shunned);
    if shunned.is_empty() || role == Role::King {
        return reach;
    }
    // A square where it could not stay is one where it could be captured.
    let piece = Piece { color, role };
    let is_entered = |&square: &Square| (attacks::of_piece(piece, square, blocked) & reach).any();
    reach | (shunned & !blocked).into_iter().filter(is_entered).collect()
}
