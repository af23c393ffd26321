//! The squares the opponent attacks: pieces that stand there or go there may be lost.

use castellan_rules::{Bitboard, Color, File, Position, Role, attacks};

/// Returns every square that the side not to move attacks.
pub(crate) fn threatened(position: &Position) -> Bitboard {
    let them = !position.turn();
    let (theirs, occupied) = (position.color(them), position.occupied());
    let queens = position.role(Role::Queen);
    let mut squares = attacks::king(position.king(them));
    squares |= by_pawns(them, position.role(Role::Pawn) & theirs);
    for from in position.role(Role::Knight) & theirs {
        squares |= attacks::knight(from);
    }
    for from in (position.role(Role::Bishop) | queens) & theirs {
        squares |= attacks::bishop(from, occupied);
    }
    for from in (position.role(Role::Rook) | queens) & theirs {
        squares |= attacks::rook(from, occupied);
    }
    squares
}

fn by_pawns(color: Color, pawns: Bitboard) -> Bitboard {
    let left = (pawns & !Bitboard::file(File::A)).0;
    let right = (pawns & !Bitboard::file(File::H)).0;
    Bitboard(match color {
        Color::White => left << 7 | right << 9,
        Color::Black => left >> 9 | right >> 7,
    })
}

#[cfg(test)]
mod tests {
    use castellan_testkit::play::{GameShape, random_games};

    use super::*;

    #[test]
    fn threatened_squares_are_those_with_attackers() {
        for game in random_games(71, GameShape::default()).take(40) {
            for oracle in game.positions() {
                let position = Position::from_fen(&oracle.to_fen()).unwrap();
                let attackers = |square| {
                    position.pieces().attackers(!position.turn(), square, position.occupied())
                };
                let expected: Bitboard = (!Bitboard::EMPTY)
                    .into_iter()
                    .filter(|&square| attackers(square).any())
                    .collect();
                assert_eq!(threatened(&position), expected, "{position:?}");
            }
        }
    }
}
