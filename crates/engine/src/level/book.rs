//! A small opening book, so that levels begin a game as people do.
//!
//! The lines are common openings, written as moves from square to square. A level follows any line
//! that begins with the moves played so far, and leaves the book after a few moves: sooner at a
//! low level, because beginners know less theory.

use castellan_rules::{Line, Move, Position, UciMove};

use super::Level;

/// The openings. The more lines begin with a move, the more often it is played.
const LINES: [&str; 58] = [
    // Open games
    "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7",
    "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1 f7f6",
    "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1g1 f6e4 d2d4 e4d6",
    "e2e4 e7e5 g1f3 b8c6 f1b5 d7d6 d2d4 c8d7 b1c3 g8f6",
    "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6 d2d3 d7d6",
    "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6 d2d3 d7d6",
    "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 b2b4 c5b4 c2c3 b4a5",
    "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 d2d3 f8e7 e1g1 e8g8",
    "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 f3g5 d7d5 e4d5 c6a5",
    "e2e4 e7e5 g1f3 b8c6 d2d4 e5d4 f3d4 g8f6 b1c3 f8b4",
    "e2e4 e7e5 g1f3 b8c6 d2d4 e5d4 f3d4 f8c5 c1e3 d8f6",
    "e2e4 e7e5 g1f3 b8c6 b1c3 g8f6 f1b5 f8b4 e1g1 e8g8",
    "e2e4 e7e5 g1f3 g8f6 f3e5 d7d6 e5f3 f6e4 d2d4 d6d5",
    "e2e4 e7e5 g1f3 d7d6 d2d4 e5d4 f3d4 g8f6 b1c3 f8e7",
    "e2e4 e7e5 b1c3 g8f6 f1c4 b8c6 d2d3 f8b4 g1e2 d7d5",
    "e2e4 e7e5 f2f4 e5f4 g1f3 g7g5 h2h4 g5g4 f3e5 g8f6",
    "e2e4 e7e5 f1c4 g8f6 d2d3 f8c5 g1f3 d7d6 c2c3 e8g8",
    // Sicilian Defense
    "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6",
    "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 g7g6",
    "e2e4 c7c5 g1f3 d7d6 f1b5 c8d7 b5d7 d8d7 e1g1 b8c6",
    "e2e4 c7c5 g1f3 b8c6 d2d4 c5d4 f3d4 g8f6 b1c3 e7e5",
    "e2e4 c7c5 g1f3 b8c6 f1b5 g7g6 e1g1 f8g7 f1e1 e7e5",
    "e2e4 c7c5 g1f3 e7e6 d2d4 c5d4 f3d4 a7a6 f1d3 g8f6",
    "e2e4 c7c5 g1f3 e7e6 d2d4 c5d4 f3d4 b8c6 b1c3 d8c7",
    "e2e4 c7c5 c2c3 g8f6 e4e5 f6d5 d2d4 c5d4 g1f3 b8c6",
    "e2e4 c7c5 c2c3 d7d5 e4d5 d8d5 d2d4 g8f6 g1f3 c8g4",
    "e2e4 c7c5 b1c3 b8c6 g2g3 g7g6 f1g2 f8g7 d2d3 d7d6",
    // French, Caro-Kann and other replies to the king's pawn
    "e2e4 e7e6 d2d4 d7d5 b1c3 g8f6 c1g5 f8e7 e4e5 f6d7",
    "e2e4 e7e6 d2d4 d7d5 b1c3 f8b4 e4e5 c7c5 a2a3 b4c3",
    "e2e4 e7e6 d2d4 d7d5 e4e5 c7c5 c2c3 b8c6 g1f3 d8b6",
    "e2e4 e7e6 d2d4 d7d5 e4d5 e6d5 g1f3 g8f6 f1d3 f8d6",
    "e2e4 c7c6 d2d4 d7d5 b1c3 d5e4 c3e4 c8f5 e4g3 f5g6",
    "e2e4 c7c6 d2d4 d7d5 e4e5 c8f5 g1f3 e7e6 f1e2 c6c5",
    "e2e4 c7c6 d2d4 d7d5 e4d5 c6d5 f1d3 b8c6 c2c3 g8f6",
    "e2e4 d7d5 e4d5 d8d5 b1c3 d5a5 d2d4 g8f6 g1f3 c8f5",
    "e2e4 d7d5 e4d5 g8f6 d2d4 f6d5 g1f3 g7g6 c2c4 d5b6",
    "e2e4 d7d6 d2d4 g8f6 b1c3 g7g6 g1f3 f8g7 f1e2 e8g8",
    "e2e4 g7g6 d2d4 f8g7 b1c3 d7d6 g1f3 g8f6 f1e2 e8g8",
    // Queen's pawn
    "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5 f8e7 e2e3 e8g8",
    "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c4d5 e6d5 c1g5 f8e7",
    "d2d4 d7d5 c2c4 e7e6 g1f3 g8f6 g2g3 f8e7 f1g2 e8g8",
    "d2d4 d7d5 c2c4 c7c6 g1f3 g8f6 b1c3 d5c4 a2a4 c8f5",
    "d2d4 d7d5 c2c4 c7c6 g1f3 g8f6 b1c3 e7e6 e2e3 b8d7",
    "d2d4 d7d5 c2c4 d5c4 g1f3 g8f6 e2e3 e7e6 f1c4 c7c5",
    "d2d4 d7d5 g1f3 g8f6 c1f4 e7e6 e2e3 c7c5 c2c3 b8c6",
    "d2d4 d7d5 c1f4 g8f6 e2e3 c7c5 c2c3 b8c6 b1d2 e7e6",
    "d2d4 d7d5 g1f3 g8f6 e2e3 c8f5 c2c4 e7e6 b1c3 c7c6",
    "d2d4 g8f6 c2c4 g7g6 b1c3 f8g7 e2e4 d7d6 g1f3 e8g8",
    "d2d4 g8f6 c2c4 g7g6 b1c3 d7d5 c4d5 f6d5 e2e4 d5c3",
    "d2d4 g8f6 c2c4 e7e6 b1c3 f8b4 e2e3 e8g8 f1d3 d7d5",
    "d2d4 g8f6 c2c4 e7e6 g1f3 b7b6 g2g3 c8b7 f1g2 f8e7",
    "d2d4 g8f6 c1f4 g7g6 e2e3 f8g7 g1f3 e8g8 f1e2 d7d6",
    "d2d4 f7f5 g2g3 g8f6 f1g2 e7e6 g1f3 f8e7 e1g1 e8g8",
    // Flank openings
    "c2c4 e7e5 b1c3 g8f6 g1f3 b8c6 g2g3 d7d5 c4d5 f6d5",
    "c2c4 g8f6 b1c3 e7e6 g1f3 d7d5 d2d4 f8e7 c1f4 e8g8",
    "c2c4 c7c5 g1f3 g8f6 b1c3 b8c6 g2g3 g7g6 f1g2 f8g7",
    "g1f3 d7d5 g2g3 g8f6 f1g2 e7e6 e1g1 f8e7 d2d3 e8g8",
    "g1f3 g8f6 c2c4 g7g6 g2g3 f8g7 f1g2 e8g8 e1g1 d7d6",
];

/// A level plays from the book for one ply per this many rating points.
const POINTS_PER_PLY: usize = 220;

/// Returns a book move for the last position of a line, or `None` if there is none or the level
/// does not know the opening that far. `random` chooses among the lines.
pub(super) fn choose(level: Level, line: &Line, random: u64) -> Option<Move> {
    let played = line.moves();
    let is_known = played.len() < usize::from(level.points()) / POINTS_PER_PLY;
    if !is_known || *line.start() != Position::start() {
        return None;
    }
    let next = |text: &&str| next_move(text, played);
    let moves: Vec<Move> = LINES.iter().filter_map(next).collect();
    let index = (u128::from(random) * moves.len() as u128) >> 64;
    moves.get(index as usize).copied()
}

/// Returns the move of a book line after the moves played so far, if the line begins with them.
fn next_move(text: &str, played: &[Move]) -> Option<Move> {
    let mut position = Position::start();
    let mut words = text.split_whitespace();
    for &mv in played {
        if UciMove::parse(words.next()?).ok()?.resolve(&position).ok()? != mv {
            return None;
        }
        position = position.play_unchecked(mv);
    }
    UciMove::parse(words.next()?).ok()?.resolve(&position).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_legal_and_of_the_same_length() {
        for text in LINES {
            let mut line = Line::new(Position::start());
            for word in text.split_whitespace() {
                let mv = UciMove::parse(word).unwrap().resolve(line.position());
                line.play(mv.unwrap_or_else(|_| panic!("{word} in {text}"))).unwrap();
            }
            assert_eq!(line.moves().len(), 10, "{text}");
        }
    }

    #[test]
    fn a_level_leaves_the_book_after_unknown_moves_and_low_levels_leave_it_first() {
        let mut line = Line::new(Position::start());
        let [low, high] = [400, 2800].map(|points| Level::new(points).unwrap());
        let first = choose(low, &line, 0).expect("every level has a first move");
        line.play(first).unwrap();
        assert_eq!(choose(low, &line, 0), None);
        assert!(choose(high, &line, u64::MAX).is_some());
        for word in ["h7h6", "a2a3"] {
            line.play(UciMove::parse(word).unwrap().resolve(line.position()).unwrap()).unwrap();
        }
        assert_eq!(choose(high, &line, 0), None);
    }

    #[test]
    fn a_game_from_another_start_has_no_book() {
        let line = Line::new(Position::chess960(0).unwrap());
        assert_eq!(choose(Level::HIGHEST, &line, 0), None);
    }
}
