//! Finds which pieces can have been captured where, and how many of them by pawns.
//!
//! An officer was captured on a square it could reach; a pawn on a square of the cone ahead of it
//! or, if it was promoted first, anywhere but on the square of an unmoved piece. Both sets may be
//! too large, but never too small. Pawns capture only where some piece can have been captured. If
//! the pawns of a side need as many captures as there were pieces for them to capture, then pawns
//! captured all of these pieces, on squares where pawns capture on their cheapest paths.
//!
//! A pawn captured en passant is treated as captured on the square it passed over, where the
//! capturing pawn arrives: that square is in the cone too.

use castellan_rules::{Bitboard, Color, Piece, Rank, Role, Square, attacks};

use super::History;
use super::assignment::{IMPOSSIBLE, PIECES_PER_SIDE};
use super::obstacles::Obstacles;
use super::side::{FIRST_PAWN, Side, start_role, start_square};
use super::track::{MAX_STAGES, Track, attack, indices, step};
use super::travel::{Levels, MAX_CAPTURES, flood, pawn_backwards, pawn_forwards};

impl History {
    /// Narrows where pieces were captured and how many of them by pawns. Returns whether anything
    /// was ruled out.
    ///
    /// Each step is computed for both sides before the next one uses the result.
    pub(super) fn narrow_victims(&mut self) -> bool {
        self.find_paths();
        let is_found = Color::ALL.map(|color| self.find_capture_squares(color));
        let is_reached = Color::ALL.map(|color| self.exclude_unreachable_captures(color));
        let has_targets = Color::ALL.map(|color| self.find_capture_targets(color));
        let is_counted = Color::ALL.map(|color| self.count_captures(color));
        [is_found, is_reached, has_targets, is_counted].as_flattened().contains(&true)
    }

    /// Counts how many pieces of a color pawns can have captured. Returns whether anything was
    /// ruled out.
    fn count_captures(&mut self, color: Color) -> bool {
        let pawn_captures = self.pawn_capture_squares(!color);
        let side = &self.sides[color.index()];
        let is_safe = |original: usize| {
            side.is_captured(original)
                && (side.capture_squares[original] & pawn_captures).is_empty()
        };
        let safe: u16 = (0..PIECES_PER_SIDE)
            .filter(|&original| is_safe(original))
            .fold(0, |set, original| set | 1 << original);
        let capturer = (!color).index();
        let captures = (PIECES_PER_SIDE - side.len).saturating_sub(safe.count_ones() as usize);
        let mut changed = captures < self.obstacles.captures[capturer];
        self.obstacles.captures[capturer] = captures.min(self.obstacles.captures[capturer]);
        if self.sides[capturer].needed == captures {
            changed |= self.narrow_all_captures(color, safe, pawn_captures);
        }
        changed
    }

    /// Finds the paths of all original pawns.
    fn find_paths(&mut self) {
        for side in &mut self.sides {
            for (index, paths) in side.forwards.iter_mut().enumerate() {
                let home = start_square(side.color, FIRST_PAWN + index);
                *paths = paths_of_pawn(&self.obstacles, side.color, home);
            }
        }
    }

    /// Finds where the pieces that may be missing can have been captured, and how many captures
    /// of their own that took the pawns.
    fn find_capture_squares(&mut self, color: Color) -> bool {
        let History { obstacles, sides, .. } = self;
        let side = &mut sides[color.index()];
        let mut changed = false;
        for original in 0..PIECES_PER_SIDE {
            if !side.may_be_captured(original) {
                continue;
            }
            if original < FIRST_PAWN {
                side.capture_squares[original] &= side.reach[original];
            } else {
                changed |= narrow_pawn_captures(obstacles, side, original);
            }
            if side.capture_squares[original].is_empty() {
                changed |= side.raise_capture(original, IMPOSSIBLE);
            }
        }
        changed
    }

    /// Rules out capture squares that no enemy piece could reach.
    fn exclude_unreachable_captures(&mut self, color: Color) -> bool {
        let capturer = &self.sides[(!color).index()];
        let last_rank = Bitboard::rank(Rank::Eighth.relative_to(!color));
        let mut reach = capturer.reach.iter().fold(Bitboard::EMPTY, |all, &reach| all | reach);
        for paths in &capturer.forwards {
            let been = paths[MAX_CAPTURES];
            reach |= if (been & last_rank).any() { Bitboard::FULL } else { attack(been, !color) };
        }
        let side = &mut self.sides[color.index()];
        let mut changed = false;
        for original in (0..PIECES_PER_SIDE).filter(|_| reach != Bitboard::FULL) {
            if side.may_be_captured(original) {
                changed |= (side.capture_squares[original] & !reach).any();
                side.capture_squares[original] &= reach;
                if side.capture_squares[original].is_empty() {
                    changed |= side.raise_capture(original, IMPOSSIBLE);
                }
            }
        }
        changed
    }

    /// Restricts the captures of the enemy pawns to squares where a piece of this color can have
    /// been captured.
    fn find_capture_targets(&mut self, color: Color) -> bool {
        let side = &self.sides[color.index()];
        let may_die = (0..PIECES_PER_SIDE).filter(|&original| side.may_be_captured(original));
        let capture_squares =
            may_die.fold(Bitboard::EMPTY, |set, original| set | side.capture_squares[original]);
        let capture_targets = &mut self.obstacles.capture_targets[(!color).index()];
        let changed = (*capture_targets & !capture_squares).any();
        *capture_targets &= capture_squares;
        changed
    }

    /// Returns the squares where the pawns of a color can have captured at all.
    pub(super) fn pawn_capture_squares(&self, color: Color) -> Bitboard {
        let side = &self.sides[color.index()];
        let capture_targets = self.obstacles.capture_targets[color.index()];
        let mut pawn_captures = Bitboard::EMPTY;
        for original in FIRST_PAWN..PIECES_PER_SIDE {
            let forwards = &side.forwards[original - FIRST_PAWN];
            for place in 0..side.len {
                if side.costs[place][original] < IMPOSSIBLE {
                    let most = side.max_captures[place][original];
                    pawn_captures |= captured_on(forwards, &side.backwards[place], most, color)
                        & capture_targets;
                }
            }
            if side.may_be_captured(original) {
                let backwards = &side.lost_backwards[original - FIRST_PAWN];
                pawn_captures |= captured_on(
                    forwards,
                    backwards,
                    side.max_captures[PIECES_PER_SIDE - 1][original],
                    color,
                ) & capture_targets;
            }
        }
        pawn_captures
    }

    /// Records that pawns captured all missing pieces except the safe ones, on the given
    /// squares.
    fn narrow_all_captures(&mut self, color: Color, safe: u16, pawn_captures: Bitboard) -> bool {
        let mut changed = false;
        for original in 0..PIECES_PER_SIDE {
            let side = &self.sides[color.index()];
            if safe >> original & 1 == 1 || !side.may_be_captured(original) {
                continue;
            }
            let mut capture_squares = pawn_captures & side.capture_squares[original];
            if original >= FIRST_PAWN && capture_squares.any() {
                capture_squares &= self.meetings(color, original);
            }
            let side = &mut self.sides[color.index()];
            changed |= capture_squares != side.capture_squares[original];
            side.capture_squares[original] = capture_squares;
            if capture_squares.is_empty() {
                changed |= side.raise_capture(original, IMPOSSIBLE);
            }
        }
        changed
    }

    /// Returns where some enemy pawn can have captured this pawn, taking the track of each into
    /// account.
    fn meetings(&self, color: Color, original: usize) -> Bitboard {
        let capturer = &self.sides[(!color).index()];
        let mut met = Bitboard::EMPTY;
        for (place, square, role) in capturer.on_board() {
            if !capturer.may_be_pawn(place) || self.obstacles.unmoved.contains(square) {
                continue;
            }
            match self.track_of(!color, place) {
                Some(track) if role == Role::Pawn => met |= self.met_on(&track, color, original),
                _ => return Bitboard::FULL,
            }
        }
        let may_have_died =
            (FIRST_PAWN..PIECES_PER_SIDE).any(|pawn| capturer.may_be_captured(pawn));
        if may_have_died { Bitboard::FULL } else { met }
    }

    /// Returns where the pawn of a track can have captured an original pawn.
    fn met_on(&self, track: &Track, color: Color, original: usize) -> Bitboard {
        let home = start_square(color, original);
        let staged = pawn_forwards(&self.obstacles, track, color, home, Bitboard::FULL);
        let last_rank = Bitboard::rank(Rank::Eighth.relative_to(color));
        let mut met = Bitboard::EMPTY;
        for (stage, paths) in track.stages().iter().zip(&staged) {
            let been = paths[MAX_CAPTURES];
            for next in indices(stage.attacks_to) {
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
pub(super) fn captured_on(
    forwards: &Levels,
    backwards: &Levels,
    most: u8,
    color: Color,
) -> Bitboard {
    let most = usize::from(most).min(MAX_CAPTURES);
    (0..most).fold(Bitboard::EMPTY, |set, before| {
        set | attack(forwards[before], color) & backwards[most - 1 - before]
    })
}

/// Returns where a pawn can have been without being captured there, by number of captures.
fn paths_of_pawn(obstacles: &Obstacles, color: Color, home: Square) -> Levels {
    if obstacles.unmoved.contains(home) {
        return [Bitboard::of(home); MAX_CAPTURES + 1];
    }
    let stops = !obstacles.no_stop(color, Role::Pawn);
    pawn_forwards(obstacles, &Track::trivial(), color, home, stops)[0]
}

/// Finds where a pawn can have been captured and how many captures of its own that takes at
/// least. Returns whether the cost rose.
fn narrow_pawn_captures(obstacles: &Obstacles, side: &mut Side, original: usize) -> bool {
    let color = side.color;
    let forwards = side.forwards[original - FIRST_PAWN];
    let been = forwards[MAX_CAPTURES];
    let last_rank = Bitboard::rank(Rank::Eighth.relative_to(color));
    let promoted = been & last_rank;
    let capture_targets = obstacles.capture_targets[color.index()];
    let one_more = step(been, color) | attack(been, color) & capture_targets;
    let reach =
        if promoted.any() { !obstacles.unmoved } else { (been | one_more) & !obstacles.unmoved };
    side.capture_squares[original] &= reach;
    let mut goals = [Bitboard::EMPTY; MAX_STAGES];
    goals[0] = side.capture_squares[original] & (been | one_more) | promoted;
    let backwards = pawn_backwards(obstacles, &Track::trivial(), color, &goals)[0];
    side.lost_backwards[original - FIRST_PAWN] = backwards;
    let home = start_square(color, original);
    let cost = backwards.iter().position(|set| set.contains(home));
    side.raise_capture(original, cost.map_or(IMPOSSIBLE, |cost| cost as u8))
}

/// Returns where an original officer can have been, even if only to be captured there.
pub(super) fn reach_of_officer(obstacles: &Obstacles, color: Color, original: usize) -> Bitboard {
    let (role, home) = (start_role(original), start_square(color, original));
    if obstacles.unmoved.contains(home) {
        return Bitboard::of(home);
    }
    let blocked = obstacles.unmoved;
    let forbidden_stops = obstacles.no_stop(color, role);
    let reach = flood(role, Bitboard::of(home), blocked, !blocked & !forbidden_stops);
    if forbidden_stops.is_empty() || role == Role::King {
        return reach;
    }
    // It could not stay on a forbidden square, but it could be captured there.
    let piece = Piece { color, role };
    let is_entered = |&square: &Square| (attacks::of_piece(piece, square, blocked) & reach).any();
    reach | (forbidden_stops & !blocked).into_iter().filter(is_entered).collect()
}
