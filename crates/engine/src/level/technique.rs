//! What is learned once and then never forgotten: to mate a bare king.

use castellan_rules::{Position, Role};

use super::Level;

/// From this level on a queen or a rook is enough to mate a bare king.
const MATES_FROM: u16 = 900;
/// Positions that are enough to do so within fifty moves.
const NODES: u64 = 20_000;

/// How many positions are looked at, with open eyes, if the level knows how to win this.
pub(super) fn nodes(level: Level, position: &Position) -> Option<u64> {
    let (turn, heavy) = (position.turn(), position.role(Role::Queen) | position.role(Role::Rook));
    let is_bare = !position.color(!turn).is_many();
    let is_known = is_bare && (heavy & position.color(turn)).any();
    (is_known && level.points() >= MATES_FROM).then(|| NODES.max(level.nodes()))
}
