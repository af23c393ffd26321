//! Random openings of games between engines.

use castellan_rules::{Color, Line, Position, Role, Setup};

use crate::random::Random;

/// An opening in which a side is ahead by more than this is dropped, in centipawns.
pub(crate) const MAX_OPENING_ADVANTAGE: i32 = 250;

/// Plays random moves from a starting position, and one more in half of the cases. Returns `None`
/// if they end the game.
pub(crate) fn opening(random: &mut Random, plies: usize, chess960_percent: u8) -> Option<Line> {
    let plies = plies + random.below(2);
    let mut line = Line::new(start(random, chess960_percent));
    for _ in 0..plies {
        let moves = line.position().legal_moves();
        line.play(*moves.get(random.below(moves.len()))?).ok()?;
    }
    line.outcome().is_none().then_some(line)
}

/// Chooses a random starting position: the standard one, or one of Chess960.
fn start(random: &mut Random, chess960_percent: u8) -> Position {
    if random.below(100) >= usize::from(chess960_percent) {
        return Position::start();
    }
    let white = random.below(960) as u16;
    let black = if random.below(2) == 0 { white } else { random.below(960) as u16 };
    double_chess960(white, black).unwrap_or_default()
}

/// Returns the starting position in which each color has its own Chess960 number.
fn double_chess960(white: u16, black: u16) -> Option<Position> {
    let (mut setup, other) = (Setup::chess960(white)?, Setup::chess960(black)?);
    for (square, piece) in other.pieces.iter() {
        if piece.color == Color::Black {
            setup.pieces.put(piece, square);
        }
    }
    setup.castling_rooks = setup.pieces.role(Role::Rook);
    setup.position().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_colors_of_a_double_start_can_castle() {
        let mut random = Random::new(7);
        for _ in 0..200 {
            let numbers = [random.below(960) as u16, random.below(960) as u16];
            let position = double_chess960(numbers[0], numbers[1]).unwrap();
            assert_eq!(position.castling_rooks().count(), 4, "{position:?}");
            let own = [0, 1].map(|index| Position::chess960(numbers[index]).unwrap());
            for (color, own) in Color::ALL.into_iter().zip(own) {
                for role in Role::ALL {
                    let [there, here] = [&own, &position].map(|p| p.role(role) & p.color(color));
                    assert_eq!(there, here);
                }
            }
        }
    }
}
