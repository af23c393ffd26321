//! Formats the moves of a game like a score sheet.

use castellan_rules::{Color, Line, Move, Position, san};

use crate::wrap::wrap;

/// Formats a move with its number: `1. e4` or `1... e5`.
pub(super) fn numbered(position: &Position, mv: Move) -> String {
    let dots = position.turn().fold(".", "...");
    format!("{}{dots} {}", position.fullmove_number(), san::write(position, mv))
}

/// Formats the whole game and its result in lines of up to 80 columns: `1. e4 e5 2. Nf3 *`.
pub(crate) fn score_sheet(line: &Line, result: &str) -> String {
    let mut text = String::new();
    for (position, &mv) in line.positions().iter().zip(line.moves()) {
        let has_number = text.is_empty() || position.turn() == Color::White;
        let word = if has_number { numbered(position, mv) } else { san::write(position, mv) };
        text.push_str(&word);
        text.push(' ');
    }
    text.push_str(result);
    wrap(text.split(' '))
}

/// Lists all legal moves in SAN, sorted.
pub(super) fn legal_moves(position: &Position) -> String {
    let mut moves: Vec<String> =
        position.legal_moves().iter().map(|&mv| san::write(position, mv)).collect();
    moves.sort_unstable();
    wrap(moves.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;
    use castellan_rules::San;

    #[track_caller]
    fn check(fen: &str, moves: &str, expected: &str) {
        let mut line = Line::new(Position::from_fen(fen).unwrap());
        for text in moves.split(' ') {
            line.play(San::parse(text).unwrap().resolve(line.position()).unwrap()).unwrap();
        }
        assert_eq!(score_sheet(&line, "*"), expected);
    }

    #[test]
    fn numbers_stand_before_white_moves_and_the_first() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        check(start, "e4 e5 Nf3", "1. e4 e5 2. Nf3 *");
        check("4k3/8/8/8/8/8/4P3/4K3 b - - 0 7", "Kd7 e4 Kd6", "7... Kd7 8. e4 Kd6 *");
        assert_eq!(score_sheet(&Line::default(), "1/2-1/2"), "1/2-1/2");
    }

    #[test]
    fn the_legal_moves_are_sorted() {
        let position = Position::from_fen("7k/8/8/8/8/8/P7/K7 w - -").unwrap();
        assert_eq!(legal_moves(&position), "Kb1 Kb2 a3 a4");
    }
}
