use std::collections::HashSet;

use castellan_testkit::chess960::{START_COUNT, back_rank, start_fen};
use castellan_testkit::oracle::START_FEN;

#[track_caller]
fn check(number: u16, expected: &str) {
    assert_eq!(back_rank(number).as_deref(), Some(expected), "{number}");
}

#[test]
fn known_numbers() {
    check(0, "BBQNNRKR");
    check(1, "BQNBNRKR");
    check(518, "RNBQKBNR");
    check(534, "RNBKQBNR");
    check(959, "RKRNNQBB");
}

#[test]
fn the_normal_game_is_number_518() {
    assert_eq!(start_fen(518).as_deref(), Some(START_FEN));
}

#[test]
fn there_is_no_number_960() {
    assert_eq!(back_rank(START_COUNT), None);
    assert_eq!(start_fen(u16::MAX), None);
}

#[test]
fn all_numbers_differ_and_keep_the_rules() {
    let ranks: HashSet<String> = (0..START_COUNT).filter_map(back_rank).collect();
    assert_eq!(ranks.len(), 960);
    for rank in ranks {
        let files = |letter| rank.match_indices(letter).map(|(file, _)| file).collect::<Vec<_>>();
        let (kings, rooks, bishops) = (files('K'), files('R'), files('B'));
        assert_eq!((kings.len(), rooks.len(), bishops.len()), (1, 2, 2), "{rank}");
        assert_eq!((files('Q').len(), files('N').len()), (1, 2), "{rank}");
        assert!(rooks[0] < kings[0] && kings[0] < rooks[1], "{rank}");
        assert_ne!(bishops[0] % 2, bishops[1] % 2, "{rank}");
    }
}
