//! The words for a contradiction: which code, which squares, which numbers.

use castellan_rules::{Bitboard, Role, Setup, Square};

use super::assignment::{MEN, NEVER};
use super::ground::Ground;
use super::is_refuted;
use super::quick::number;
use super::side::{FIRST_PAWN, Side, start_square};
use crate::{Case, Code, Finding, Value};

/// Every man on the board was somebody at the start.
pub(super) fn check_places(ground: &Ground, side: &Side) -> Result<(), Finding> {
    for (place, square, role) in side.on_board() {
        if side.costs[place].iter().all(|&cost| cost >= NEVER) {
            let code = match role {
                Role::Pawn => Code::PawnOrigin,
                _ if ground.is_cut_off(side.color, role, square) => Code::Caged,
                _ => Code::NoPromotion,
            };
            return Err(Finding::new(code, Bitboard::of(square)).with(Value::Square(square)));
        }
    }
    Ok(())
}

/// The pawns did not capture more men than there were to capture.
pub(super) fn check_captures(side: &Side, captures: usize) -> Result<(), Finding> {
    if side.needed <= captures {
        return Ok(());
    }
    let on_board = side.on_board();
    let pawns = on_board.filter(|&(_, _, role)| role == Role::Pawn).map(|(_, square, _)| square);
    let promoted = |&(place, _, role): &(usize, Square, Role)| {
        role != Role::Pawn && side.costs[place][..FIRST_PAWN].iter().all(|&cost| cost >= NEVER)
    };
    let promoted: Bitboard =
        side.on_board().filter(promoted).map(|(_, square, _)| square).collect();
    let code = if promoted.any() { Code::PromotionCaptures } else { Code::PawnCaptures };
    let squares = pawns.collect::<Bitboard>() | promoted;
    Err(Finding::new(code, squares).with(number(side.needed)).with(number(captures)))
}

/// Why there is no way to say who is who.
pub(super) fn of_assignment(side: &Side) -> Finding {
    let is_lost = |&man: &usize| side.costs.iter().all(|costs| costs[man] >= NEVER);
    if let Some(man) = (0..MEN).find(is_lost) {
        let home = start_square(side.color, man);
        return Finding::new(Code::Unaccounted, Bitboard::of(home)).with(Value::Square(home));
    }
    let squares = crowd(side);
    Finding::new(Code::NotFromHome, squares).with(Value::Squares(squares))
}

/// Men on the board that are more than those of the start they can have been, or all men if the
/// captured ones are the trouble.
fn crowd(side: &Side) -> Bitboard {
    let mut place_of = [MEN; MEN];
    for place in 0..side.len {
        let mut asked = 0;
        if !seat(side, place, &mut place_of, &mut asked) {
            let rivals = (0..MEN).filter(|&man| asked >> man & 1 == 1).map(|man| place_of[man]);
            let places = rivals.chain([place]).filter(|&place| place < side.len);
            return places.map(|place| side.men[place].0).collect();
        }
    }
    side.on_board().map(|(_, square, _)| square).collect()
}

/// Gives a place a man, if need be by giving others another one; `asked` are the men tried.
fn seat(side: &Side, place: usize, place_of: &mut [usize; MEN], asked: &mut u16) -> bool {
    for man in 0..MEN {
        if side.costs[place][man] >= NEVER || *asked >> man & 1 == 1 {
            continue;
        }
        *asked |= 1 << man;
        if place_of[man] == MEN || seat(side, place_of[man], place_of, asked) {
            place_of[man] = place;
            return true;
        }
    }
    false
}

/// The finding for a position that would be fine without some of its castling rights.
///
/// Those are named that alone are to blame, and all of them if no single one is.
pub(super) fn of_rights(case: &Case, finding: &Finding) -> Finding {
    let rooks = case.setup.castling_rooks;
    let is_to_blame = |&rook: &Square| !is_refuted(&without_rights(case, Bitboard::of(rook)));
    let blamed: Bitboard = rooks.into_iter().filter(is_to_blame).collect();
    let blamed = if blamed.any() { blamed } else { rooks };
    let squares = finding.squares | blamed;
    Finding::new(Code::CastlingContradiction, squares).with(Value::Squares(blamed))
}

/// The case without some of its castling rights.
pub(super) fn without_rights(case: &Case, rooks: Bitboard) -> Case {
    let castling_rooks = case.setup.castling_rooks & !rooks;
    Case { setup: Setup { castling_rooks, ..case.setup }, ..*case }
}
