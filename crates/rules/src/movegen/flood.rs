//! Counts legal moves without looking at pieces one by one.
//!
//! All sliders of a side move at once, with one direction in each lane of a vector register: they
//! flood over empty squares and stop at the first piece (Kogge-Stone fill). In one direction no
//! square is reached by two sliders, since the nearer one blocks the other, so the number of
//! moves is the number of flooded squares. Pins come from the same lanes: a piece is pinned where
//! the flood from the king meets the flood of an enemy slider from the opposite direction. There
//! are no loops over pieces, and so hardly any branches to mispredict.

use castellan_arch::Lanes;

use super::{is_castling_safe, is_castling_way_free};
use crate::board::Board;
use crate::side::Side;
use crate::{Bitboard, Color, Rank, Role, Square, attacks};

const NOT_A: u64 = !0x0101_0101_0101_0101;
const NOT_H: u64 = NOT_A.rotate_right(1);
const NOT_AB: u64 = NOT_A & NOT_A << 1;
const NOT_GH: u64 = NOT_H & NOT_H >> 1;

/// The distance of one step in each lane. The first four lanes go up: north, east, north-east and
/// north-west; the last four go the opposite ways.
const STEP: [u64; 4] = [8, 1, 9, 7];
/// The squares where a step in each lane can end: not on the file it would reach by wrapping
/// around the edge.
const STEP_ENDS: [u64; 8] = [!0, NOT_A, NOT_A, NOT_H, !0, NOT_H, NOT_H, NOT_A];
/// The distances of the knight moves, up and down.
const LEAP: [u64; 4] = [17, 10, 15, 6];
/// The squares where knight moves can end.
const LEAP_ENDS: [u64; 8] = [NOT_A, NOT_AB, NOT_H, NOT_GH, NOT_H, NOT_GH, NOT_A, NOT_AB];

/// The squares over which sliders can move: those on which one, two and four steps of each lane
/// can end.
struct FillMasks {
    one: Lanes,
    two: Lanes,
    four: Lanes,
}

impl FillMasks {
    #[inline(always)]
    fn new(empty: u64) -> FillMasks {
        let one = Lanes::splat(empty) & Lanes::new(STEP_ENDS);
        let two = one & one.shift_halves_apart(STEP);
        let four = two & two.shift_halves_apart(STEP.map(|step| 2 * step));
        FillMasks { one, two, four }
    }

    /// Fills from the sliders of each lane over empty squares up to and including the first
    /// piece.
    #[inline(always)]
    fn flood(&self, sliders: Lanes) -> Lanes {
        let reached = sliders | self.one & sliders.shift_halves_apart(STEP);
        let reached = reached | self.two & reached.shift_halves_apart(STEP.map(|step| 2 * step));
        let reached = reached | self.four & reached.shift_halves_apart(STEP.map(|step| 4 * step));
        reached.shift_halves_apart(STEP) & Lanes::new(STEP_ENDS)
    }
}

/// Returns the squares that knights reach in one move.
#[inline(always)]
fn leaps(knights: Lanes) -> Lanes {
    knights.shift_halves_apart(LEAP) & Lanes::new(LEAP_ENDS)
}

/// The attacks and pieces of a position in which `S` is to move.
pub(super) struct AttackMap {
    ours: u64,
    theirs: u64,
    pawns: u64,
    knights: u64,
    sliders: Lanes,
    king: Square,
    fill: FillMasks,
    /// The squares that enemy sliders attack, by direction.
    pressure: Lanes,
    /// The squares that the opponent attacks.
    pub(super) danger: u64,
}

impl AttackMap {
    #[inline(always)]
    pub(super) fn new<S: Side>(board: &Board) -> AttackMap {
        let pieces = board.pieces();
        let ours = pieces.color(S::COLOR).0;
        let theirs = pieces.color(<S::Other as Side>::COLOR).0;
        let queens = pieces.role(Role::Queen).0;
        let straight = pieces.role(Role::Rook).0 | queens;
        let diagonal = pieces.role(Role::Bishop).0 | queens;
        let sliders = Lanes::pairs(straight, diagonal);
        let knights = pieces.role(Role::Knight).0;
        let pawns = pieces.role(Role::Pawn).0;
        let kings = pieces.role(Role::King).0;
        let fill = FillMasks::new(!(ours | theirs));
        let pressure = fill.flood(sliders & Lanes::splat(theirs));
        let danger = (pressure | leaps(Lanes::splat(knights & theirs))).union()
            | <S::Other as Side>::pawn_attacks(Bitboard(pawns & theirs)).0
            | attacks::king(Bitboard(kings & theirs).first_or_a1()).0;
        let king = Bitboard(kings & ours).first_or_a1();
        AttackMap { ours, theirs, pawns, knights, sliders, king, fill, pressure, danger }
    }

    #[inline(always)]
    fn occupied(&self) -> u64 {
        self.ours | self.theirs
    }

    #[inline(always)]
    fn king_steps(&self) -> usize {
        (attacks::king(self.king).0 & !self.ours & !self.danger).count_ones() as usize
    }

    /// Returns the squares that enemy sliders attack through our king, which gives itself no
    /// cover.
    #[inline(always)]
    pub(super) fn danger_behind_king(&self) -> u64 {
        let beyond = !self.occupied() | Bitboard::of(self.king).0;
        FillMasks::new(beyond).flood(self.sliders & Lanes::splat(self.theirs)).union()
    }

    /// Returns our pinned pieces, each in the two lanes that lie along its pin.
    #[inline(always)]
    fn pinned(&self) -> Lanes {
        let seen = self.fill.flood(Lanes::splat(Bitboard::of(self.king).0));
        let pinned = seen & self.pressure.swap_halves() & Lanes::splat(self.ours);
        pinned | pinned.swap_halves()
    }

    /// Counts the moves of all pieces except the king to these targets, without en passant.
    #[inline(always)]
    fn moves_to<S: Side>(&self, targets: u64, pinned: Lanes) -> usize {
        let (ours, all_pinned) = (Lanes::splat(self.ours), pinned.union_splat());
        // A pinned slider may only move along its pin.
        let movers = (self.sliders & ours).without(all_pinned.without(pinned));
        let slides = self.fill.flood(movers) & Lanes::splat(targets);
        let knights = Lanes::splat(self.knights & self.ours).without(all_pinned);
        let leaps = leaps(knights) & Lanes::splat(targets);
        let pawns = Lanes::splat(self.pawns & self.ours).without(all_pinned.without(pinned));
        let pawn_moves = self.pawn_moves::<S>(pawns);
        let total = slides.count_ones()
            + leaps.count_ones()
            + (pawn_moves & Lanes::splat(targets)).count_ones();
        total.sum() as usize + self.further_pawn_moves::<S>(pawn_moves, targets)
    }

    /// Returns the targets of pawn pushes and captures, each in its lane. A pinned pawn may only
    /// move along its pin.
    #[inline(always)]
    fn pawn_moves<S: Side>(&self, pawns: Lanes) -> Lanes {
        let ends = match S::COLOR {
            Color::White => [!0, 0, NOT_A, NOT_H, 0, 0, 0, 0],
            Color::Black => [0, 0, 0, 0, !0, 0, NOT_H, NOT_A],
        };
        let allowed = Lanes::pairs(!self.occupied(), self.theirs) & Lanes::new(ends);
        pawns.shift_halves_apart(STEP) & allowed
    }

    /// Counts what [`pawn_moves`](AttackMap::pawn_moves) does not include: double steps, and the
    /// three additional choices at a promotion.
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

/// Returns the number of legal moves of the side to move, `S`.
#[inline(always)]
pub(super) fn count<S: Side>(board: &Board) -> usize {
    let attack_map = AttackMap::new::<S>(board);
    if attack_map.danger & Bitboard::of(attack_map.king).0 != 0 {
        return count_in_check::<S>(board);
    }
    let pinned = attack_map.pinned();
    let rooks = board.castling_rooks().0 & attack_map.ours & !pinned.union();
    attack_map.king_steps()
        + attack_map.moves_to::<S>(!attack_map.ours, pinned)
        + castlings(&attack_map, Bitboard(rooks))
        + en_passant_captures::<S>(board)
}

/// Counts the legal moves in check: king moves, captures of a single checker and interpositions.
///
/// Computes the attack map again. Passing it in would cost every position without check more than
/// recomputing costs the few positions with one.
#[inline(never)]
fn count_in_check<S: Side>(board: &Board) -> usize {
    let mut attack_map = AttackMap::new::<S>(board);
    let (pieces, king) = (board.pieces(), attack_map.king);
    attack_map.danger |= attack_map.danger_behind_king();
    let checkers = pieces.attackers(<S::Other as Side>::COLOR, king, pieces.occupied());
    if checkers.has_multiple() {
        return attack_map.king_steps();
    }
    let checker = checkers.first_or_a1();
    let targets = attacks::between(king, checker).with(checker);
    attack_map.king_steps()
        + attack_map.moves_to::<S>(targets.0, attack_map.pinned())
        + en_passant_captures::<S>(board)
}

#[inline(always)]
fn castlings(attack_map: &AttackMap, rooks: Bitboard) -> usize {
    let is_possible = |rook: &Square| {
        is_castling_way_free(attack_map.king, *rook, Bitboard(attack_map.occupied()))
            && is_castling_safe(attack_map.king, *rook, Bitboard(attack_map.danger))
    };
    if rooks.is_empty() { 0 } else { rooks.into_iter().filter(is_possible).count() }
}

#[inline(always)]
fn en_passant_captures<S: Side>(board: &Board) -> usize {
    let capturers = |passed| board.en_passant_capturers::<S>(passed).count();
    board.en_passant::<S>().map_or(0, capturers)
}
