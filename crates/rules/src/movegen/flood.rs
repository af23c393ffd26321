//! Counting legal moves without looking at pieces one by one.
//!
//! All sliders of a side are moved at once, one direction to a lane of a vector register: their
//! squares flood over empty ones and stop at the first man (Kogge-Stone fill). In one direction no
//! square is reached from two sliders, since the nearer one stands in the other's way, so the
//! number of moves is the number of flooded squares. Pins fall out of the same lanes: a man is
//! pinned where the flood from the king meets the flood of an enemy slider coming the other way.
//! There are no loops over pieces and so hardly a branch to be guessed wrong.

use castellan_arch::Lanes;

use super::{is_castling_safe, is_castling_way_free};
use crate::scene::Scene;
use crate::side::Side;
use crate::{Bitboard, Color, Rank, Role, Square, attacks};

const NOT_A: u64 = !0x0101_0101_0101_0101;
const NOT_H: u64 = NOT_A.rotate_right(1);
const NOT_AB: u64 = NOT_A & NOT_A << 1;
const NOT_GH: u64 = NOT_H & NOT_H >> 1;

/// How far one step of each lane goes. The first four lanes go up: north, east, north-east and
/// north-west; the last four go the opposite ways.
const STEP: [u64; 4] = [8, 1, 9, 7];
/// Where a step of each lane can end: not on the file where it would have come round the edge.
const STEP_ENDS: [u64; 8] = [!0, NOT_A, NOT_A, NOT_H, !0, NOT_H, NOT_H, NOT_A];
/// How far the knight's moves go, up and down.
const LEAP: [u64; 4] = [17, 10, 15, 6];
/// Where they can end.
const LEAP_ENDS: [u64; 8] = [NOT_A, NOT_AB, NOT_H, NOT_GH, NOT_H, NOT_GH, NOT_A, NOT_AB];

/// Where floods can flow: squares on which one, two and four steps of each lane can end.
struct Bed {
    one: Lanes,
    two: Lanes,
    four: Lanes,
}

impl Bed {
    #[inline(always)]
    fn new(empty: u64) -> Bed {
        let one = Lanes::splat(empty) & Lanes::new(STEP_ENDS);
        let two = one & one.apart(STEP);
        let four = two & two.apart(STEP.map(|step| 2 * step));
        Bed { one, two, four }
    }

    /// From the sliders of each lane over the empty squares to the first man, inclusive.
    #[inline(always)]
    fn flood(&self, sliders: Lanes) -> Lanes {
        let reached = sliders | self.one & sliders.apart(STEP);
        let reached = reached | self.two & reached.apart(STEP.map(|step| 2 * step));
        let reached = reached | self.four & reached.apart(STEP.map(|step| 4 * step));
        reached.apart(STEP) & Lanes::new(STEP_ENDS)
    }
}

/// From knights, one leap.
#[inline(always)]
fn leaps(knights: Lanes) -> Lanes {
    knights.apart(LEAP) & Lanes::new(LEAP_ENDS)
}

/// What can be seen of a position in which `S` is to move.
pub(super) struct Survey {
    ours: u64,
    theirs: u64,
    pawns: u64,
    knights: u64,
    sliders: Lanes,
    king: Square,
    bed: Bed,
    /// What the enemy sliders attack, by direction.
    pressure: Lanes,
    /// What the opponent attacks.
    pub(super) danger: u64,
}

impl Survey {
    #[inline(always)]
    pub(super) fn new<S: Side>(scene: &Scene) -> Survey {
        let pieces = scene.pieces();
        let ours = pieces.color(S::COLOR).0;
        let theirs = pieces.color(<S::Other as Side>::COLOR).0;
        let queens = pieces.role(Role::Queen).0;
        let straight = pieces.role(Role::Rook).0 | queens;
        let diagonal = pieces.role(Role::Bishop).0 | queens;
        let sliders = Lanes::pairs(straight, diagonal);
        let knights = pieces.role(Role::Knight).0;
        let pawns = pieces.role(Role::Pawn).0;
        let kings = pieces.role(Role::King).0;
        let bed = Bed::new(!(ours | theirs));
        let pressure = bed.flood(sliders & Lanes::splat(theirs));
        let danger = (pressure | leaps(Lanes::splat(knights & theirs))).union()
            | <S::Other as Side>::pawn_attacks(Bitboard(pawns & theirs)).0
            | attacks::king(Bitboard(kings & theirs).first_or_a1()).0;
        let king = Bitboard(kings & ours).first_or_a1();
        Survey { ours, theirs, pawns, knights, sliders, king, bed, pressure, danger }
    }

    #[inline(always)]
    fn occupied(&self) -> u64 {
        self.ours | self.theirs
    }

    #[inline(always)]
    fn king_steps(&self) -> usize {
        (attacks::king(self.king).0 & !self.ours & !self.danger).count_ones() as usize
    }

    /// What enemy sliders attack through our king, who cannot hide behind himself.
    #[inline(always)]
    pub(super) fn danger_behind_king(&self) -> u64 {
        let beyond = !self.occupied() | Bitboard::of(self.king).0;
        Bed::new(beyond).flood(self.sliders & Lanes::splat(self.theirs)).union()
    }

    /// Our pinned men, each in the lanes of its pin's two directions.
    #[inline(always)]
    fn pinned(&self) -> Lanes {
        let seen = self.bed.flood(Lanes::splat(Bitboard::of(self.king).0));
        let pinned = seen & self.pressure.opposite() & Lanes::splat(self.ours);
        pinned | pinned.opposite()
    }

    /// The moves of all men but the king to these targets, without en passant.
    #[inline(always)]
    fn moves_to<S: Side>(&self, targets: u64, pinned: Lanes) -> usize {
        let (ours, all_pinned) = (Lanes::splat(self.ours), pinned.union_in_all());
        // A pinned slider keeps the direction of its pin.
        let movers = (self.sliders & ours).without(all_pinned.without(pinned));
        let slides = self.bed.flood(movers) & Lanes::splat(targets);
        let knights = Lanes::splat(self.knights & self.ours).without(all_pinned);
        let leaps = leaps(knights) & Lanes::splat(targets);
        let pawns = Lanes::splat(self.pawns & self.ours).without(all_pinned.without(pinned));
        let pawn_moves = self.pawn_moves::<S>(pawns);
        let total = slides.count_ones()
            + leaps.count_ones()
            + (pawn_moves & Lanes::splat(targets)).count_ones();
        total.sum() as usize + self.further_pawn_moves::<S>(pawn_moves, targets)
    }

    /// Steps and captures of pawns, each in its lane; a pinned pawn, too, keeps the direction of
    /// its pin.
    #[inline(always)]
    fn pawn_moves<S: Side>(&self, pawns: Lanes) -> Lanes {
        let ends = match S::COLOR {
            Color::White => [!0, 0, NOT_A, NOT_H, 0, 0, 0, 0],
            Color::Black => [0, 0, 0, 0, !0, 0, NOT_H, NOT_A],
        };
        let allowed = Lanes::pairs(!self.occupied(), self.theirs) & Lanes::new(ends);
        pawns.apart(STEP) & allowed
    }

    /// What single pawn moves do not count: double steps and the choice at promotions.
    #[inline(always)]
    fn further_pawn_moves<S: Side>(&self, pawn_moves: Lanes, targets: u64) -> usize {
        let steps = pawn_moves.words()[S::COLOR.fold(0, 4)];
        let double_steps = S::forward(Bitboard(steps) & S::rank(Rank::Third)).0;
        let count = (double_steps & !self.occupied() & targets).count_ones() as usize;
        if self.pawns & self.ours & S::rank(Rank::Seventh).0 == 0 {
            return count;
        }
        let promotions = pawn_moves & Lanes::splat(targets & S::rank(Rank::Eighth).0);
        count + 3 * promotions.count_ones().sum() as usize
    }
}

/// How many legal moves the side to move, which is `S`, has.
#[inline(always)]
pub(super) fn count<S: Side>(scene: &Scene) -> usize {
    let survey = Survey::new::<S>(scene);
    if survey.danger & Bitboard::of(survey.king).0 != 0 {
        return count_in_check::<S>(scene);
    }
    let pinned = survey.pinned();
    let rooks = scene.castling_rooks().0 & survey.ours & !pinned.union();
    survey.king_steps()
        + survey.moves_to::<S>(!survey.ours, pinned)
        + castlings(&survey, Bitboard(rooks))
        + en_passant_captures::<S>(scene)
}

/// Only what captures the one checking piece or steps in between helps beside king moves.
///
/// Surveys the position again: to hand the survey over would cost every position without a
/// check more than that costs the few with one.
#[inline(never)]
fn count_in_check<S: Side>(scene: &Scene) -> usize {
    let mut survey = Survey::new::<S>(scene);
    let (pieces, king) = (scene.pieces(), survey.king);
    survey.danger |= survey.danger_behind_king();
    let checkers = pieces.attackers(<S::Other as Side>::COLOR, king, pieces.occupied());
    if checkers.is_many() {
        return survey.king_steps();
    }
    let checker = checkers.first_or_a1();
    let targets = attacks::between(king, checker).with(checker);
    survey.king_steps()
        + survey.moves_to::<S>(targets.0, survey.pinned())
        + en_passant_captures::<S>(scene)
}

#[inline(always)]
fn castlings(survey: &Survey, rooks: Bitboard) -> usize {
    let is_possible = |rook: &Square| {
        is_castling_way_free(survey.king, *rook, Bitboard(survey.occupied()))
            && is_castling_safe(survey.king, *rook, Bitboard(survey.danger))
    };
    if rooks.is_empty() { 0 } else { rooks.into_iter().filter(is_possible).count() }
}

#[inline(always)]
fn en_passant_captures<S: Side>(scene: &Scene) -> usize {
    let capturers = |passed| scene.en_passant_capturers::<S>(passed).count();
    scene.en_passant::<S>().map_or(0, capturers)
}
