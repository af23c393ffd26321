//! The engine finds a legal move in any position.

use castellan_engine::{Engine, Limits, Options};
use castellan_rules::{Line, Position};
use castellan_testkit::play::{GameShape, Start, random_games};
use castellan_testkit::scatter::scattered_positions;

use crate::support::search;

fn answers_legally(engine: &mut Engine, fen: &str, limits: &Limits) {
    let line = Line::new(Position::from_fen(fen).expect("tests use good FENs"));
    let answer = search(engine, &line, limits);
    match answer.mv {
        Some(mv) => assert!(line.position().is_legal(mv), "{fen} {mv:?}"),
        None => assert!(!line.position().has_legal_move(), "{fen}"),
    }
}

#[test]
fn positions_of_random_games_get_a_legal_move() {
    let mut engine = Engine::new(Options { hash_mb: 1, threads: 1 });
    let limits = Limits { nodes: Some(600), ..Limits::default() };
    for start in [Start::Standard, Start::Chess960] {
        let shape = GameShape { start, ..GameShape::default() };
        for game in random_games(51, shape).take(12) {
            for oracle in game.positions().step_by(3) {
                answers_legally(&mut engine, &oracle.to_fen(), &limits);
            }
        }
    }
}

#[test]
fn scattered_positions_get_a_legal_move() {
    let mut engine = Engine::new(Options { hash_mb: 1, threads: 1 });
    let limits = Limits { nodes: Some(500), ..Limits::default() };
    for oracle in scattered_positions(52).take(500) {
        answers_legally(&mut engine, &oracle.to_fen(), &limits);
    }
}

#[test]
fn many_queens_do_not_overflow_the_evaluation() {
    let mut engine = Engine::new(Options { hash_mb: 1, threads: 1 });
    let limits = Limits { nodes: Some(3000), ..Limits::default() };
    for fen in [
        "QQQQQQQk/QQQQQQQQ/8/8/8/8/8/K7 b - - 0 1",
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
        "qqqqqqqk/qqqqqqqq/8/8/8/8/8/KQQQQQQQ w - - 0 1",
        "k7/8/8/8/8/8/8/K7 w - - 0 1",
    ] {
        if Position::from_fen(fen).is_ok() {
            answers_legally(&mut engine, fen, &limits);
        }
    }
}
