//! King safety: the pawn shelter and the danger from enemy pieces.
//!
//! King danger is a separate sum that is squared, because attackers support each other.

use castellan_rules::{Bitboard, Color, File, Role, attacks};

use super::evaluation::Evaluation;
use super::generated::weights::DANGER;
use super::geometry::{files_around_king, fill_forward};
use super::pair::{Pair, pair};
use super::survey::Survey;
use super::terms::{
    ATTACKER, BARE_FILES, BASE, BLOCKERS, KING_OPEN_FILE, KING_PAWNLESS_WING, KNIGHT_DEFENDER,
    NO_QUEEN, RING_ATTACKS, RING_WEAK, SAFE_CHECK, SHELTER, STORM, UNSAFE_CHECKS, WING_ATTACKS,
    WING_DEFENSE,
};
use super::trace::Trace;

/// The divisor for the square of the danger, which gives the middlegame penalty.
pub(crate) const DANGER_SQUARE: i32 = 4096;
/// The divisor for the danger, which gives the endgame penalty.
pub(crate) const DANGER_SHARE: i32 = 16;
/// The maximum danger.
pub(crate) const DANGER_LIMIT: i32 = 2000;

/// Evaluates shelter, pawn storm and danger of a color's king.
#[inline(always)]
pub(crate) fn king<T: Trace>(
    survey: &Survey<'_>,
    color: Color,
    evaluation: &mut Evaluation<'_, T>,
) {
    let bare_files = shelter(survey, color, evaluation);
    let danger = danger(survey, color, bare_files, evaluation.trace);
    evaluation.add_score(color, -penalty(danger));
}

/// Returns the penalty for a danger.
pub(crate) fn penalty(danger: i32) -> Pair {
    let danger = danger.clamp(0, DANGER_LIMIT);
    pair(danger * danger / DANGER_SQUARE, danger / DANGER_SHARE)
}

/// Evaluates the pawns of both colors on the three files around the king. Returns the number of
/// those files without a friendly pawn.
#[inline(always)]
fn shelter<T: Trace>(survey: &Survey<'_>, color: Color, evaluation: &mut Evaluation<'_, T>) -> i32 {
    let (us, them) = (color.index(), (!color).index());
    let king = survey.kings[us];
    let not_behind = fill_forward(color, Bitboard::rank(king.rank()));
    let center = king.file().index().clamp(1, 6);
    let mut bare_files = 0;
    for file in center - 1..=center + 1 {
        let squares = Bitboard::file(File::ALL[file]) & not_behind;
        let own = rearmost_rank(survey, color, survey.pawns[us] & squares);
        let enemy = rearmost_rank(survey, color, survey.pawns[them] & squares);
        evaluation.add(color, SHELTER + 8 * file.min(7 - file) + own, 1);
        let is_blocked = own > 0 && own + 1 == enemy;
        evaluation.add(color, STORM + 8 * usize::from(is_blocked) + enemy, 1);
        bare_files += i32::from(own == 0);
    }
    let all_pawns = survey.pawns[us] | survey.pawns[them];
    if (Bitboard::file(king.file()) & all_pawns).is_empty() {
        evaluation.add(color, KING_OPEN_FILE, 1);
    }
    if (files_around_king(king.file()) & all_pawns).is_empty() {
        evaluation.add(color, KING_PAWNLESS_WING, 1);
    }
    bare_files
}

/// Returns the rank of the pawn nearest to a color's own side, or 0 if there is none.
#[inline(always)]
fn rearmost_rank(survey: &Survey<'_>, color: Color, pawns: Bitboard) -> usize {
    let pawn = color.fold(pawns.first(), pawns.last());
    pawn.map_or(0, |pawn| survey.rank(color, pawn))
}

/// A running sum of king danger, and the trace that listens.
struct DangerSum<'a, T: Trace> {
    color: Color,
    sum: i32,
    trace: &'a mut T,
}

impl<T: Trace> DangerSum<'_, T> {
    #[inline(always)]
    fn add(&mut self, index: usize, count: i32) {
        self.sum += DANGER[index] * count;
        self.trace.danger(self.color, index, count);
    }
}

/// Returns the danger to a color's king.
#[inline(always)]
fn danger<T: Trace>(survey: &Survey<'_>, color: Color, bare_files: i32, trace: &mut T) -> i32 {
    let (us, them) = (color.index(), (!color).index());
    let mut peril = DangerSum { color, sum: 0, trace };
    for (offset, &count) in survey.attackers[us].iter().enumerate() {
        peril.add(ATTACKER + offset, count);
    }
    peril.add(RING_ATTACKS, survey.ring_attacks[us]);
    let own = &survey.attacks[us];
    let barely = !survey.attacked[us] | own[Role::King.index()] | own[Role::Queen.index()];
    let weak = survey.attacked[them] & !survey.attacked_twice[us] & barely;
    peril.add(RING_WEAK, (survey.ring[us] & weak).count() as i32);
    checks(survey, color, weak, &mut peril);

    peril.add(BLOCKERS, survey.blockers[us].count() as i32);
    let camp = files_around_king(survey.kings[us].file()) & own_camp(color);
    let attacked = survey.attacked[them] & camp;
    let twice = attacked & survey.attacked_twice[them];
    peril.add(WING_ATTACKS, (attacked.count() + twice.count()) as i32);
    peril.add(WING_DEFENSE, (survey.attacked[us] & camp).count() as i32);
    let has_queen = survey.pieces(!color, Role::Queen).any();
    peril.add(NO_QUEEN, i32::from(!has_queen));
    let is_defended = (own[Role::Knight.index()] & own[Role::King.index()]).any();
    peril.add(KNIGHT_DEFENDER, i32::from(is_defended));
    peril.add(BARE_FILES, bare_files);
    peril.add(BASE, 1);
    peril.sum
}

/// Returns the five ranks nearest to a color.
#[inline(always)]
fn own_camp(color: Color) -> Bitboard {
    Bitboard(color.fold(0x0000_00ff_ffff_ffff, 0xffff_ffff_ff00_0000))
}

/// Adds the danger of the checks that the opponent of a color could give.
#[inline(always)]
fn checks<T: Trace>(
    survey: &Survey<'_>,
    color: Color,
    weak: Bitboard,
    peril: &mut DangerSum<'_, T>,
) {
    let (us, them) = (color.index(), (!color).index());
    let king = survey.kings[us];
    let theirs = &survey.attacks[them];
    let free = !survey.position.color(!color);
    let safe = free & (!survey.attacked[us] | weak & survey.attacked_twice[them]);
    let through = survey.occupied & !survey.pieces(color, Role::Queen);
    let rook_lines = attacks::rook(king, through);
    let bishop_lines = attacks::bishop(king, through);
    let knight_steps = attacks::knight(king);
    let by_role = [
        (Role::Knight, knight_steps),
        (Role::Bishop, bishop_lines),
        (Role::Rook, rook_lines),
        (Role::Queen, rook_lines | bishop_lines),
    ];
    let mut unsafe_checks = Bitboard::EMPTY;
    for (offset, (role, lines)) in by_role.into_iter().enumerate() {
        let squares = lines & theirs[role.index()] & free;
        let safe_squares = squares & safe;
        peril.add(SAFE_CHECK + offset, (safe_squares.count() as i32).min(2));
        if safe_squares.is_empty() && role != Role::Queen {
            unsafe_checks |= squares;
        }
    }
    peril.add(UNSAFE_CHECKS, unsafe_checks.count() as i32);
}
