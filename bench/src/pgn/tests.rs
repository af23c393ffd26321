//! Tests of the harness: agreement and rejected readers.

use anyhow::Result;

use super::source::{self, Source};
use super::{PgnCounts, PgnReader, PgnTask, READERS, castellan, ensure_same, measure};

fn constant(_source: &[u8]) -> Result<PgnCounts> {
    Ok(PgnCounts { games: 1, moves: 2, comments: 3 })
}

#[test]
fn both_read_the_sample() {
    let sources = source::load(&[]).expect("it is built in");
    for task in [PgnTask::Tokens, PgnTask::Moves] {
        let ratios = measure(task, &sources, 1).expect("both count the same");
        assert!(ratios[0].contains("pgn-reader"), "{ratios:?}");
    }
    let counts = (READERS[0].tokens)(&sources[0].bytes).expect("it is a sample of games");
    assert!(counts.games > 100 && counts.moves > 10_000 && counts.comments > 1_000, "{counts:?}");
}

#[test]
fn variations_count_as_tokens_but_are_not_played() {
    let bytes = b"1. e4 {a} (1. d4 d5 {b}) e5 *";
    for reader in READERS {
        let tokens = (reader.tokens)(bytes).expect("nothing is wrong with it");
        assert_eq!(tokens, PgnCounts { games: 1, moves: 4, comments: 2 }, "{}", reader.name);
        let moves = (reader.moves)(bytes).expect("nothing is wrong with it");
        assert_eq!(moves, PgnCounts { games: 1, moves: 2, comments: 0 }, "{}", reader.name);
    }
}

#[test]
fn an_illegal_move_ends_the_run() {
    for reader in READERS {
        let error = (reader.moves)(b"1. e5 *").expect_err("pawns do not go there");
        assert_eq!(error.to_string(), format!("{} cannot read e5", reader.name));
    }
}

#[test]
fn different_counts_end_the_run() {
    let source = Source { name: "x".to_owned(), bytes: b"1. e4 *".to_vec() };
    let wrong = PgnReader { name: "constant", tokens: constant, moves: constant };
    let pair = [castellan::READER, wrong];
    let error = ensure_same(&pair, PgnTask::Tokens, &source).expect_err("one move is not two");
    assert!(error.to_string().starts_with("x: tokens: castellan counts"), "{error}");
}
