//! Static proofs that a side cannot win.

use castellan_rules::{Color, Position, Role, attacks};

use super::reach::Reach;
use super::{ghosts, material, net, split};
use crate::Budget;

/// How many positions of a search take the time of one case.
const COST_OF_CASE: u64 = 16;

/// Whether it is likely enough that a side is shut in, so that a proof is worth trying: no queen
/// and no rook of it is at large, and no pawn is on its way.
pub(super) fn is_shut_in(position: &Position, winner: Color) -> bool {
    let pieces = position.pieces();
    let winners = pieces.color(winner);
    let occupied = pieces.occupied();
    let is_at_large = |square| (attacks::rook(square, occupied) & !winners).count() > 3;
    let heavy = winners & (pieces.role(Role::Queen) | pieces.role(Role::Rook));
    !heavy.into_iter().any(is_at_large)
}

/// What the slower arguments may spend at the start of a search.
const CASES: u64 = 200;
const STATES: u64 = 20_000;

/// Where moves are no more than these, each is followed for so many moves.
const FEW_MOVES: usize = 4;
const FOLLOWED: u32 = 3;

/// Whether no mate is possible wherever the men go, by all arguments there are. False means only
/// that this is not shown.
pub(super) fn is_unwinnable(position: &Position, winner: Color, budget: &mut Budget<'_>) -> bool {
    is_shown(position, winner, FOLLOWED, budget)
}

fn is_shown(position: &Position, winner: Color, followed: u32, budget: &mut Budget<'_>) -> bool {
    if material::is_insufficient(position.pieces(), winner) && !position.is_checkmate() {
        return true;
    }
    let reach = Reach::of(position);
    let is_blocked = !net::may_mate(&reach, winner)
        || budget.with_part(CASES, |part| split::is_unwinnable(position, winner, part))
        || budget.with_part(STATES, |part| ghosts::is_unwinnable(position, &reach, winner, part));
    if is_blocked || followed == 0 {
        return is_blocked;
    }
    let moves = position.legal_moves();
    if moves.is_empty() {
        return position.turn() == winner || !position.is_check();
    }
    let is_lost = |&mv| is_shown(&position.play_unchecked(mv), winner, followed - 1, budget);
    moves.len() <= FEW_MOVES && moves.iter().all(is_lost)
}

/// The same where most positions are expected to be winnable after all.
pub(super) fn is_surely_unwinnable(position: &Position, winner: Color) -> bool {
    Reach::of_shut_in(position, winner).is_some_and(|reach| !net::may_mate(&reach, winner))
}

/// The same, with ghosts if need be; also says what they have spent of what they may.
pub(super) fn weigh(position: &Position, winner: Color, nodes: u64) -> (bool, u64) {
    let Some(reach) = Reach::of_shut_in(position, winner) else { return (false, 0) };
    if !net::may_mate(&reach, winner) {
        return (true, 0);
    }
    let mut cases = Budget::of_nodes(nodes / COST_OF_CASE);
    if split::is_unwinnable(position, winner, &mut cases) {
        return (true, 0);
    }
    let mut states = Budget::of_nodes(nodes);
    let is_unwinnable = ghosts::is_unwinnable(position, &reach, winner, &mut states);
    (is_unwinnable, cases.spent() * COST_OF_CASE + states.spent())
}
