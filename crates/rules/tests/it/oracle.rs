//! The fast rules and the slow reference agree on every position.
//!
//! The oracle of the test kit implements FIDE articles 3.1 to 3.9 and Guidelines II by trying
//! every move. It shares no code with the rules. The seeds are split over several tests so that
//! they run in parallel.

use castellan_rules::Position;
use castellan_testkit::oracle::Oracle;
use castellan_testkit::play::{GameShape, random_move};
use castellan_testkit::random::SplitMix64;
use castellan_testkit::scatter::scattered_positions;

use crate::support::{CHESS960, fen, legal_uci, uci};

/// The number of positions from games, over all tests of this file.
const GAME_POSITIONS: usize = 1_000_000;
/// The number of scattered positions, which come from no game, over all tests of this file.
const SCATTERED_POSITIONS: usize = 200_000;

fn agree(position: &Position, oracle: &Oracle) {
    let expected_fen = oracle.to_fen();
    assert_eq!(position.to_fen(), expected_fen);
    let expected = oracle.legal_uci();
    assert_eq!(legal_uci(position), expected, "{expected_fen}");
    assert_eq!(position.count_legal_moves(), expected.len(), "{expected_fen}");
    assert_eq!(position.has_legal_move(), !expected.is_empty(), "{expected_fen}");
    let is_check = oracle.is_check();
    assert_eq!(position.is_check(), is_check, "{expected_fen}");
    assert_eq!(position.is_checkmate(), is_check && expected.is_empty(), "{expected_fen}");
    assert_eq!(position.is_stalemate(), !is_check && expected.is_empty(), "{expected_fen}");
    let en_passant = position.en_passant().map(|square| square.to_string());
    assert_eq!(en_passant, oracle.legal_en_passant().map(|square| square.to_string()));
}

/// Plays random games with both implementations until this many positions have been compared.
fn agree_in_games(seed: u64, positions: usize, shape: GameShape) {
    let mut rng = SplitMix64::new(seed);
    let mut compared = 0;
    while compared < positions {
        let opening =
            castellan_testkit::play::random_game(&mut rng, &GameShape { max_plies: 0, ..shape });
        let mut oracle = opening.start;
        let mut position = fen(&oracle.to_fen());
        for _ in 0..=shape.max_plies {
            agree(&position, &oracle);
            compared += 1;
            let Some(mv) = random_move(&mut rng, &oracle, shape.by_kind_percent) else {
                break;
            };
            position = position.play_unchecked(uci(&position, &mv.to_string()));
            oracle = oracle.play_unchecked(mv);
        }
    }
}

/// Compares scattered positions, and the positions one move later.
fn agree_when_scattered(seed: u64, positions: usize) {
    let mut rng = SplitMix64::new(seed);
    for oracle in scattered_positions(seed).take(positions / 2) {
        let position = fen(&oracle.to_fen());
        agree(&position, &oracle);
        if let Some(mv) = random_move(&mut rng, &oracle, 100) {
            let next = position.play_unchecked(uci(&position, &mv.to_string()));
            agree(&next, &oracle.play_unchecked(mv));
        }
    }
}

macro_rules! agree {
    ($($name:ident: $call:expr;)*) => {
        $(#[test]
        fn $name() {
            $call;
        })*
    };
}

/// The number of positions that each of the ten tests with games compares.
const SHARE: usize = GAME_POSITIONS / 10;

agree! {
    games_1: agree_in_games(1, SHARE, GameShape::default());
    games_2: agree_in_games(2, SHARE, GameShape::default());
    games_3: agree_in_games(3, SHARE, GameShape::default());
    games_4: agree_in_games(4, SHARE, GameShape::default());
    games_5: agree_in_games(5, SHARE, GameShape::default());
    chess960_games_1: agree_in_games(101, SHARE, CHESS960);
    chess960_games_2: agree_in_games(102, SHARE, CHESS960);
    chess960_games_3: agree_in_games(103, SHARE, CHESS960);
    chess960_games_4: agree_in_games(104, SHARE, CHESS960);
    chess960_games_5: agree_in_games(105, SHARE, CHESS960);
    scattered_1: agree_when_scattered(201, SCATTERED_POSITIONS / 2);
    scattered_2: agree_when_scattered(202, SCATTERED_POSITIONS / 2);
}
