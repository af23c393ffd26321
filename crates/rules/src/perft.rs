//! Counting the leaves of the tree of legal moves.

use crate::board::Board;
use crate::movegen::{Count, generate};
use crate::side::{Black, Side, White};
use crate::{Color, MoveList, NoObserver, Position};

/// How many lines of exactly `depth` moves there are. The moves of the last ply are counted
/// without being made.
///
/// ```
/// use castellan_rules::{Position, perft};
/// assert_eq!(perft(&Position::start(), 4), 197_281);
/// ```
pub fn perft(position: &Position, depth: u32) -> u64 {
    let board = position.board();
    match (depth, board.turn()) {
        (0, _) => 1,
        (_, Color::White) => leaves::<White>(board, depth),
        (_, Color::Black) => leaves::<Black>(board, depth),
    }
}

fn leaves<S: Side>(board: &Board, depth: u32) -> u64 {
    if depth == 1 {
        let mut count = Count(0);
        generate::<S, Count>(board, &mut count);
        return count.0 as u64;
    }
    let mut moves = MoveList::new();
    generate::<S, MoveList>(board, &mut moves);
    moves.iter().map(|&mv| leaves::<S::Other>(&board.play::<S, _>(mv, &mut NoObserver), depth - 1)).sum()
}
