//! Threats, space and passed pawns: the terms that depend on attacks.

use castellan_rules::{Bitboard, Color, Rank, Role};

use super::evaluation::Evaluation;
use super::geometry::{CENTER_FILES, ahead, distance, fill_forward, forward, pawn_attacks, ranks};
use super::survey::Survey;
use super::terms::{
    HANGING, KING_THREAT, MINOR_THREAT, PASSED, PASSED_BLOCKED, PASSED_ENEMY_KING, PASSED_OWN_KING,
    PASSED_ROOK_BEHIND, PASSED_SAFE_STEP, PASSED_SAFE_WAY, PAWN_THREAT, PUSH_THREAT, QUEEN_THREAT,
    RESTRICTED, ROOK_THREAT, SPACE,
};
use super::trace::Trace;

/// Evaluates the threats by a color's pieces.
#[inline(always)]
pub(crate) fn threats<T: Trace>(
    survey: &Survey<'_>,
    color: Color,
    evaluation: &mut Evaluation<'_, T>,
) {
    let (us, them) = (color.index(), (!color).index());
    let theirs = survey.position.color(!color);
    let pieces = theirs & !survey.pawns[them];
    let weak = theirs & survey.weak(!color);
    let attacks = &survey.attacks[us];

    let by_pawns = attacks[Role::Pawn.index()];
    for (offset, role) in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen].iter().enumerate() {
        let attacked = by_pawns & theirs & survey.position.role(*role);
        evaluation.add(color, PAWN_THREAT + offset, attacked.count() as i32);
    }
    let minor_targets =
        (attacks[Role::Knight.index()] | attacks[Role::Bishop.index()]) & (weak | pieces);
    let rook_targets = attacks[Role::Rook.index()] & (weak | theirs & heavy(survey));
    for (offset, role) in Role::ALL[..5].iter().enumerate() {
        let pieces = survey.position.role(*role);
        evaluation.add(color, MINOR_THREAT + offset, (minor_targets & pieces).count() as i32);
        evaluation.add(color, ROOK_THREAT + offset, (rook_targets & pieces).count() as i32);
    }
    let loose = theirs & survey.attacked[us] & !survey.attacked[them];
    evaluation.add(color, HANGING, loose.count() as i32);
    let by_queen = attacks[Role::Queen.index()] & loose;
    evaluation.add(color, QUEEN_THREAT, by_queen.count() as i32);
    let by_king = attacks[Role::King.index()] & weak;
    evaluation.add(color, KING_THREAT, by_king.count() as i32);
    steps(survey, color, pieces, evaluation);
}

fn heavy(survey: &Survey<'_>) -> Bitboard {
    survey.position.role(Role::Queen)
}

/// Evaluates safe pawn pushes that would attack a piece, restricted squares and space.
#[inline(always)]
fn steps<T: Trace>(
    survey: &Survey<'_>,
    color: Color,
    pieces: Bitboard,
    evaluation: &mut Evaluation<'_, T>,
) {
    let (us, them) = (color.index(), (!color).index());
    let free = !survey.occupied;
    let once = forward(color, survey.pawns[us]) & free;
    let third = Bitboard::rank(Rank::Third.relative_to(color));
    let twice = forward(color, once & third) & free;
    let bad =
        survey.attacks[them][Role::Pawn.index()] | survey.attacked[them] & !survey.attacked[us];
    let safe = (once | twice) & !bad;
    let threatened = pawn_attacks(color, safe) & pieces;
    evaluation.add(color, PUSH_THREAT, threatened.count() as i32);

    let held = survey.attacks[them][Role::Pawn.index()] | survey.attacked_twice[them];
    let restricted = survey.attacked[us] & survey.attacked[them] & !held;
    evaluation.add(color, RESTRICTED, restricted.count() as i32);

    let home = CENTER_FILES & ranks(color, [Rank::Second, Rank::Third, Rank::Fourth]);
    let room = home & !survey.pawns[us] & !survey.attacks[them][Role::Pawn.index()];
    let behind = room & fill_forward(!color, survey.pawns[us]) & !survey.attacked[them];
    evaluation.add(color, SPACE, (room.count() + behind.count()) as i32);
}

/// Evaluates a color's passed pawns in the current position.
#[inline(always)]
pub(crate) fn passed<T: Trace>(
    survey: &Survey<'_>,
    color: Color,
    passed: Bitboard,
    evaluation: &mut Evaluation<'_, T>,
) {
    let (us, them) = (color.index(), (!color).index());
    let rooks = survey.pieces(color, Role::Rook);
    for pawn in passed {
        let rank = survey.rank(color, pawn);
        let bit = Bitboard::of(pawn);
        let stop = forward(color, bit);
        evaluation.add(color, PASSED + rank, 1);
        if (stop & survey.occupied).any() {
            evaluation.add(color, PASSED_BLOCKED + rank, 1);
        }
        if (stop & survey.attacked[them]).is_empty() {
            evaluation.add(color, PASSED_SAFE_STEP + rank, 1);
            if (ahead(color, bit) & (survey.attacked[them] | survey.position.color(!color)))
                .is_empty()
            {
                evaluation.add(color, PASSED_SAFE_WAY + rank, 1);
            }
        }
        let to = stop.first().unwrap_or(pawn);
        evaluation.add(color, PASSED_OWN_KING + rank, distance(survey.kings[us], to));
        evaluation.add(color, PASSED_ENEMY_KING + rank, distance(survey.kings[them], to));
        if (ahead(!color, bit) & rooks).any() {
            evaluation.add(color, PASSED_ROOK_BEHIND, 1);
        }
    }
}
