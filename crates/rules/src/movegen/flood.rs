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
use crate::side::Side;
use crate::{Bitboard, Color, Position, Rank, Role, Square, attacks};

const NOT_FIRST: u64 = !0xff;
const NOT_LAST: u64 = !0 >> 8;
const NOT_A: u64 = !0x0101_0101_0101_0101;
const NOT_H: u64 = NOT_A.rotate_right(1);
const NOT_AB: u64 = NOT_A & NOT_A << 1;
const NOT_GH: u64 = NOT_H & NOT_H >> 1;

/// How far one step of each lane goes. The first four lanes go up: north, east, north-east and
/// north-west; the last four go the opposite ways.
const STEP: [u64; 4] = [8, 1, 9, 7];
/// Where a step of each lane can end: not where it would have come round the board's edge.
const STEP_ENDS: [u64; 8] = [
    NOT_FIRST,
    NOT_A,
    NOT_A & NOT_FIRST,
    NOT_H & NOT_FIRST,
    NOT_LAST,
    NOT_H,
    NOT_H & NOT_LAST,
    NOT_A & NOT_LAST,
];
/// How far the knight's moves go, up and down.
const LEAP: [u64; 4] = [17, 10, 15, 6];
/// Where they can end.
const LEAP_ENDS: [u64; 8] = [
    NOT_A & !0xffff,
    NOT_AB & NOT_FIRST,
    NOT_H & !0xffff,
    NOT_GH & NOT_FIRST,
    NOT_H & !0 >> 16,
    NOT_GH & NOT_LAST,
    NOT_A & !0 >> 16,
    NOT_AB & NOT_LAST,
];

/// From the sliders of each lane over the empty squares to the first man, inclusive.
#[inline(always)]
fn flood(sliders: Lanes, empty: u64) -> Lanes {
    let ends = Lanes::new(STEP_ENDS);
    let free = Lanes::splat(empty) & ends;
    let reached = sliders | free & sliders.apart(STEP);
    let free = free & free.apart(STEP);
    let reached = reached | free & reached.apart(STEP.map(|step| 2 * step));
    let free = free & free.apart(STEP.map(|step| 2 * step));
    let reached = reached | free & reached.apart(STEP.map(|step| 4 * step));
    reached.apart(STEP) & ends
}

/// From knights, one leap.
#[inline(always)]
fn leaps(knights: u64) -> Lanes {
    Lanes::splat(knights).apart(LEAP) & Lanes::new(LEAP_ENDS)
}

/// The rays of each lane from every square.
static RAYS: [[u64; 8]; 64] = {
    let mut table = [[0; 8]; 64];
    let directions = [(0, 1), (1, 0), (1, 1), (-1, 1)];
    let mut square = 0;
    while square < 64 {
        let mut lane = 0;
        while lane < 4 {
            let (files, ranks) = directions[lane];
            table[square][lane] = attacks::ray::ray(square, (files, ranks), 0);
            table[square][4 + lane] = attacks::ray::ray(square, (-files, -ranks), 0);
            lane += 1;
        }
        square += 1;
    }
    table
};

/// What can be seen of a position in which `S` is to move.
struct Survey {
    ours: u64,
    theirs: u64,
    pawns: u64,
    knights: u64,
    sliders: Lanes,
    king: Square,
    /// What the enemy sliders attack, by direction.
    pressure: Lanes,
    /// What the opponent attacks, seen through our king, who cannot hide behind himself.
    danger: u64,
}

impl Survey {
    #[inline(always)]
    fn new<S: Side>(position: &Position) -> Survey {
        let pieces = position.pieces();
        let ours = pieces.color(S::COLOR).0;
        let theirs = pieces.color(<S::Other as Side>::COLOR).0;
        let queens = pieces.role(Role::Queen).0;
        let straight = pieces.role(Role::Rook).0 | queens;
        let diagonal = pieces.role(Role::Bishop).0 | queens;
        let sliders = Lanes::pairs(straight, diagonal);
        let knights = pieces.role(Role::Knight).0;
        let pawns = pieces.role(Role::Pawn).0;
        let kings = pieces.role(Role::King).0;
        let empty = !(ours | theirs) | (kings & ours);
        let pressure = flood(sliders & Lanes::splat(theirs), empty);
        let danger = (pressure | leaps(knights & theirs)).union()
            | <S::Other as Side>::pawn_attacks(Bitboard(pawns & theirs)).0
            | attacks::king(Bitboard(kings & theirs).first_or_a1()).0;
        let king = Bitboard(kings & ours).first_or_a1();
        Survey { ours, theirs, pawns, knights, sliders, king, pressure, danger }
    }

    #[inline(always)]
    fn occupied(&self) -> u64 {
        self.ours | self.theirs
    }

    #[inline(always)]
    fn king_steps(&self) -> usize {
        (attacks::king(self.king).0 & !self.ours & !self.danger).count_ones() as usize
    }

    /// Our pinned men, each in the lanes of its pin's two directions.
    #[inline(always)]
    fn pinned(&self) -> Lanes {
        let seen = attacks::queen(self.king, Bitboard(self.occupied())).0 & self.ours;
        let rays = Lanes::new(RAYS[self.king.index()]);
        let pinned = rays & self.pressure.opposite() & Lanes::splat(seen);
        pinned | pinned.opposite()
    }

    /// The moves of all men but the king to these targets, without en passant.
    #[inline(always)]
    fn moves_to<S: Side>(&self, targets: u64, pinned: Lanes) -> usize {
        let unpinned = self.ours & !pinned.union();
        // A pinned slider keeps the direction of its pin.
        let movers = self.sliders & (pinned | Lanes::splat(unpinned));
        let slides = flood(movers, !self.occupied()) & Lanes::splat(targets);
        let leaps = leaps(self.knights & unpinned) & Lanes::splat(targets);
        (slides.count_ones() + leaps.count_ones()).sum() as usize
            + self.pawn_moves_to::<S>(targets, pinned)
    }
}

/// How many legal moves the side to move, which is `S`, has.
#[inline(always)]
pub(super) fn count<S: Side>(position: &Position) -> usize {
    let survey = Survey::new::<S>(position);
    if survey.danger & Bitboard::of(survey.king).0 != 0 {
        return count_in_check::<S>(position);
    }
    let pinned = survey.pinned();
    let rooks = position.castling_rooks().0 & survey.ours & !pinned.union();
    survey.king_steps()
        + survey.moves_to::<S>(!survey.ours, pinned)
        + castlings(&survey, Bitboard(rooks))
        + en_passant_captures::<S>(position)
}

/// Only what captures the one checking piece or steps in between helps beside king moves.
///
/// Surveys the position again: to hand the survey over would cost every position without a
/// check more than that costs the few with one.
#[inline(never)]
fn count_in_check<S: Side>(position: &Position) -> usize {
    let survey = Survey::new::<S>(position);
    let (pieces, king) = (position.pieces(), survey.king);
    let checkers = pieces.attackers(<S::Other as Side>::COLOR, king, pieces.occupied());
    if checkers.is_many() {
        return survey.king_steps();
    }
    let checker = checkers.first_or_a1();
    let targets = attacks::between(king, checker).with(checker);
    survey.king_steps()
        + survey.moves_to::<S>(targets.0, survey.pinned())
        + en_passant_captures::<S>(position)
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
fn en_passant_captures<S: Side>(position: &Position) -> usize {
    let capturers = |passed| position.en_passant_capturers::<S>(passed).count();
    position.en_passant().map_or(0, capturers)
}
impl Survey {
    /// A pinned pawn may step along a file and capture along a diagonal, if that is its pin's.
    #[inline(always)]
    fn pawn_moves_to<S: Side>(&self, targets: u64, pinned: Lanes) -> usize {
        let pawns = self.pawns & self.ours;
        let [file, rank, rising, falling, ..] = pinned.words();
        let (left_pins, right_pins) = match S::COLOR {
            Color::White => (falling, rising),
            Color::Black => (rising, falling),
        };
        let empty = !self.occupied();
        let steps = S::forward(Bitboard(pawns & !(rank | rising | falling))).0 & empty;
        let double_steps = S::forward(Bitboard(steps) & S::rank(Rank::Third)).0 & empty & targets;
        let steps = steps & targets;
        let prey = self.theirs & targets;
        let left = S::forward_left(Bitboard(pawns & !(file | rank | right_pins))).0 & prey;
        let right = S::forward_right(Bitboard(pawns & !(file | rank | left_pins))).0 & prey;
        let count = |moves: u64| moves.count_ones() as usize;
        let mut total = count(steps) + count(double_steps) + count(left) + count(right);
        let last = S::rank(Rank::Eighth).0;
        if (steps | left | right) & last != 0 {
            total += 3 * (count(steps & last) + count(left & last) + count(right & last));
        }
        total
    }
}
