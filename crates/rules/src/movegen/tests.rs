//! The vectorized counts equal the piece-by-piece ones at every node of several trees.
//!
//! A build uses only one of the two, so the other one would otherwise go untested.

use super::{Limits, Selection, count_one_by_one, danger_at_once, danger_one_by_one, flood};
use crate::Position;
use crate::side::{Black, Side, White};
use crate::{Color, board::Board};

/// Positions with castling, checks, pins, promotions and en passant captures, including Chess960.
const POSITIONS: [&str; 7] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "3k4/3p4/4P3/2r1K2q/8/1b6/3R4/7b w - - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
];

fn check<S: Side>(board: &Board, fen: &str) {
    assert_eq!(flood::count::<S>(board), count_one_by_one::<S>(board), "{fen}");
    let limits = Limits::new::<S>(board, Selection::All);
    let at_once = danger_at_once::<S>(board, &limits);
    assert_eq!(at_once, danger_one_by_one::<S>(board, &limits), "{fen}");
}

fn walk(position: &Position, depth: u32) -> u32 {
    match position.turn() {
        Color::White => check::<White>(position.board(), &position.to_fen()),
        Color::Black => check::<Black>(position.board(), &position.to_fen()),
    }
    if depth == 0 {
        return 1;
    }
    let below = |&mv| walk(&position.play_unchecked(mv), depth - 1);
    1 + position.legal_moves().iter().map(below).sum::<u32>()
}

#[test]
fn both_ways_agree() {
    let mut nodes = 0;
    for fen in POSITIONS {
        nodes += walk(&Position::from_fen(fen).expect("the positions are sound"), 3);
    }
    assert!(nodes > 200_000, "only {nodes} positions were compared");
}
