//! Endgame technique that levels never forget once they have it: mating a bare king.

use castellan_rules::{Position, Role};

use super::Level;

/// The level from which a queen or a rook is enough to mate a bare king.
const MATES_FROM: u16 = 900;
/// The number of nodes that is enough to mate within fifty moves.
const NODES: u64 = 20_000;

/// Returns the number of nodes to search, without overlooking moves, if the level knows how to
/// win the position.
pub(super) fn nodes(level: Level, position: &Position) -> Option<u64> {
    let (turn, heavy) = (position.turn(), position.role(Role::Queen) | position.role(Role::Rook));
    let is_bare = !position.color(!turn).has_multiple();
    let is_known = is_bare && (heavy & position.color(turn)).any();
    (is_known && level.points() >= MATES_FROM).then(|| NODES.max(level.nodes()))
}
