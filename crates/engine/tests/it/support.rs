//! Helpers that several modules use.

use core::time::Duration;

use castellan_engine::{Answer, Engine, Limits, Options, Signals};
use castellan_rules::{CastlingSpelling, Line, Position, UciMove};

/// Creates a line from a FEN and UCI moves.
#[track_caller]
pub(crate) fn line(fen: &str, moves: &str) -> Line {
    let mut line = Line::new(Position::from_fen(fen).expect("tests use good FENs"));
    for text in moves.split_whitespace() {
        let said = UciMove::parse(text).expect("tests spell moves well");
        let mv = said.resolve(line.position()).expect("tests play legal moves");
        line.play(mv).expect("a resolved move is legal");
    }
    line
}

/// Searches with a clock that never advances.
pub(crate) fn search(engine: &mut Engine, line: &Line, limits: &Limits) -> Answer {
    engine.go(line, limits, &|| Duration::ZERO, &Signals::default(), &mut |_| {})
}

/// Searches a FEN to a depth with a new engine.
pub(crate) fn to_depth(fen: &str, depth: u32) -> Answer {
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    search(&mut new_engine(), &line(fen, ""), &limits)
}

pub(crate) fn new_engine() -> Engine {
    Engine::new(Options { hash_mb: 4, threads: 1 })
}

/// Returns the best move in UCI.
pub(crate) fn best(answer: &Answer) -> String {
    let mv = answer.mv.expect("there is a legal move");
    UciMove::from_move(mv, CastlingSpelling::KingTakesRook).to_string()
}
