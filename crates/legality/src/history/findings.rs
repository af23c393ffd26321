//! Explains contradictions: chooses the code, the squares and the numbers of a finding.

use castellan_rules::{Bitboard, Color, Rank, Role, Setup, Square, attacks};

use super::assignment::{IMPOSSIBLE, PIECES_PER_SIDE};
use super::quick::many_captures;
use super::side::{Side, start_role, start_square};
use super::track::{Track, attack, step};
use super::{History, cage, is_refuted};
use crate::matching::Matching;
use crate::{Case, Code, Finding, Value};

/// Checks that every piece on the board can be some original piece.
pub(super) fn check_places(history: &History) -> Result<(), Finding> {
    for side in &history.sides {
        for (place, square, role) in side.on_board() {
            if side.costs[place].iter().all(|&cost| cost >= IMPOSSIBLE) {
                return Err(match role {
                    Role::Pawn => no_way_for_pawn(history, side.color, square),
                    _ => cage::finding(history, side, role, square),
                });
            }
        }
    }
    Ok(())
}

/// Creates the finding for a pawn that cannot have come from any start square in the triangle
/// behind it.
fn no_way_for_pawn(history: &History, color: Color, square: Square) -> Finding {
    let unmoved = history.obstacles.unmoved;
    let second = Bitboard::rank(Rank::Second.relative_to(color));
    let mut behind = Bitboard::of(square);
    let mut starts = Bitboard::EMPTY;
    for _ in Rank::ALL {
        starts |= behind & second & !unmoved;
        behind = step(behind, !color) | attack(behind, !color);
    }
    // If it need not have captured, pawns on its own file were in its way.
    let start = starts & Bitboard::file(square.file());
    let path =
        start.first().map_or(Bitboard::EMPTY, |start| attacks::between(start, square)) | start;
    let is_in_way = |track: &Track| track.touches(path) && !track.present().contains(square);
    let tracks = history.tracks().filter(is_in_way);
    let others = tracks.fold(Bitboard::EMPTY, |all, track| all | track.present());
    let bars = others & Bitboard::file(square.file());
    let starts = if bars.any() { Bitboard::EMPTY } else { starts };
    Finding::new(Code::PawnWay, (starts | bars).with(square))
        .with_value(Value::Square(square))
        .with_value(Value::Squares(starts))
        .with_value(Value::Squares(bars))
}

/// Checks that the pawns did not capture more pieces than there were to capture.
pub(super) fn check_captures(side: &Side, captures: usize, missing: usize) -> Result<(), Finding> {
    if side.needed <= captures {
        return Ok(());
    }
    let costly = costly_places(side);
    let squares_of = |is_pawn: bool| -> Bitboard {
        let is_meant = |&(place, _, role): &(usize, Square, Role)| {
            costly >> place & 1 == 1 && (role == Role::Pawn) == is_pawn
        };
        side.on_board().filter(is_meant).map(|(_, square, _)| square).collect()
    };
    let (pawns, promoted) = (squares_of(true), squares_of(false));
    // If pawns that are gone made the captures, no piece on the board shows them.
    let more = if captures < missing { missing } else { 0 };
    let mut finding = many_captures(side.color, pawns, [side.needed, captures, more]);
    if promoted.any() || pawns.is_empty() {
        finding.code = Code::PromotionCaptures;
        finding.squares |= promoted;
        finding.values.push(Value::Squares(promoted));
    }
    Err(finding)
}

/// Returns the set of places that require captures in a cheapest assignment.
fn costly_places(side: &Side) -> u16 {
    let Some(matching) = Matching::cheapest(PIECES_PER_SIDE, PIECES_PER_SIDE, &side.costs) else {
        return 0;
    };
    let is_costly = |&place: &usize| side.costs[place][matching.column_of[place]] > 0;
    (0..PIECES_PER_SIDE).filter(is_costly).fold(0, |set, place| set | 1 << place)
}

/// Creates the finding for a side whose pieces cannot be assigned to places.
pub(super) fn of_assignment(side: &Side) -> Finding {
    let is_lost = |&original: &usize| side.costs.iter().all(|costs| costs[original] >= IMPOSSIBLE);
    if let Some(original) = (0..PIECES_PER_SIDE).find(is_lost) {
        let home = start_square(side.color, original);
        let finding = Finding::new(Code::Unaccounted, Bitboard::of(home));
        return finding.with_value(Value::Piece(start_role(original), home));
    }
    let (squares, starts) = crowd(side);
    Finding::new(Code::NotFromHome, squares | starts)
        .with_value(Value::Squares(squares))
        .with_value(Value::Squares(starts))
}

/// Returns pieces on the board that outnumber the original pieces they can be, and the start
/// squares of these. If the captured pieces are the problem, returns all pieces and no start
/// squares.
fn crowd(side: &Side) -> (Bitboard, Bitboard) {
    let mut place_of = [PIECES_PER_SIDE; PIECES_PER_SIDE];
    for place in 0..side.len {
        let mut asked = 0;
        if !seat(side, place, &mut place_of, &mut asked) {
            let asked = || (0..PIECES_PER_SIDE).filter(|&original| asked >> original & 1 == 1);
            let rivals = asked().map(|original| place_of[original]);
            let places = rivals.chain([place]).filter(|&place| place < side.len);
            let starts = asked().map(|original| start_square(side.color, original));
            return (places.map(|place| side.pieces[place].0).collect(), starts.collect());
        }
    }
    (side.on_board().map(|(_, square, _)| square).collect(), Bitboard::EMPTY)
}

/// Finds an original piece for a place, moving others if necessary. `asked` is the set of those
/// tried.
fn seat(
    side: &Side,
    place: usize,
    place_of: &mut [usize; PIECES_PER_SIDE],
    asked: &mut u16,
) -> bool {
    for original in 0..PIECES_PER_SIDE {
        if side.costs[place][original] >= IMPOSSIBLE || *asked >> original & 1 == 1 {
            continue;
        }
        *asked |= 1 << original;
        if place_of[original] == PIECES_PER_SIDE || seat(side, place_of[original], place_of, asked)
        {
            place_of[original] = place;
            return true;
        }
    }
    false
}

/// Creates the finding for a position that would be possible without some of its castling rights.
///
/// It names every right that is to blame on its own, or all rights if no single one is.
pub(super) fn of_rights(case: &Case, finding: Finding) -> Finding {
    let rooks = case.setup.castling_rooks;
    let is_to_blame = |&rook: &Square| !is_refuted(&without_rights(case, Bitboard::of(rook)));
    let blamed: Bitboard = rooks.into_iter().filter(is_to_blame).collect();
    let blamed = if blamed.any() { blamed } else { rooks };
    let squares = finding.squares | blamed;
    Finding::new(Code::CastlingContradiction, squares)
        .with_value(Value::Squares(blamed))
        .with_value(Value::Reason(Box::new(finding)))
}

/// Returns the case without some of its castling rights.
pub(super) fn without_rights(case: &Case, rooks: Bitboard) -> Case {
    let castling_rooks = case.setup.castling_rooks & !rooks;
    Case { setup: Setup { castling_rooks, ..case.setup }, ..*case }
}
