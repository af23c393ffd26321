//! Legal move generation. Pins, check evasions and squares forbidden to the king are known before
//! moves are generated, so that no move has to be made and taken back.

use castellan_arch::HAS_VECTOR_LANES;

use crate::attacks;
use crate::board::{Board, castled_squares};
use crate::side::Side;
use crate::{Bitboard, Color, Move, MoveKind, MoveList, Promotion, Rank, Role, Square};

mod flood;
#[cfg(test)]
mod tests;

/// A receiver of moves as they are generated. Implementations that need single moves implement
/// only `one`; those that can handle whole sets of targets override the other methods.
pub(crate) trait Sink {
    /// Receives one move.
    fn one(&mut self, mv: Move);

    /// Receives the moves of a piece from one square to each of these targets.
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets {
            self.one(Move { from, to, role, kind: MoveKind::Normal });
        }
    }

    /// Receives pawn moves to each of these targets. Each pawn comes from the square `back` away
    /// from its target.
    #[inline(always)]
    fn pawns(&mut self, kind: MoveKind, back: i32, targets: Bitboard) {
        for to in targets {
            let from = Square::wrapping((to as i32 + back) as u32);
            self.one(Move { from, to, role: Role::Pawn, kind });
        }
    }

    /// Receives pawn moves to each of these targets on the last rank, with all four promotions.
    #[inline(always)]
    fn promotions(&mut self, back: i32, targets: Bitboard) {
        for to in targets {
            let from = Square::wrapping((to as i32 + back) as u32);
            for promotion in Promotion::ALL {
                let kind = MoveKind::Promotion(promotion);
                self.one(Move { from, to, role: Role::Pawn, kind });
            }
        }
    }
}

/// A sink that counts moves.
pub(crate) struct Count(pub(crate) usize);

impl Sink for Count {
    #[inline(always)]
    fn one(&mut self, _mv: Move) {
        self.0 += 1;
    }
    #[inline(always)]
    fn piece(&mut self, _role: Role, _from: Square, targets: Bitboard) {
        self.0 += targets.count();
    }
    #[inline(always)]
    fn pawns(&mut self, _kind: MoveKind, _back: i32, targets: Bitboard) {
        self.0 += targets.count();
    }
    #[inline(always)]
    fn promotions(&mut self, _back: i32, targets: Bitboard) {
        self.0 += 4 * targets.count();
    }
}

impl Sink for MoveList {
    #[inline(always)]
    fn one(&mut self, mv: Move) {
        self.push(mv);
    }
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        self.push_all(targets, |to| Move { from, to, role, kind: MoveKind::Normal });
    }
    #[inline(always)]
    fn pawns(&mut self, kind: MoveKind, back: i32, targets: Bitboard) {
        self.push_all(targets, |to| {
            let from = Square::wrapping((to as i32 + back) as u32);
            Move { from, to, role: Role::Pawn, kind }
        });
    }
}

/// Which legal moves to generate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Selection {
    /// All of them.
    All,
    /// Captures and promotions.
    Noisy,
    /// Everything else.
    Quiet,
}

/// Returns the number of legal moves of the side to move, `S`.
#[inline(always)]
pub(crate) fn count<S: Side>(board: &Board) -> usize {
    if HAS_VECTOR_LANES { flood::count::<S>(board) } else { count_one_by_one::<S>(board) }
}

/// Like [`count`], without vectors.
#[inline(always)]
fn count_one_by_one<S: Side>(board: &Board) -> usize {
    let mut count = Count(0);
    generate::<S, Count>(board, Selection::All, &mut count);
    count.0
}

/// The constraints on the moves of the side to move, `S`, computed once.
struct Limits {
    ours: Bitboard,
    theirs: Bitboard,
    occupied: Bitboard,
    king: Square,
    checkers: Bitboard,
    /// For our pieces pinned on ranks and files, the squares between the king and the pinning
    /// piece, and the pinning piece itself.
    line_pins: Bitboard,
    /// The same for diagonal pins.
    diagonal_pins: Bitboard,
    /// Where a piece other than the king may move: not onto our pieces, and in check only to
    /// block or capture.
    targets: Bitboard,
    /// Where moves of the selected kind may end, leaving checks and pins aside.
    wanted: Bitboard,
    /// The same for pawns, whose step to the last rank is not a quiet move.
    wanted_of_pawns: Bitboard,
}

impl Limits {
    #[inline(always)]
    fn new<S: Side>(board: &Board, selection: Selection) -> Limits {
        let pieces = board.pieces();
        let (ours, theirs) = (pieces.color(S::COLOR), pieces.color(<S::Other as Side>::COLOR));
        let king = (pieces.role(Role::King) & ours).first_or_a1();
        let queens = pieces.role(Role::Queen);
        let mut checkers = theirs
            & (attacks::knight(king) & pieces.role(Role::Knight)
                | attacks::pawn(S::COLOR, king) & pieces.role(Role::Pawn));
        // Looking through our own pieces, a slider gives check, pins a piece or is blocked at
        // least twice.
        let mut pins = [Bitboard::EMPTY; 2];
        let snipers = [
            attacks::rook(king, theirs) & theirs & (pieces.role(Role::Rook) | queens),
            attacks::bishop(king, theirs) & theirs & (pieces.role(Role::Bishop) | queens),
        ];
        for (pins, snipers) in pins.iter_mut().zip(snipers) {
            for sniper in snipers {
                let between = attacks::between(king, sniper);
                let blockers = between & ours;
                if blockers.is_empty() {
                    checkers |= sniper.into();
                } else if !blockers.has_multiple() {
                    *pins |= between.with(sniper);
                }
            }
        }
        let mut targets = !ours;
        if let Some(checker) = checkers.first() {
            targets &= attacks::between(king, checker).with(checker);
            if checkers.has_multiple() {
                targets = Bitboard::EMPTY;
            }
        }
        let last = S::rank(Rank::Eighth);
        let (wanted, wanted_of_pawns) = match selection {
            Selection::All => (Bitboard::FULL, Bitboard::FULL),
            Selection::Noisy => (theirs, theirs | last),
            Selection::Quiet => (!theirs, !(theirs | last)),
        };
        Limits {
            ours,
            theirs,
            occupied: ours | theirs,
            king,
            checkers,
            line_pins: pins[0],
            diagonal_pins: pins[1],
            targets,
            wanted,
            wanted_of_pawns,
        }
    }
}

/// Sends every legal move of the selected kind by the side to move, `S`, to the sink.
#[inline(always)]
pub(crate) fn generate<S: Side, K: Sink>(board: &Board, selection: Selection, sink: &mut K) {
    let limits = Limits::new::<S>(board, selection);
    king_moves::<S, K>(board, &limits, selection, sink);
    if limits.checkers.has_multiple() {
        return;
    }
    pawn_moves::<S, K>(board, &limits, sink);
    piece_moves::<K>(board, &limits, sink);
    if selection == Selection::Quiet {
        return;
    }
    if let Some(passed) = board.en_passant::<S>() {
        for from in board.en_passant_capturers::<S>(passed) {
            let back = from as i32 - passed as i32;
            sink.pawns(MoveKind::EnPassant, back, passed.into());
        }
    }
}

#[inline(always)]
fn piece_moves<K: Sink>(board: &Board, limits: &Limits, sink: &mut K) {
    let pieces = board.pieces();
    let Limits { ours, occupied, line_pins, diagonal_pins, .. } = *limits;
    let targets = limits.targets & limits.wanted;
    let free = ours & !(line_pins | diagonal_pins);
    let queens = pieces.role(Role::Queen);
    for from in pieces.role(Role::Knight) & free {
        sink.piece(Role::Knight, from, attacks::knight(from) & targets);
    }
    for from in pieces.role(Role::Bishop) & free {
        sink.piece(Role::Bishop, from, attacks::bishop(from, occupied) & targets);
    }
    for from in pieces.role(Role::Rook) & free {
        sink.piece(Role::Rook, from, attacks::rook(from, occupied) & targets);
    }
    for from in queens & free {
        sink.piece(Role::Queen, from, attacks::queen(from, occupied) & targets);
    }
    for from in (pieces.role(Role::Bishop) | queens) & ours & diagonal_pins {
        let role = if queens.contains(from) { Role::Queen } else { Role::Bishop };
        sink.piece(role, from, attacks::bishop(from, occupied) & targets & diagonal_pins);
    }
    for from in (pieces.role(Role::Rook) | queens) & ours & line_pins {
        let role = if queens.contains(from) { Role::Queen } else { Role::Rook };
        sink.piece(role, from, attacks::rook(from, occupied) & targets & line_pins);
    }
}

/// Generates pawn moves. A pinned pawn stays on the line of its pin: lines through the king meet
/// only at the king, so a target on any pin line of the same kind is on the pawn's own line.
#[inline(always)]
fn pawn_moves<S: Side, K: Sink>(board: &Board, limits: &Limits, sink: &mut K) {
    let Limits { ours, theirs, occupied, line_pins, diagonal_pins, .. } = *limits;
    let targets = limits.targets & limits.wanted_of_pawns;
    let pawns = board.pieces().role(Role::Pawn) & ours;
    let last = S::rank(Rank::Eighth);
    let forward = if S::COLOR == Color::White { 8 } else { -8 };

    let steppers = pawns & !diagonal_pins;
    let steps = (S::forward(steppers & !line_pins) | S::forward(steppers & line_pins) & line_pins)
        & !occupied;
    let double_steps = S::forward(steps & S::rank(Rank::Third)) & !occupied & targets;
    let steps = steps & targets;

    let takers = pawns & !line_pins;
    let (free, pinned) = (takers & !diagonal_pins, takers & diagonal_pins);
    let left = (S::forward_left(free) | S::forward_left(pinned) & diagonal_pins) & theirs & targets;
    let right =
        (S::forward_right(free) | S::forward_right(pinned) & diagonal_pins) & theirs & targets;

    sink.pawns(MoveKind::Normal, -forward, steps & !last);
    sink.pawns(MoveKind::DoubleStep, -2 * forward, double_steps);
    sink.pawns(MoveKind::Normal, 1 - forward, left & !last);
    sink.pawns(MoveKind::Normal, -1 - forward, right & !last);
    if ((steps | left | right) & last).any() {
        sink.promotions(-forward, steps & last);
        sink.promotions(1 - forward, left & last);
        sink.promotions(-1 - forward, right & last);
    }
}

#[inline(always)]
fn king_moves<S: Side, K: Sink>(
    board: &Board,
    limits: &Limits,
    selection: Selection,
    sink: &mut K,
) {
    let steps = attacks::king(limits.king) & !limits.ours & limits.wanted;
    let rooks = match selection {
        Selection::Noisy => Bitboard::EMPTY,
        Selection::All | Selection::Quiet => castling_candidates::<S>(board, limits),
    };
    if (steps | rooks).is_empty() {
        return;
    }
    let danger = danger::<S>(board, limits);
    sink.piece(Role::King, limits.king, steps & !danger);
    for rook in rooks {
        if is_castling_safe(limits.king, rook, danger) {
            let kind = MoveKind::Castle;
            sink.one(Move { from: limits.king, to: rook, role: Role::King, kind });
        }
    }
}

/// Returns the rooks with a clear path to castle; attacked squares are not checked yet.
#[inline(always)]
fn castling_candidates<S: Side>(board: &Board, limits: &Limits) -> Bitboard {
    // A pinned castling rook stands between the king and an attacker on the back rank that would
    // attack the king once the rook has moved. This happens only in Chess960.
    let rooks = board.castling_rooks() & limits.ours & !limits.line_pins;
    if rooks.is_empty() || limits.checkers.any() {
        return Bitboard::EMPTY;
    }
    let is_free = |rook: &Square| is_castling_way_free(limits.king, *rook, limits.occupied);
    rooks.into_iter().filter(is_free).collect()
}

/// Returns `true` if no other piece is in the way of the castling king and rook (FIDE 3.8.2.2).
#[inline(always)]
fn is_castling_way_free(king: Square, rook: Square, occupied: Bitboard) -> bool {
    // The king and the rook together cross every square between them. Testing those first is fast
    // and usually enough.
    (attacks::between(king, rook) & occupied).is_empty() && is_whole_way_free(king, rook, occupied)
}

fn is_whole_way_free(king: Square, rook: Square, occupied: Bitboard) -> bool {
    let (king_to, rook_to) = castled_squares(king, rook);
    let way = attacks::between(king, king_to).with(king_to)
        | attacks::between(rook, rook_to).with(rook_to);
    (way & occupied.without(king).without(rook)).is_empty()
}

/// Returns `true` if the king neither crosses nor reaches an attacked square (FIDE 3.8.2.2).
fn is_castling_safe(king: Square, rook: Square, danger: Bitboard) -> bool {
    let (king_to, _) = castled_squares(king, rook);
    let path = attacks::between(king, king_to).with(king_to);
    (path & danger).is_empty()
}

/// Returns the squares the opponent attacks, also through our king, which gives itself no cover.
#[inline(always)]
fn danger<S: Side>(board: &Board, limits: &Limits) -> Bitboard {
    if HAS_VECTOR_LANES {
        danger_at_once::<S>(board, limits)
    } else {
        danger_one_by_one::<S>(board, limits)
    }
}

/// Like [`danger`], with vectors.
#[inline(always)]
fn danger_at_once<S: Side>(board: &Board, limits: &Limits) -> Bitboard {
    let attack_map = flood::AttackMap::new::<S>(board);
    let behind = if limits.checkers.any() { attack_map.danger_behind_king() } else { 0 };
    Bitboard(attack_map.danger | behind)
}

/// Like [`danger`], without vectors.
#[inline(always)]
fn danger_one_by_one<S: Side>(board: &Board, limits: &Limits) -> Bitboard {
    let pieces = board.pieces();
    let theirs = limits.theirs;
    let occupied = limits.occupied.without(limits.king);
    let queens = pieces.role(Role::Queen);
    let mut danger = <S::Other as Side>::pawn_attacks(pieces.role(Role::Pawn) & theirs)
        | attacks::king((pieces.role(Role::King) & theirs).first_or_a1());
    for from in pieces.role(Role::Knight) & theirs {
        danger |= attacks::knight(from);
    }
    for from in (pieces.role(Role::Bishop) | queens) & theirs {
        danger |= attacks::bishop(from, occupied);
    }
    for from in (pieces.role(Role::Rook) | queens) & theirs {
        danger |= attacks::rook(from, occupied);
    }
    danger
}
