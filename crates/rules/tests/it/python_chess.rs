//! The rules agree with python-chess on recorded games: every legal move, every check, every
//! castling right, every legal en passant square and both counters of every position.

use castellan_testkit::python_chess::{digest, games};

use crate::support::{fen, legal_uci, uci};

#[test]
fn digests_are_equal() {
    let mut positions = 0;
    for game in games() {
        let mut position = fen(game.start_fen);
        let mut seen = vec![position];
        for text in &game.moves {
            position = position.play_unchecked(uci(&position, text));
            seen.push(position);
        }
        positions += seen.len();
        let lines = seen.iter().map(|at| (at.to_fen(), legal_uci(at), at.is_check()));
        assert_eq!(digest(lines), game.digest, "{} {:?}", game.start_fen, game.moves);
    }
    assert!(positions >= 100_000, "only {positions} positions");
}
