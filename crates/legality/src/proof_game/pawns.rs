//! Plans which pawn goes where, with how many captures.
//!
//! The bound considers the pawns of one side alone. The plan considers both sides: two pawns that
//! face each other on a file and have to pass cannot both go straight, so one of them gets extra
//! captures or another destination.

use castellan_rules::{Bitboard, Color, Rank};

use super::goal::Goal;
use super::need::KindNeed;
use super::pawn_matcher::{CAPTURE_PRICE, Evasions, PawnDemand, PawnMatcher};

/// How often conflicts of a plan are resolved before it is accepted as it is.
const MAX_RESOLUTIONS: usize = 24;

/// What the pawns of both sides have to do.
pub(super) struct PawnPlan {
    pub(super) parts: [KindNeed; 2],
    /// The pawns that have arrived.
    pub(super) settled: Bitboard,
    /// How many conflicts between pawns are unresolved.
    pub(super) conflicts: u8,
    capture_squares: [Vec<Bitboard>; 2],
}

impl PawnPlan {
    /// Returns the moves of all pawns.
    pub(super) fn moves(&self) -> u32 {
        self.parts.iter().map(|part| part.moves.map_or(0, u32::from)).sum()
    }

    /// Returns, for each pawn of a side that must capture, the squares where its next capture can
    /// be.
    pub(super) fn capture_squares(&self, color: Color) -> &[Bitboard] {
        &self.capture_squares[color.index()]
    }
}

/// Returns the least number of moves of a side's pawns, or `None` if they cannot meet the demand.
pub(super) fn bound(goal: &Goal, color: Color, demand: PawnDemand) -> Option<KindNeed> {
    let matcher = PawnMatcher::of(goal, color, demand)?;
    let free = [[0; 8]; 8];
    matcher.matching(&free, |_, captures| captures)?;
    // The fewest moves and the fewest captures may come from different matchings; each is a
    // bound.
    let price = matcher.cheapest(&free, |moves, _| moves)?.price;
    Some(KindNeed { moves: Some(price as u16), spare: Bitboard::EMPTY })
}

/// Returns a plan for the pawns of both sides, or `None` if there is none.
///
/// If two pawns of the cheapest plan block each other, the search continues with two plans instead,
/// in each of which one of the two has to evade. If an enemy pawn has to be captured to clear the
/// path and no capture can be spared, one of the pawns behind it has to evade.
pub(super) fn plan(goal: &Goal, demands: [PawnDemand; 2]) -> Option<PawnPlan> {
    let white = PawnMatcher::of(goal, Color::White, demands[0])?;
    let black = PawnMatcher::of(goal, Color::Black, demands[1])?;
    let matchers = [white, black];
    let mut open = vec![PawnAssignment::with_evasions(&matchers, [[[0; 8]; 8]; 2])?];
    let mut resolutions = 0;
    loop {
        let cheapest = (0..open.len()).min_by_key(|&index| open[index].price)?;
        let plan = open.swap_remove(cheapest);
        let conflict = plan.conflict(&matchers);
        if conflict.is_empty() {
            return Some(plan.finished(&matchers));
        }
        resolutions += 1;
        if resolutions > MAX_RESOLUTIONS {
            return Some(
                PawnAssignment { conflicts: plan.conflicts + 1, ..plan }.finished(&matchers),
            );
        }
        for &(side, row, column) in &conflict {
            let mut evasions = plan.evasions;
            matchers[side].evade(&mut evasions[side], row, column);
            open.extend(PawnAssignment::with_evasions(&matchers, evasions));
        }
    }
}

/// An assignment of pawns to destinations.
struct PawnAssignment {
    price: i32,
    evasions: [Evasions; 2],
    /// The pawn of each destination, for both sides.
    pawn_of: [[usize; 8]; 2],
    conflicts: u8,
}

/// A side, a destination and the pawn assigned to it.
type Pair = (usize, usize, usize);

impl PawnAssignment {
    fn with_evasions(
        matchers: &[PawnMatcher<'_>; 2],
        evasions: [Evasions; 2],
    ) -> Option<PawnAssignment> {
        let mut plan = PawnAssignment { price: 0, evasions, pawn_of: [[0; 8]; 2], conflicts: 0 };
        for (side, matcher) in matchers.iter().enumerate() {
            let pawn_of = matcher.plan(&evasions[side])?;
            for (row, &column) in pawn_of.iter().enumerate().take(matcher.rows()) {
                let (moves, captures) = matcher.path(row, column, &evasions[side])?;
                plan.price += moves + captures * CAPTURE_PRICE;
            }
            plan.pawn_of[side] = pawn_of;
        }
        Some(plan)
    }

    /// Returns the pairs of a side, with the captures of each.
    fn pairs(
        &self,
        matchers: &[PawnMatcher<'_>; 2],
        side: usize,
    ) -> impl Iterator<Item = (Pair, i32)> {
        let own = &matchers[side];
        let pairs = self.pawn_of[side].iter().copied().enumerate().take(own.rows());
        pairs.filter_map(move |(row, column)| {
            let (_, captures) = own.path(row, column, &self.evasions[side])?;
            Some(((side, row, column), captures))
        })
    }

    fn straight(&self, matchers: &[PawnMatcher<'_>; 2], side: usize) -> impl Iterator<Item = Pair> {
        self.pairs(matchers, side).filter(|&(_, captures)| captures == 0).map(|(pair, _)| pair)
    }

    /// Returns pawns of which one has to evade, or an empty list if there is no conflict.
    fn conflict(&self, matchers: &[PawnMatcher<'_>; 2]) -> Vec<Pair> {
        for white in self.straight(matchers, 0) {
            for black in self.straight(matchers, 1) {
                let (from, other) = (matchers[0].pawns[white.2], matchers[1].pawns[black.2]);
                let is_facing = from.file() == other.file() && from.rank() < other.rank();
                if is_facing
                    && matchers[0].last_rank_of(white.1) >= matchers[1].last_rank_of(black.1)
                {
                    return vec![white, black];
                }
            }
        }
        let [white, black] = [0, 1].map(|side| self.held_up(matchers, side));
        if white.is_empty() { black } else { white }
    }

    /// Returns the pawns of a side that go straight but stand behind spare pawns of the other
    /// side, if there are too few captures to remove these.
    fn held_up(&self, matchers: &[PawnMatcher<'_>; 2], side: usize) -> Vec<Pair> {
        let own = &matchers[side];
        let spare = self.spare(matchers, 1 - side);
        let mut in_way = Bitboard::EMPTY;
        let mut held_up = Vec::new();
        for pair in self.straight(matchers, side) {
            let ahead = own.between(pair.2, pair.1) & spare;
            in_way |= ahead;
            if ahead.any() {
                held_up.push(pair);
            }
        }
        let captures: i32 = self.pairs(matchers, side).map(|(_, captures)| captures).sum();
        let needed = captures + in_way.count() as i32;
        if in_way.is_empty() || needed <= i32::from(own.victims) {
            return Vec::new();
        }
        // A pawn that captures anyway may capture one of these.
        let capture_squares = self.capture_squares(matchers, side).into_iter();
        let served = capture_squares
            .filter(|&capture_path| (own.fronts(in_way) & capture_path).any())
            .count();
        if needed - served as i32 <= i32::from(own.victims) { Vec::new() } else { held_up }
    }

    /// Returns the pawns of a side without a destination.
    fn spare(&self, matchers: &[PawnMatcher<'_>; 2], side: usize) -> Bitboard {
        let matched = self.pawn_of[side].iter().take(matchers[side].rows());
        matched.fold(matchers[side].movable, |spare, &column| {
            spare.without(matchers[side].pawns[column])
        })
    }

    /// Returns, for each pawn of a side that must capture, where it can do so next.
    fn capture_squares(&self, matchers: &[PawnMatcher<'_>; 2], side: usize) -> Vec<Bitboard> {
        let capturing = self.pairs(matchers, side).filter(|&(_, captures)| captures > 0);
        let capture_path = |((_, row, column), captures)| {
            let capture_path = matchers[side].capture_path(row, column, captures);
            let open = capture_path & !self.shut(matchers, side, row, capture_path);
            if open.any() { open } else { capture_path }
        };
        capturing.map(capture_path).collect()
    }

    fn finished(&self, matchers: &[PawnMatcher<'_>; 2]) -> PawnPlan {
        let mut settled = Bitboard::EMPTY;
        let parts = [0, 1].map(|side| {
            let own = &matchers[side];
            let mut sum = 0;
            for ((_, row, column), _) in self.pairs(matchers, side) {
                sum += own.paths[row][column].map_or(0, |(moves, _)| moves);
                let from = Bitboard::of(own.pawns[column]);
                settled |= if own.places[row] == from { from } else { Bitboard::EMPTY };
            }
            KindNeed { moves: Some(sum as u16), spare: self.spare(matchers, side) }
        });
        let capture_squares = [0, 1].map(|side| self.capture_squares(matchers, side));
        PawnPlan { parts, settled, conflicts: self.conflicts, capture_squares }
    }

    /// Returns the squares of a path behind an enemy pawn that stays on the file and would have
    /// to be passed.
    fn shut(
        &self,
        matchers: &[PawnMatcher<'_>; 2],
        side: usize,
        row: usize,
        capture_path: Bitboard,
    ) -> Bitboard {
        let (own, enemy) = (&matchers[side], &matchers[1 - side]);
        let mut shut = Bitboard::EMPTY;
        for (place, &column) in self.pawn_of[1 - side].iter().enumerate().take(enemy.rows()) {
            let path = enemy.path(place, column, &self.evasions[1 - side]);
            if path.is_none_or(|(_, captures)| captures > 0) {
                continue;
            }
            let file = enemy.pawns[column].file();
            let end = enemy.last_rank_of(place);
            let is_beyond = |rank: Rank, other: Rank| own.color.fold(rank > other, rank < other);
            let stays = (own.places[row] & Bitboard::file(file)).any();
            if stays && !is_beyond(end, own.last_rank_of(row)) {
                let behind = capture_path & Bitboard::file(file);
                let behind = behind.into_iter().filter(|square| !is_beyond(square.rank(), end));
                shut |= behind.fold(Bitboard::EMPTY, Bitboard::with);
            }
        }
        shut
    }
}
