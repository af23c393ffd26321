//! Uses every feature of the rules in one program. Built for WebAssembly, its size is the size of
//! the rules.

use std::hint::black_box;

use castellan_rules::{CastlingSpelling, FenStyle, Line, Position, San, UciMove, fen, perft, san};

fn main() {
    let text: &str = black_box("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    if let Ok(setup) = fen::parse(text) {
        black_box(setup.problems().to_string());
    }
    let Ok(position) = Position::from_fen(text) else { return };
    black_box(position.to_fen_in(black_box(FenStyle::default())));
    black_box(perft(&position, black_box(2)));
    let mut line = Line::new(position);
    for mv in position.legal_moves().iter().copied() {
        black_box(UciMove::from_move(mv, black_box(CastlingSpelling::KingTakesRook)).to_string());
        black_box(san::write(&position, mv));
        black_box(line.play(mv).is_ok());
        black_box(line.claims_after(mv));
        black_box(line.outcome().map(|outcome| outcome.to_string()));
    }
    match (San::parse(text), UciMove::parse(text)) {
        (Ok(san), _) => drop(black_box(san.resolve(&position).map_err(|e| e.to_string()))),
        (_, Ok(mv)) => drop(black_box(mv.resolve(&position).map_err(|e| e.to_string()))),
        (Err(san), Err(uci)) => drop(black_box((san.to_string(), uci.to_string()))),
    }
}
