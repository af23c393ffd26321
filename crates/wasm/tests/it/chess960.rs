//! Chess960 in local games: start positions, castling, typed moves, the engine, and games written
//! as PGN and read back.

use serde_json::{Value, json};

use crate::page::Page;
use crate::{ask, play, reply, settings};

/// King on f1, rooks on g1 and e1: castling short moves the king by one square, to where it could
/// also step if the rook were not there.
const NARROW: &str = "4rkr1/4ppp1/8/8/8/8/4PPP1/4RKR1 w GEge - 0 1";

fn begin(page: &mut Page, start: &Value, is_chess960: bool) -> Value {
    let mut settings = settings(&json!({"type": "unlimited"}));
    settings["start"] = start.clone();
    settings["is_chess960"] = is_chess960.into();
    let game = json!({"do": "new_game", "settings": settings, "white": "Anna", "black": "Boris",
        "now": 1000});
    ask(page, &game)
}

#[test]
fn every_number_is_a_start_that_can_be_played_from() {
    let page = &mut Page::default();
    let mut starts = std::collections::BTreeSet::new();
    for number in 0..960 {
        let start = ask(page, &json!({"do": "chess960", "number": number}));
        starts.insert(start["board"].as_str().unwrap()[..8].to_owned());
        let view = begin(page, &start["fen"], true);
        assert_eq!(view["position"]["board"], start["board"], "{number}");
        ask(page, &json!({"do": "close", "game": view["game"]}));
    }
    assert_eq!(starts.len(), 960);
    assert!(starts.contains("RNBQKBNR"));
    let refused = reply(page, &json!({"do": "chess960", "number": 960}));
    assert_eq!(refused["error"]["code"], "bad_number");
}

#[test]
fn a_start_that_needs_chess960_is_chess960() {
    let page = &mut Page::default();
    let view = begin(page, &NARROW.into(), false);
    assert_eq!(view["settings"]["is_chess960"], true);
    let moves = view["position"]["moves"].as_array().unwrap();
    let named = |san: &str| moves.iter().find(|mv| mv["san"] == san).unwrap()["uci"].clone();
    assert_eq!((named("O-O"), named("O-O-O")), (json!("f1g1"), json!("f1e1")));
}

#[test]
fn castling_is_typed_played_written_and_read_back() {
    let page = &mut Page::default();
    let view = begin(page, &NARROW.into(), true);
    let read =
        |text: &str| json!({"do": "read_move", "fen": NARROW, "text": text, "language": "en"});
    for (text, uci) in [("O-O", "f1g1"), ("f1g1", "f1g1"), ("0-0-0", "f1e1")] {
        assert_eq!(ask(page, &read(text))["uci"], uci, "{text}");
    }
    let view = play(page, &view["game"], &[("f1g1", 2000), ("f8e8", 3000)]);
    let text =
        ask(page, &json!({"do": "write_pgn", "game": view["game"], "event": "Test", "now": 4000}));
    assert!(text.as_str().unwrap().contains("[Variant \"Chess960\"]"), "{text}");
    assert!(text.as_str().unwrap().contains("1. O-O O-O-O"), "{text}");
    let opened = ask(page, &json!({"do": "open_pgn", "text": text, "index": 0, "now": 9000}));
    assert_eq!(opened["plies"], view["plies"]);
    assert_eq!(opened["settings"]["is_chess960"], true);
    assert_eq!(opened["start"]["fen"], view["start"]["fen"]);
}

#[test]
fn the_usual_start_can_be_chess960_as_well() {
    let page = &mut Page::default();
    let start = ask(page, &json!({"do": "chess960", "number": 518}))["fen"].clone();
    let view = begin(page, &start, true);
    let moves = [("e2e4", 1), ("e7e5", 2), ("g1f3", 3), ("g8f6", 4), ("f1c4", 5), ("f8c5", 6)];
    let view = play(page, &view["game"], &moves);
    let moves = view["position"]["moves"].as_array().unwrap();
    assert!(moves.iter().any(|mv| mv["san"] == "O-O" && mv["uci"] == "e1h1"), "{moves:?}");
    let text =
        ask(page, &json!({"do": "write_pgn", "game": view["game"], "event": "Test", "now": 9}));
    let opened = ask(page, &json!({"do": "open_pgn", "text": text, "index": 0, "now": 9000}));
    assert_eq!(opened["settings"]["is_chess960"], true, "{text}");
}

#[test]
fn the_engine_names_castling_as_the_game_does() {
    // In both, castling is mate and nothing else is.
    let usual = "4R3/8/3B4/8/8/5k1P/8/4K2R w K - 0 1";
    let narrow = "5k2/R7/2B5/3B4/8/8/6P1/5KR1 w G - 0 1";
    let page = &mut Page::default();
    let think = |start: &str, is_chess960: bool| {
        json!({"do": "search", "start": start, "moves": [], "is_chess960": is_chess960,
            "level": null, "nodes": 20000, "move_time_ms": null, "clock": null})
    };
    let cases = [(usual, false, "e1g1"), (usual, true, "e1h1"), (narrow, false, "f1g1")];
    for (start, is_chess960, uci) in cases {
        let result = ask(page, &think(start, is_chess960));
        assert_eq!(result["san"], "O-O#", "{result}");
        let found = (&result["move"], &result["lines"][0]["moves"][0]);
        assert_eq!(found, (&json!(uci), &json!(uci)), "{result}");
    }
}
