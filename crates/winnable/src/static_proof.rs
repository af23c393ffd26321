//! Static proofs that a side cannot win.

use castellan_rules::{Color, Position, Role, attacks};

use crate::Budget;
use crate::reach::Reach;
use crate::{ghosts, material, mating_net, split};

/// How many positions of a search take the time of one case.
const COST_OF_CASE: u64 = 16;

/// Returns whether a side seems shut in enough for a proof to be worth trying: none of its queens
/// and rooks is at large.
pub(crate) fn is_shut_in(position: &Position, winner: Color) -> bool {
    let pieces = position.pieces();
    let winners = pieces.color(winner);
    let occupied = pieces.occupied();
    let is_at_large = |square| (attacks::rook(square, occupied) & !winners).count() > 3;
    let heavy = winners & (pieces.role(Role::Queen) | pieces.role(Role::Rook));
    !heavy.into_iter().any(is_at_large)
}

/// The limits of the slower arguments at the start of a search.
const CASES: u64 = 200;
const STATES: u64 = 20_000;

/// If there are at most this many moves, each is followed, up to this depth.
const FEW_MOVES: usize = 4;
const FOLLOWED: u32 = 3;

/// Returns whether no mate is possible wherever the pieces go, by all arguments available.
/// `false` means only that there is no proof.
pub(crate) fn is_unwinnable(position: &Position, winner: Color, budget: &mut Budget<'_>) -> bool {
    is_shown(position, winner, FOLLOWED, budget)
}

fn is_shown(position: &Position, winner: Color, followed: u32, budget: &mut Budget<'_>) -> bool {
    if material::is_insufficient(position.pieces(), winner) && !position.is_checkmate() {
        return true;
    }
    let reach = Reach::of(position);
    let is_blocked = !mating_net::may_mate(&reach, winner)
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

/// Does the same with the fast argument only, for positions that are expected to be winnable.
pub(crate) fn is_surely_unwinnable(position: &Position, winner: Color) -> bool {
    Reach::of_shut_in(position, winner).is_some_and(|reach| !mating_net::may_mate(&reach, winner))
}

/// Does the same with cases and ghosts if necessary. Also returns the cost of a failed attempt.
pub(crate) fn prove_within(position: &Position, winner: Color, nodes: u64) -> (bool, u64) {
    let Some(reach) = Reach::of_shut_in(position, winner) else { return (false, 0) };
    if !mating_net::may_mate(&reach, winner) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks which of the arguments prove that a side cannot win: the mating net within the
    /// reach of the pieces, the cases, and the ghosts.
    #[track_caller]
    fn check(fen: &str, winner: Color, expected: [bool; 3]) {
        let position = Position::from_fen(fen).expect("the test gives a position");
        let reach = Reach::of(&position);
        let proofs = [
            !mating_net::may_mate(&reach, winner),
            split::is_unwinnable(&position, winner, &mut Budget::of_nodes(CASES)),
            ghosts::is_unwinnable(&position, &reach, winner, &mut Budget::of_nodes(STATES)),
        ];
        assert_eq!(proofs, expected, "{fen}");
    }

    #[test]
    fn each_argument_proves_something_of_its_own() {
        let wall = "8/8/3k3p/1p2p1pP/1P2P1P1/8/2K5/8 b - - 0 60";
        check(wall, Color::White, [true; 3]);
        let captures = "8/8/8/4k2B/1p1p4/1P1Pp1p1/4P1P1/2b2BRK b - - 0 60";
        check(captures, Color::Black, [false, true, false]);
        let bishops = "3k1b2/2p1pBp1/KpP1P1P1/1P3B2/4B1B1/5B2/8/8 w - - 3 57";
        check(bishops, Color::White, [false, false, true]);
    }
}
