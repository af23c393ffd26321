//! Matches the pawns of one side with their destinations.

use castellan_rules::{Bitboard, Color, Piece, Rank, Role, Square, attacks};

use super::distances::NEVER;
use super::goal::Goal;
use super::need::list;
use super::prices::{IMPOSSIBLE, MAX_SIZE, cheapest};
use crate::matching::Matching;

/// The cost of a pawn's capture in a plan, where a move costs one.
pub(super) const CAPTURE_PRICE: i32 = 3;

/// The pawns of a side and what is required of them.
#[derive(Clone, Copy)]
pub(super) struct PawnDemand {
    pub(super) pawns: Bitboard,
    /// How many pawns must promote anywhere, on light squares, and on dark squares.
    pub(super) promotions: [u8; 3],
    /// How many enemy pieces they can capture at most.
    pub(super) victims: u8,
}

impl PawnDemand {
    /// Packs everything but the pawns into twenty bits.
    pub(super) fn key(self) -> u64 {
        let numbers = self.promotions.into_iter().chain([self.victims]);
        numbers.fold(0, |key, number| key << 5 | u64::from(number))
    }
}

/// How many extra captures a pawn has to make on the path to a destination; by destination and
/// pawn.
pub(super) type Evasions = [[u8; 8]; 8];

/// The moves and the captures of a pawn to a destination.
pub(super) type Path = (i32, i32);

/// The pawns of a side and their destinations, without those that never move.
pub(super) struct PawnMatcher<'g> {
    goal: &'g Goal,
    pub(super) color: Color,
    pub(super) movable: Bitboard,
    pub(super) pawns: [Square; 64],
    /// For each destination, the acceptable squares: a single one, or several of the last rank.
    pub(super) places: [Bitboard; 8],
    place_count: usize,
    pub(super) victims: u8,
    /// The paths without evasions, by destination and pawn.
    pub(super) paths: [[Option<Path>; 8]; 8],
}

impl<'g> PawnMatcher<'g> {
    /// Returns `None` if a pawn wanted on its start square has left it.
    pub(super) fn of(goal: &'g Goal, color: Color, demand: PawnDemand) -> Option<PawnMatcher<'g>> {
        let wanted = goal.piece(Piece { color, role: Role::Pawn });
        let home = wanted & Bitboard::rank(Rank::Second.relative_to(color));
        if (home & !demand.pawns).any() {
            return None;
        }
        let last_rank = Bitboard::rank(Rank::Eighth.relative_to(color));
        let kinds = [Bitboard::FULL, Bitboard::LIGHT, Bitboard::DARK].into_iter();
        let promotions = kinds
            .zip(demand.promotions)
            .flat_map(|(squares, count)| std::iter::repeat_n(last_rank & squares, count.into()));
        let mut matcher = PawnMatcher {
            goal,
            color,
            movable: demand.pawns & !home,
            pawns: list(demand.pawns & !home),
            places: [Bitboard::EMPTY; 8],
            place_count: 0,
            victims: demand.victims,
            paths: [[None; 8]; 8],
        };
        for place in (wanted & !home).into_iter().map(Bitboard::of).chain(promotions) {
            *matcher.places.get_mut(matcher.place_count)? = place;
            matcher.place_count += 1;
        }
        for row in 0..matcher.place_count {
            for column in 0..matcher.movable.count().min(8) {
                matcher.paths[row][column] =
                    matcher.shortest_path(matcher.pawns[column], matcher.places[row]);
            }
        }
        Some(matcher)
    }

    pub(super) fn rows(&self) -> usize {
        self.place_count
    }

    pub(super) fn is_promotion(&self, row: usize) -> bool {
        self.last_rank_of(row) == Rank::Eighth.relative_to(self.color)
    }

    pub(super) fn last_rank_of(&self, row: usize) -> Rank {
        self.places[row].first().map_or(Rank::First, Square::rank)
    }

    /// Returns the squares that a pawn going straight to a destination passes, including the
    /// last.
    pub(super) fn between(&self, column: usize, row: usize) -> Bitboard {
        let from = self.pawns[column];
        let to = Square::new(from.file(), self.last_rank_of(row));
        attacks::between(from, to).with(to).without(from)
    }

    /// Returns the squares of enemy pawns and all squares in front of them.
    pub(super) fn fronts(&self, pawns: Bitboard) -> Bitboard {
        let end = |square: Square| Square::new(square.file(), Rank::First.relative_to(self.color));
        pawns.into_iter().fold(pawns, |fronts, pawn| fronts | attacks::between(pawn, end(pawn)))
    }

    /// Returns the cheapest matching by moves and captures.
    pub(super) fn cheapest(
        &self,
        evasions: &Evasions,
        price: impl Fn(i32, i32) -> i32,
    ) -> Option<Matching<MAX_SIZE>> {
        cheapest(self.rows(), self.movable.count(), |row, column| {
            match self.path(row, column, evasions) {
                Some((moves, captures)) => price(moves, captures),
                None => IMPOSSIBLE,
            }
        })
    }

    /// Returns the cheapest matching, if it has no more captures than there are victims.
    pub(super) fn matching(
        &self,
        evasions: &Evasions,
        price: impl Fn(i32, i32) -> i32,
    ) -> Option<[usize; 8]> {
        let matching = self.cheapest(evasions, price)?;
        let pawn_of: [usize; 8] = std::array::from_fn(|row| matching.column_of[row]);
        let pairs = pawn_of.iter().enumerate().take(self.rows());
        let paths = pairs.filter_map(|(row, &column)| self.path(row, column, evasions));
        let captures: i32 = paths.map(|(_, captures)| captures).sum();
        (captures <= i32::from(self.victims)).then_some(pawn_of)
    }

    /// Returns a cheap matching, or else one with the fewest captures.
    pub(super) fn plan(&self, evasions: &Evasions) -> Option<[usize; 8]> {
        self.matching(evasions, |moves, captures| moves + captures * CAPTURE_PRICE)
            .or_else(|| self.matching(evasions, |moves, captures| moves + captures * 40))
    }

    /// Makes a pawn capture more often on its path: twice if it has to return to its file or to
    /// the color of its promotion square, otherwise once.
    pub(super) fn evade(&self, evasions: &mut Evasions, row: usize, column: usize) {
        if !self.is_promotion(row) {
            evasions[row][column] += 2;
            return;
        }
        for other in (0..self.rows()).filter(|&other| self.places[other] == self.places[row]) {
            evasions[other][column] += if self.places[row].count() == 8 { 1 } else { 2 };
        }
    }

    /// Returns the moves and captures of a pawn to a destination, evasions included.
    pub(super) fn path(&self, row: usize, column: usize, evasions: &Evasions) -> Option<Path> {
        let (moves, captures) = self.paths[row][column]?;
        let captures = captures + i32::from(evasions[row][column]);
        (captures <= i32::from(self.victims)).then_some((moves, captures))
    }

    /// Returns the fewest moves and the fewest captures from a square to any of the given
    /// squares. The two need not belong to the same path.
    fn shortest_path(&self, from: Square, to: Bitboard) -> Option<Path> {
        let distances = &self.goal.distances;
        let path = |to: Square| {
            let moves = distances.moves(Piece { color: self.color, role: Role::Pawn }, from, to);
            let captures = distances.captures(self.color, from, to);
            (moves != NEVER).then(|| (i32::from(moves), i32::from(captures)))
        };
        let paths = to.into_iter().filter_map(path);
        paths.reduce(|one, other| (one.0.min(other.0), one.1.min(other.1)))
    }

    /// Returns the squares on which the next capture can be, if `captures` captures are left.
    pub(super) fn capture_path(&self, row: usize, column: usize, captures: i32) -> Bitboard {
        let from = self.pawns[column];
        let is_on_way = |square: &Square| {
            square.file() != from.file()
                && self.goal.distances.captures(self.color, from, *square) == 1
                && self
                    .shortest_path(*square, self.places[row])
                    .is_some_and(|(_, rest)| rest < captures)
        };
        Square::ALL.into_iter().filter(is_on_way).fold(Bitboard::EMPTY, Bitboard::with)
    }
}
