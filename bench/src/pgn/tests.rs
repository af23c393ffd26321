//! Tests of the harness: agreement, rejected contestants, ratios.

use std::time::Duration;

use anyhow::Result;

use super::source::{self, Source};
use super::{CONTESTANTS, Contestant, Tally, What, alternate, ensure_same, ratio_lines};

fn stubborn(_source: &[u8]) -> Result<Tally> {
    Ok(Tally { games: 1, moves: 2, comments: 3 })
}

const STUBBORN: Contestant = Contestant { name: "stubborn", tokens: stubborn, moves: stubborn };

#[test]
fn everyone_reads_the_sample() {
    let sources = source::load(&[]).expect("it is built in");
    for what in [What::Tokens, What::Moves] {
        ensure_same(CONTESTANTS, what, &sources[0]).expect("all count the same");
        alternate(CONTESTANTS, what, &sources[0], 1).expect("all can be measured");
    }
    let tally = (CONTESTANTS[0].tokens)(&sources[0].bytes).expect("it is a sample of games");
    assert!(tally.games > 100 && tally.moves > 10_000 && tally.comments > 1_000, "{tally:?}");
}

#[test]
fn variations_count_as_tokens_but_are_not_played() {
    let bytes = b"1. e4 {a} (1. d4 d5 {b}) e5 *".to_vec();
    let source = Source { name: "x".to_owned(), bytes };
    for contestant in CONTESTANTS {
        let tokens = (contestant.tokens)(&source.bytes).expect("nothing is wrong with it");
        assert_eq!(tokens, Tally { games: 1, moves: 4, comments: 2 }, "{}", contestant.name);
        let moves = (contestant.moves)(&source.bytes).expect("nothing is wrong with it");
        assert_eq!(moves, Tally { games: 1, moves: 2, comments: 0 }, "{}", contestant.name);
    }
}

#[test]
fn an_illegal_move_ends_the_run() {
    for contestant in CONTESTANTS {
        let error = (contestant.moves)(b"1. e5 *").expect_err("pawns do not go there");
        assert_eq!(error.to_string(), format!("{} cannot read e5", contestant.name));
    }
}

#[test]
fn different_counts_end_the_run() {
    let source = Source { name: "x".to_owned(), bytes: b"1. e4 *".to_vec() };
    let [ours, _] = CONTESTANTS else { panic!("there are two") };
    let pair = [Contestant { ..*ours }, STUBBORN];
    let error = ensure_same(&pair, What::Tokens, &source).expect_err("one move is not two");
    assert!(error.to_string().starts_with("x: tokens: castellan counts"), "{error}");
}

#[test]
fn ratios_compare_times() {
    let pair = [Contestant { ..CONTESTANTS[0] }, STUBBORN];
    let times = [100, 182].map(Duration::from_millis);
    assert_eq!(ratio_lines(What::Moves, &pair, &times), ["ratio moves stubborn 1.82"]);
}
