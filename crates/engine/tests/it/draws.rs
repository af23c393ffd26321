//! Repetition and the fifty-move rule, as the engine applies them.

use castellan_engine::{Limits, Score};

use crate::support::{best, line, new_engine, search, to_depth};

const DEPTH_8: Limits = Limits {
    depth: Some(8),
    nodes: None,
    soft_nodes: None,
    mate: None,
    move_time: None,
    clocks: [None; 2],
    moves_to_go: None,
    moves: Vec::new(),
    lines: 1,
    overhead: core::time::Duration::ZERO,
    handicap: None,
};

#[test]
fn a_third_repetition_saves_the_weaker_side() {
    // Black has no queen and repeats the position for the third time.
    let start = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let line = line(start, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1");
    let answer = search(&mut new_engine(), &line, &DEPTH_8);
    assert_eq!(best(&answer), "f6g8");
    assert_eq!(answer.score, Score::Centipawns(0));
}

#[test]
fn a_second_occurrence_in_the_game_is_not_yet_a_draw() {
    let start = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let line = line(start, "g1f3 g8f6 f3g1");
    let answer = search(&mut new_engine(), &line, &DEPTH_8);
    assert!(matches!(answer.score, Score::Centipawns(value) if value < -400), "{answer:?}");
}

#[test]
fn a_perpetual_check_is_a_draw() {
    // White is two rooks down and about to be mated, but the queen gives perpetual check on e8
    // and h5.
    let answer = to_depth("6k1/6p1/8/7Q/8/2q5/1rr3PP/7K w - - 0 1", 12);
    assert_eq!(answer.score, Score::Centipawns(0), "{answer:?}");
}

#[test]
fn the_hundredth_quiet_ply_is_a_draw() {
    // White is a rook up, but any move is the fiftieth without progress.
    let answer = to_depth("8/8/8/4k3/8/8/8/R3K3 w - - 99 120", 6);
    assert_eq!(answer.score, Score::Centipawns(0));
    let earlier = to_depth("8/8/8/4k3/8/8/8/R3K3 w - - 60 120", 6);
    assert!(earlier.score != Score::Centipawns(0));
}

#[test]
fn mate_comes_before_the_fifty_moves() {
    let answer = to_depth("7k/8/6K1/8/8/8/8/R7 w - - 99 120", 4);
    assert_eq!((best(&answer).as_str(), answer.score), ("a1a8", Score::Mate(1)));
}

#[test]
fn a_pawn_move_resets_the_count() {
    let answer = to_depth("8/8/8/4k3/8/8/P7/R3K3 w - - 99 120", 6);
    assert_eq!(&best(&answer)[..2], "a2");
    assert!(matches!(answer.score, Score::Centipawns(value) if value > 100), "{answer:?}");
}

/// No pawn can ever move again, and the bishop can attack none of the enemy pawns.
const WALLS: &str = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4KB2 w - - 0 1";
/// The same, except for a pawn that can still step to h3.
const GAP: &str = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P2/7P/4KB2 w - - 0 1";

#[test]
fn a_dead_position_is_a_draw_whatever_the_material() {
    assert_eq!(to_depth(WALLS, 8).score, Score::Centipawns(0));
    let for_black = WALLS.replace(" w ", " b ");
    assert_eq!(to_depth(&for_black, 8).score, Score::Centipawns(0));
}

#[test]
fn the_move_that_closes_the_walls_is_a_draw() {
    let line = line(GAP, "");
    let closing = castellan_rules::UciMove::parse("h2h3").unwrap();
    let moves = vec![closing.resolve(line.position()).unwrap()];
    let answer = search(&mut new_engine(), &line, &Limits { moves, ..DEPTH_8 });
    assert_eq!(answer.score, Score::Centipawns(0));
    let answer = search(&mut new_engine(), &line, &DEPTH_8);
    assert_ne!(best(&answer), "h2h3");
    assert!(matches!(answer.score, Score::Centipawns(value) if value > 100), "{answer:?}");
}
