use castellan_testkit::oracle::Oracle;
use castellan_testkit::python_chess::{RecordedGame, digest, games};

/// Returns the positions of a recorded game, replayed by the oracle.
fn positions(game: &RecordedGame) -> impl Iterator<Item = Oracle> {
    let start = Oracle::from_fen(game.start_fen).expect("python-chess writes valid FENs");
    let mut moves = game.moves.iter();
    std::iter::successors(Some(start), move |position| {
        let mv = moves.next()?;
        Some(position.play_uci(mv).unwrap_or_else(|| panic!("{mv} in {}", position.to_fen())))
    })
}

fn describe(position: &Oracle) -> (String, Vec<String>, bool) {
    (position.to_fen(), position.legal_uci(), position.is_check())
}

#[test]
fn the_oracle_agrees_with_python_chess() {
    for (number, game) in games().enumerate() {
        let seen = digest(positions(&game).map(|position| describe(&position)));
        assert_eq!(seen, game.digest, "game {number} from {}", game.start_fen);
    }
}

#[test]
fn there_are_a_hundred_thousand_positions_and_a_third_of_the_games_is_chess960() {
    let position_count: usize = games().map(|game| game.moves.len() + 1).sum();
    assert!(position_count >= 100_000, "{position_count}");
    let start = Oracle::start().to_fen();
    let shuffled_count = games().filter(|game| game.start_fen != start).count();
    assert!((300..400).contains(&shuffled_count), "{shuffled_count}");
}

#[test]
fn the_digest_is_fnv_1a_over_the_described_text() {
    // The published value for the empty text.
    assert_eq!(digest([]), 0xcbf2_9ce4_8422_2325);
    // Computed with another program over "f|a,b|1\n".
    let position = ("f".to_owned(), vec!["b".to_owned(), "a".to_owned()], true);
    assert_eq!(digest([position]), 0xef25_dc4e_a7ef_1caf);
}
