//! Finds which pieces can have been captured where, and how many of them by pawns.
//!
//! An officer was captured on a square it could reach; a pawn on a square of the cone ahead of it
//! or, if it was promoted first, anywhere but on the square of a steady piece. Both sets are too
//! large rather than too small. Pawns capture only where some piece can have been captured. If
//! the pawns of a side need as many captures as there were pieces for them to capture, then pawns
//! captured all of these pieces, on squares where pawns capture on their cheapest paths.
//!
//! A pawn captured en passant is treated as captured on the square it passed over, where the
//! capturing pawn arrives: that square is in the cone too.

use castellan_rules::{Bitboard, Color, Piece, Rank, Role, Square, attacks};

use super::History;
use super::assignment::{MEN, NEVER};
use super::ground::Ground;
use super::side::{FIRST_PAWN, Side, start_role, start_square};
use super::track::{MAX_STAGES, Track, indices, step, strike};
use super::travel::{Levels, MAX_CAPTURES, flood, pawn_backwards, pawn_forwards};

impl History {
    /// Narrows where pieces were captured and how many of them by pawns. Returns whether anything
    /// was ruled out.
    ///
    /// Each step is computed for both sides before the next one uses the result.
    pub(super) fn narrow_victims(&mut self) -> bool {
        self.find_ways();
        let is_found = Color::ALL.map(|color| self.find_graves(color));
        let is_reached = Color::ALL.map(|color| self.find_killers(color));
        let is_prey = Color::ALL.map(|color| self.find_prey(color));
        let is_counted = Color::ALL.map(|color| self.count_captures(color));
        [is_found, is_reached, is_prey, is_counted].as_flattened().contains(&true)
    }

    /// Counts how many pieces of a color pawns can have captured. Returns whether anything was
    /// ruled out.
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

    /// Finds the paths of all original pawns.
    fn find_ways(&mut self) {
        for side in &mut self.sides {
            for (index, ways) in side.forwards.iter_mut().enumerate() {
                let home = start_square(side.color, FIRST_PAWN + index);
                *ways = ways_of_pawn(&self.ground, side.color, home);
            }
        }
    }

    /// Finds where the pieces that may be missing can have been captured, and how many captures
    /// of their own that took the pawns.
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

    /// Rules out capture squares that no enemy piece could reach.
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

    /// Restricts the captures of the enemy pawns to squares where a piece of this color can have
    /// been captured.
    fn find_prey(&mut self, color: Color) -> bool {
        let side = &self.sides[color.index()];
        let may_die = (0..MEN).filter(|&man| side.may_be_captured(man));
        let graves = may_die.fold(Bitboard::EMPTY, |set, man| set | side.graves[man]);
        let prey = &mut self.ground.prey[(!color).index()];
        let is_news = (*prey & !graves).any();
        *prey &= graves;
        is_news
    }

    /// Returns the squares where the pawns of a color can have captured at all.
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

    /// Records that pawns captured all missing pieces except the safe ones, on the hunted
    /// squares.
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

    /// Returns where some enemy pawn can have captured this pawn, taking the track of each into
    /// account.
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

    /// Returns where the pawn of a track can have captured an original pawn.
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

/// Returns where a pawn captures on paths from its start to a goal with at most `most` captures.
pub(super) fn struck(forwards: &Levels, backwards: &Levels, most: u8, color: Color) -> Bitboard {
    let most = usize::from(most).min(MAX_CAPTURES);
    (0..most).fold(Bitboard::EMPTY, |set, before| {
        set | strike(forwards[before], color) & backwards[most - 1 - before]
    })
}

/// Returns where a pawn can have been without being captured there, by number of captures.
fn ways_of_pawn(ground: &Ground, color: Color, home: Square) -> Levels {
    if ground.steady.contains(home) {
        return [Bitboard::of(home); MAX_CAPTURES + 1];
    }
    let stops = !ground.no_stop(color, Role::Pawn);
    pawn_forwards(ground, &Track::trivial(), color, home, stops)[0]
}

/// Finds where a pawn can have been captured and how many captures of its own that takes at
/// least. Returns whether the cost rose.
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

/// Returns where an original officer can have been, even if only to be captured there.
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
    // It could not stay on a shunned square, but it could be captured there.
    let piece = Piece { color, role };
    let is_entered = |&square: &Square| (attacks::of_piece(piece, square, blocked) & reach).any();
    reach | (shunned & !blocked).into_iter().filter(is_entered).collect()
}
