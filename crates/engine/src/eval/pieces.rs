//! Knights, bishops, rooks and queens: mobility and good squares.

use castellan_rules::{Bitboard, Color, Rank, Role, Square, attacks};

use super::evaluation::Evaluation;
use super::geometry::{fill_files, forward, ranks};
use super::survey::Survey;
use super::terms::{
    BISHOP_LONG_DIAGONAL, BISHOP_MOBILITY, BISHOP_PAIR, BISHOP_PAWNS, KNIGHT_MOBILITY,
    KNIGHT_PER_PAWN, MINOR_SHIELDED, OUTPOST, OUTPOST_REACHABLE, QUEEN_MOBILITY, QUEEN_XRAYED,
    ROOK_FILE, ROOK_MOBILITY, ROOK_PER_PAWN, ROOK_SEVENTH, ROOK_TRAPPED,
};
use super::trace::Trace;

/// The four center squares.
const CENTER: Bitboard = Bitboard(0x0000_0018_1800_0000);
/// The mobility up to which a rook may count as trapped.
const TRAPPED_MOBILITY: usize = 3;

/// Evaluates all pieces of a color except the king, and records their attacks in the survey.
#[inline(always)]
pub(crate) fn pieces<T: Trace>(
    survey: &mut Survey<'_>,
    color: Color,
    evaluation: &mut Evaluation<'_, T>,
) {
    knights(survey, color, evaluation);
    bishops(survey, color, evaluation);
    rooks(survey, color, evaluation);
    queens(survey, color, evaluation);
}

/// Returns the attacks of a piece, restricted to the line of the pin if it is pinned to its king.
#[inline(always)]
fn unpinned(survey: &Survey<'_>, color: Color, square: Square, squares: Bitboard) -> Bitboard {
    if !survey.blockers[color.index()].contains(square) {
        return squares;
    }
    let king = survey.kings[color.index()];
    squares & line_through(king, square)
}

/// Returns the squares of the line through a king and a square to which a pinned piece may go.
fn line_through(king: Square, square: Square) -> Bitboard {
    let rook = attacks::rook(king, Bitboard::EMPTY);
    let reach = if rook.contains(square) {
        rook & attacks::rook(square, Bitboard::EMPTY)
    } else {
        attacks::bishop(king, Bitboard::EMPTY) & attacks::bishop(square, Bitboard::EMPTY)
    };
    reach | attacks::between(king, square)
}

/// Returns the squares on which a minor piece is permanently safe from enemy pawns.
#[inline(always)]
fn outposts(survey: &Survey<'_>, color: Color) -> Bitboard {
    let high = ranks(color, [Rank::Fourth, Rank::Fifth, Rank::Sixth]);
    high & survey.attacks[color.index()][Role::Pawn.index()] & !survey.pawn_reach[(!color).index()]
}

#[inline(always)]
fn knights<T: Trace>(survey: &mut Survey<'_>, color: Color, evaluation: &mut Evaluation<'_, T>) {
    let knights = survey.pieces(color, Role::Knight);
    let outposts = outposts(survey, color);
    for square in knights {
        let seen = if survey.blockers[color.index()].contains(square) {
            Bitboard::EMPTY
        } else {
            attacks::knight(square)
        };
        survey.record_attacks(color, Role::Knight, seen);
        let mobility = (seen & survey.mobility_area[color.index()]).count();
        evaluation.add(color, KNIGHT_MOBILITY + mobility, 1);
        if outposts.contains(square) {
            evaluation.add(color, OUTPOST, 1);
        } else if (seen & outposts & !survey.position.color(color)).any() {
            evaluation.add(color, OUTPOST_REACHABLE, 1);
        }
    }
    let minors = knights | survey.pieces(color, Role::Bishop);
    let shielded = minors & forward(!color, survey.position.role(Role::Pawn));
    evaluation.add(color, MINOR_SHIELDED, shielded.count() as i32);
    let pawns = survey.pawns[color.index()].count();
    evaluation.add(color, KNIGHT_PER_PAWN, (knights.count() * pawns) as i32);
}

#[inline(always)]
fn bishops<T: Trace>(survey: &mut Survey<'_>, color: Color, evaluation: &mut Evaluation<'_, T>) {
    let bishops = survey.pieces(color, Role::Bishop);
    // Bishops and queens on one diagonal support each other, so bishops see through queens.
    let through = survey.occupied & !survey.position.role(Role::Queen);
    let outposts = outposts(survey, color);
    for square in bishops {
        let seen = unpinned(survey, color, square, attacks::bishop(square, through));
        survey.record_attacks(color, Role::Bishop, seen);
        let mobility = (seen & survey.mobility_area[color.index()]).count();
        evaluation.add(color, BISHOP_MOBILITY + mobility, 1);
        if outposts.contains(square) {
            evaluation.add(color, OUTPOST + 1, 1);
        }
        let own = if square.is_light() { Bitboard::LIGHT } else { Bitboard::DARK };
        let in_the_way = survey.pawns[color.index()] & own;
        evaluation.add(color, BISHOP_PAWNS, in_the_way.count() as i32);
        let long = attacks::bishop(square, survey.position.role(Role::Pawn)).with(square);
        if (long & CENTER).has_multiple() {
            evaluation.add(color, BISHOP_LONG_DIAGONAL, 1);
        }
    }
    if (bishops & Bitboard::LIGHT).any() && (bishops & Bitboard::DARK).any() {
        evaluation.add(color, BISHOP_PAIR, 1);
    }
}

#[inline(always)]
fn rooks<T: Trace>(survey: &mut Survey<'_>, color: Color, evaluation: &mut Evaluation<'_, T>) {
    let rooks = survey.pieces(color, Role::Rook);
    let heavy = survey.position.role(Role::Queen) | rooks;
    let through = survey.occupied & !heavy;
    let own_files = fill_files(survey.pawns[color.index()]);
    let their_files = fill_files(survey.pawns[(!color).index()]);
    for square in rooks {
        let seen = unpinned(survey, color, square, attacks::rook(square, through));
        survey.record_attacks(color, Role::Rook, seen);
        let mobility = (seen & survey.mobility_area[color.index()]).count();
        evaluation.add(color, ROOK_MOBILITY + mobility, 1);
        if !own_files.contains(square) {
            evaluation.add(color, ROOK_FILE + usize::from(!their_files.contains(square)), 1);
        } else if mobility <= TRAPPED_MOBILITY && is_shut_in(survey, color, square) {
            evaluation.add(color, ROOK_TRAPPED, 1);
        }
        if survey.rank(color, square) == Rank::Seventh.index() && is_seventh_worth(survey, color) {
            evaluation.add(color, ROOK_SEVENTH, 1);
        }
    }
    let pawns = survey.pawns[color.index()].count();
    evaluation.add(color, ROOK_PER_PAWN, (rooks.count() * pawns) as i32);
}

/// Returns `true` if a rook stands between its king, which has lost the right to castle, and the
/// edge.
fn is_shut_in(survey: &Survey<'_>, color: Color, rook: Square) -> bool {
    let king = survey.kings[color.index()];
    let rights = survey.position.castling_rooks() & survey.position.color(color);
    let is_outside = if king.file().index() >= 4 {
        rook.file() > king.file()
    } else {
        rook.file() < king.file()
    };
    rights.is_empty() && is_outside && rook.rank() == king.rank()
}

/// Returns `true` if a rook on the seventh rank has something to attack.
fn is_seventh_worth(survey: &Survey<'_>, color: Color) -> bool {
    let them = !color;
    let seventh = Bitboard::rank(Rank::Seventh.relative_to(color));
    let is_king_behind = survey.rank(color, survey.kings[them.index()]) == Rank::Eighth.index();
    is_king_behind || (survey.pawns[them.index()] & seventh).any()
}

#[inline(always)]
fn queens<T: Trace>(survey: &mut Survey<'_>, color: Color, evaluation: &mut Evaluation<'_, T>) {
    for square in survey.pieces(color, Role::Queen) {
        let seen = attacks::queen(square, survey.occupied);
        let seen = unpinned(survey, color, square, seen);
        survey.record_attacks(color, Role::Queen, seen);
        let mobility = (seen & survey.mobility_area[color.index()]).count();
        evaluation.add(color, QUEEN_MOBILITY + mobility, 1);
        if is_xrayed(survey, color, square) {
            evaluation.add(color, QUEEN_XRAYED, 1);
        }
    }
}

/// Returns `true` if exactly one piece stands between a queen and an enemy rook or bishop.
fn is_xrayed(survey: &Survey<'_>, color: Color, queen: Square) -> bool {
    let rooks = survey.pieces(!color, Role::Rook) & attacks::rook(queen, Bitboard::EMPTY);
    let bishops = survey.pieces(!color, Role::Bishop) & attacks::bishop(queen, Bitboard::EMPTY);
    (rooks | bishops).into_iter().any(|sniper| {
        let between = attacks::between(queen, sniper) & survey.occupied;
        between.any() && !between.has_multiple()
    })
}
