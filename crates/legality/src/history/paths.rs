//! Finds the paths that led to the pieces on the board, and how many captures they cost.
//!
//! Each piece on the board is traced back to where it can have come from: on the bare board, then
//! in the product with the track of each other pawn, then with two tracks at once. A path that is
//! missing in one of these products was never taken, so the cost of a pair is the maximum over
//! all of them.

use castellan_rules::{Bitboard, Color, Piece, Rank, Role};

use super::History;
use super::assignment::{IMPOSSIBLE, PIECES_PER_SIDE};
use super::side::{FIRST_PAWN, start_role, start_square};
use super::track::{MAX_STAGES, Track, TrackStage, attack, step};
use super::travel::{Levels, MAX_CAPTURES, flood, officer_backwards, pawn_backwards};

impl History {
    /// Traces every piece back with the track of each other pawn in mind. Returns whether a cost
    /// rose.
    pub(super) fn travel_along(&mut self, tracks: &[Track]) -> bool {
        let hindered = self.hindered_by(tracks);
        let mut changed = false;
        for track in tracks {
            changed |= self.travel(track, hindered);
        }
        changed
    }

    /// Does the same with two tracks at once, if both are short and close to each other.
    pub(super) fn travel_along_pairs(&mut self, tracks: &[Track]) -> bool {
        let short: Vec<Track> = tracks.iter().filter(|track| track.is_short()).cloned().collect();
        let hindered = self.hindered_by(&short);
        if hindered == [0; 2] {
            return false;
        }
        let mut changed = false;
        for (index, one) in short.iter().enumerate() {
            let near = one.surroundings();
            for other in short[index + 1..].iter().filter(|other| other.touches(near)) {
                if let Some(track) = one.joined(other) {
                    changed |= self.travel(&track, hindered);
                }
            }
        }
        changed
    }

    /// Returns, by color, the places of those pieces that would be hindered if all squares of the
    /// tracks were blocked all the time. The other pieces need none of these squares.
    fn hindered_by(&self, tracks: &[Track]) -> [u16; 2] {
        Color::ALL.map(|color| {
            let mut hindered = 0;
            for (place, square, _) in self.sides[color.index()].on_board() {
                let others = tracks.iter().filter(|track| !track.present().contains(square));
                let wall =
                    others.fold(TrackStage::NOTHING, |wall, track| wall.with_wall(&track.wall));
                let wall = Track::constant(wall);
                let is_steady = self.obstacles.unmoved.contains(square);
                if !is_steady
                    && self.is_raised(color, place, &self.costs_along(&wall, color, place).0)
                {
                    hindered |= 1 << place;
                }
            }
            hindered
        })
    }

    /// Returns the tracks of all pieces on the board that have one.
    pub(super) fn tracks(&self) -> impl Iterator<Item = Track> {
        Color::ALL.into_iter().flat_map(move |color| {
            (0..self.sides[color.index()].len).filter_map(move |place| self.track_of(color, place))
        })
    }

    /// Returns the track of a pawn that has moved, or of a piece that stands where it was
    /// promoted. Returns `None` for any other piece, or if the track is too long.
    pub(super) fn track_of(&self, color: Color, place: usize) -> Option<Track> {
        let side = &self.sides[color.index()];
        let (square, role) = side.pieces[place];
        if self.obstacles.unmoved.contains(square) {
            return None;
        }
        if role != Role::Pawn {
            return self.track_of_promoted(color, place);
        }
        let mut used = Bitboard::EMPTY;
        for original in FIRST_PAWN..PIECES_PER_SIDE {
            if side.costs[place][original] < IMPOSSIBLE {
                let most = usize::from(side.max_captures[place][original]).min(MAX_CAPTURES);
                let forwards = &side.forwards[original - FIRST_PAWN];
                for (before, &squares) in forwards.iter().enumerate().take(most + 1) {
                    used |= squares & side.backwards[place][most - before];
                }
            }
        }
        Track::of_pawn(color, used, square, self.obstacles.capture_targets[color.index()])
    }

    /// Returns the track of a piece that is locked in where it was promoted.
    fn track_of_promoted(&self, color: Color, place: usize) -> Option<Track> {
        let (obstacles, side) = (&self.obstacles, &self.sides[color.index()]);
        let (square, role) = side.pieces[place];
        let here = Bitboard::of(square);
        let is_promoted = side.costs[place][..FIRST_PAWN].iter().all(|&cost| cost >= IMPOSSIBLE);
        let is_free = || flood(role, here, obstacles.unmoved, !obstacles.unmoved) != here;
        if !is_promoted || is_free() {
            return None;
        }
        let sides = if obstacles.capture_targets[color.index()].contains(square) {
            here
        } else {
            Bitboard::EMPTY
        };
        let from = (step(here, !color) | attack(sides, !color)) & !obstacles.unmoved;
        Track::of_promoted(color, from, square)
    }

    /// Raises the costs of paths that a track does not leave open, for the given places only.
    /// Returns whether a cost rose.
    pub(super) fn travel(&mut self, track: &Track, asked: [u16; 2]) -> bool {
        let wall = (!track.is_trivial()).then(|| Track::constant(track.wall));
        let mut changed = false;
        for color in Color::ALL {
            for (place, square, _) in self.sides[color.index()].on_board() {
                let is_asked = asked[color.index()] >> place & 1 == 1;
                let is_own_track = track.present().contains(square);
                if !is_asked || is_own_track || self.obstacles.unmoved.contains(square) {
                    continue;
                }
                // A piece that needs none of the track's squares is not hindered by it.
                let is_free =
                    |wall| !self.is_raised(color, place, &self.costs_along(wall, color, place).0);
                if wall.as_ref().is_some_and(is_free) {
                    continue;
                }
                let (costs, backwards) = self.costs_along(track, color, place);
                changed |= self.is_raised(color, place, &costs);
                let side = &mut self.sides[color.index()];
                for (original, cost) in costs.into_iter().enumerate() {
                    side.raise(place, original, cost);
                }
                if track.is_trivial() {
                    side.backwards[place] = backwards;
                }
            }
        }
        changed
    }

    /// Returns whether any of these costs exceeds the known cost for a place.
    fn is_raised(&self, color: Color, place: usize, costs: &[u8; PIECES_PER_SIDE]) -> bool {
        let known = &self.sides[color.index()].costs[place];
        costs.iter().zip(known).any(|(cost, known)| cost > known)
    }

    /// Returns what it costs each original piece to come to a place in the product with a track,
    /// and the squares from which a pawn gets there.
    fn costs_along(
        &self,
        track: &Track,
        color: Color,
        place: usize,
    ) -> ([u8; PIECES_PER_SIDE], Levels) {
        let side = &self.sides[color.index()];
        let (square, role) = side.pieces[place];
        let mut costs = [IMPOSSIBLE; PIECES_PER_SIDE];
        let mut goals = [Bitboard::EMPTY; MAX_STAGES];
        if role == Role::Pawn {
            goals[track.last()] = Bitboard::of(square);
        } else if !self.obstacles.is_check_by_unmoved(color, role, square) {
            goals = officer_backwards(&self.obstacles, track, Piece { color, role }, square);
            let been = track.at_start(&goals);
            for (original, cost) in costs.iter_mut().enumerate().take(FIRST_PAWN) {
                let is_home =
                    start_role(original) == role && been.contains(start_square(color, original));
                *cost = if is_home { 0 } else { IMPOSSIBLE };
            }
            let last_rank = Bitboard::rank(Rank::Eighth.relative_to(color));
            goals = goals.map(|set| set & last_rank);
        }
        let mut backwards = [Bitboard::EMPTY; MAX_CAPTURES + 1];
        if side.may_be_pawn(place) {
            let levels = pawn_backwards(&self.obstacles, track, color, &goals);
            let stages = track.stages().iter().zip(&levels).filter(|(stage, _)| stage.is_first);
            for (_, levels) in stages {
                backwards = std::array::from_fn(|captures| backwards[captures] | levels[captures]);
            }
            for (original, cost) in costs.iter_mut().enumerate().skip(FIRST_PAWN) {
                let home = start_square(color, original);
                let captures = backwards.iter().position(|set| set.contains(home));
                *cost = captures.map_or(IMPOSSIBLE, |captures| captures as u8);
            }
        }
        (costs, backwards)
    }
}
