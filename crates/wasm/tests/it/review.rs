//! Studies: trees that are read, changed and written.

use serde_json::{Value, json};

use crate::page::Page;
use crate::{ask, reply};

pub(crate) const ANNOTATED: &str = r#"[Event "Test"]
[White "Anna"]
[Black "Bořivoj"]
[Result "1-0"]
[TimeControl "300+2"]

{Before it all} 1. e4 $1 {[%clk 0:05:00] best by test} (1. d4 d5 (1... Nf6 {Indian}) 2. c4)
1... e5 {[%clk 0:04:58.300]} 2. Nf3 Nc6 3. Bb5 a6 $6 ({or} 3... Nf6 4. O-O) 1-0
"#;

pub(crate) fn open(page: &mut Page, text: &str) -> Value {
    ask(page, &json!({"do": "open_study", "text": text, "index": 0}))
}

pub(crate) fn edit(page: &mut Page, view: &Value, node: &Value, change: &Value) -> Value {
    ask(page, &json!({"do": "edit_study", "study": view["study"], "node": node, "change": change}))
}

pub(crate) fn write(page: &mut Page, view: &Value) -> String {
    let text = ask(page, &json!({"do": "write_study", "study": view["study"]}));
    text.as_str().expect("PGN is a text").to_owned()
}

pub(crate) fn at(page: &mut Page, view: &Value, node: &Value) -> Value {
    ask(page, &json!({"do": "study_at", "study": view["study"], "node": node}))
}

fn index(node: &Value) -> usize {
    node.as_u64().expect("a place is a number") as usize
}

/// The place that moves lead to, by their SAN.
#[track_caller]
pub(crate) fn find(view: &Value, sans: &[&str]) -> Value {
    let mut node = json!(0);
    for san in sans {
        let next = view["moves"][index(&node)]["next"].as_array().expect("a list of places");
        let fits = |id: &&Value| view["moves"][index(id)]["san"] == *san;
        node = next.iter().find(fits).unwrap_or_else(|| panic!("no {san} in {view}")).clone();
    }
    node
}

pub(crate) fn shown<'a>(view: &'a Value, node: &Value) -> &'a Value {
    &view["moves"][index(node)]
}

/// The text without what depends on line ends.
pub(crate) fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_study_shows_variations_comments_glyphs_and_clocks() {
    let page = &mut Page::default();
    let view = open(page, ANNOTATED);
    assert_eq!(view["result"], "1-0");
    assert_eq!(view["moves"][0]["comment"], "Before it all");
    let e4 = find(&view, &["e4"]);
    assert_eq!(shown(&view, &e4)["comment"], "best by test");
    assert_eq!(shown(&view, &e4)["glyphs"], json!([1]));
    let third = find(&view, &["e4", "e5", "Nf3", "Nc6", "Bb5", "Nf6"]);
    assert_eq!(shown(&view, &third)["before"], "or");
    let place = at(page, &view, &third);
    assert_eq!(place["clocks_ms"], json!({"white": 300_000, "black": 298_300}));
    assert_eq!(place["opening"], json!({"eco": "C65", "name": "Ruy Lopez: Berlin Defense"}));
    assert_eq!(place["position"]["fen"], shown(&view, &third)["fen"]);
    assert_eq!(place["position"]["turn"], "white");
    assert_eq!(place["path"].as_array().unwrap().len(), 6);
    assert_eq!(shown(&view, &third)["uci"], "g8f6");
}

#[test]
fn the_end_of_a_line_says_who_has_the_point() {
    let page = &mut Page::default();
    for (text, point) in [
        ("1. f3 e5 2. g4 Qh4# 0-1", json!(-1)),
        ("1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0", json!(1)),
        ("[FEN \"7k/8/6K1/5Q2/8/8/8/8 w - - 0 1\"]\n\n1. Qf7 1/2-1/2", json!(0)),
        ("1. e4 *", Value::Null),
    ] {
        let view = open(page, text);
        assert_eq!(view["moves"].as_array().unwrap().last().unwrap()["ended"], point, "{text}");
        ask(page, &json!({"do": "close_study", "study": view["study"]}));
    }
}

#[test]
fn a_game_ends_as_its_board_or_its_tags_say_and_for_no_other_reason() {
    let page = &mut Page::default();
    for (tags, moves, reason, winner) in [
        ("", "1. e4 e5 1-0", "unstated", "white"),
        ("", "1. e4 e5 1/2-1/2", "unstated", ""),
        ("", "1. f3 e5 2. g4 Qh4# 0-1", "checkmate", "black"),
        ("[Ending \"White wins by resignation\"]", "1. e4 e5 1-0", "resignation", "white"),
        ("[Termination \"time forfeit\"]", "1. e4 e5 0-1", "timeout", "black"),
        ("[Ending \"called off\"]", "1. e4 *", "aborted", ""),
        ("", "1. e4 *", "", ""),
        // The result of the players counts even if they overlooked the mate.
        ("", "1. f3 e5 2. g4 Qh4# 1-0", "unstated", "white"),
        ("", "1. e4 -- 2. d4 1-0", "unstated", "white"),
    ] {
        let view = open(page, &format!("{tags}\n\n{moves}\n"));
        let end = &view["end"];
        assert_eq!(end["reason"].as_str().unwrap_or_default(), reason, "{tags} {moves}");
        assert_eq!(end["winner"].as_str().unwrap_or_default(), winner, "{tags} {moves}");
        ask(page, &json!({"do": "close_study", "study": view["study"]}));
    }
}

#[test]
fn the_clocks_of_the_last_move_are_those_at_which_the_game_ended() {
    let page = &mut Page::default();
    let text = "[WhiteClock \"0:00:00\"]\n\n1. e4 {[%clk 0:00:09]} e5 {[%clk 0:00:30]} 0-1\n";
    let view = open(page, text);
    let [first, last] =
        [json!(1), json!(2)].map(|node| at(page, &view, &node)["clocks_ms"].clone());
    assert_eq!(first, json!({"white": 9_000, "black": null}));
    assert_eq!(last, json!({"white": 0, "black": 30_000}));
}

#[test]
fn castling_in_chess960_is_told_from_a_step_of_the_king() {
    let page = &mut Page::default();
    let text =
        "[Variant \"Chess960\"]\n[FEN \"4k3/8/8/8/8/8/8/5K1R w H - 0 1\"]\n\n1. O-O (1. Kg1) *";
    let view = open(page, text);
    let castled = shown(&view, &find(&view, &["O-O"]))["uci"].clone();
    assert_eq!(castled, "f1h1");
    assert_eq!(shown(&view, &find(&view, &["Kg1"]))["uci"], "f1g1");
    let played = edit(page, &view, &json!(0), &json!({"type": "play", "moves": [castled]}));
    assert_eq!(played["node"], find(&view, &["O-O"]));
    let link = ask(page, &json!({"do": "link_study", "study": view["study"], "is_bare": false}));
    let again = ask(page, &json!({"do": "open_link", "link": link}));
    assert_eq!(again["moves"], view["moves"]);
}

#[test]
fn castling_names_the_rook_if_the_start_is_of_chess960() {
    let page = &mut Page::default();
    // The king goes one square, none, two, and three; no tag says what is played.
    for (fen, uci, castled) in [
        ("4k3/8/8/8/8/8/8/5K1R w H - 0 1", "f1h1", "O-O"),
        ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1", "O-O"),
        ("4k3/8/8/8/8/8/8/4K1R1 w G - 0 1", "e1g1", "O-O"),
        ("4k3/8/8/8/8/8/8/1R3K2 w B - 0 1", "f1b1", "O-O-O"),
    ] {
        let view = open(page, &format!("[FEN \"{fen}\"]\n\n1. {castled} Ke7 *"));
        assert_eq!(view["problems"], json!([]), "{fen}");
        assert_eq!(view["is_chess960"], true, "{fen}");
        let node = find(&view, &[castled]);
        assert_eq!(shown(&view, &node)["uci"], uci);
        let start = at_start(page, &view);
        assert!(start.iter().any(|named| named == uci), "{start:?}");
        let played = edit(page, &view, &json!(0), &json!({"type": "play", "moves": [uci]}));
        assert_eq!((&played["node"], &played["moves"]), (&node, &view["moves"]));
        // What was named once is understood by the engine, which names moves alike.
        let think = json!({"do": "search", "start": fen, "moves": [uci, "e8e7"], "level": null,
            "is_chess960": view["is_chess960"], "move_time_ms": null, "clock": null, "nodes": 500});
        assert!(ask(page, &think)["move"].is_string());
        ask(page, &json!({"do": "close_study", "study": view["study"]}));
    }
    for text in ["1. e4 *", "[FEN \"r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1\"]\n\n1. O-O O-O-O *"] {
        let view = open(page, text);
        assert_eq!(view["is_chess960"], false);
        let last = view["moves"].as_array().unwrap().last().unwrap();
        assert!(["e2e4", "e8c8"].contains(&last["uci"].as_str().unwrap()), "{last}");
    }
}

/// The moves before the first one, in UCI.
fn at_start(page: &mut Page, view: &Value) -> Vec<String> {
    let place = at(page, view, &json!(0));
    let moves = place["position"]["moves"].as_array().expect("a list of moves");
    moves.iter().map(|mv| mv["uci"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn an_opening_is_known_by_its_position_and_stays_after_it() {
    let page = &mut Page::default();
    let view = open(page, "1. Nf3 Nf6 2. c4 g6 3. Nc3 d5 4. d4 Bg7 5. a3 *");
    let moves = ["Nf3", "Nf6", "c4", "g6", "Nc3", "d5", "d4", "Bg7", "a3"];
    let place = at(page, &view, &find(&view, &moves));
    assert_eq!(place["opening"]["eco"], "D90");
    assert!(place["opening"]["name"].as_str().unwrap().starts_with("Grünfeld Defense"));
    assert_eq!(at(page, &view, &json!(0))["opening"], Value::Null);
}

#[test]
fn moves_become_variations_and_those_that_are_there_are_followed() {
    let page = &mut Page::default();
    let view = open(page, ANNOTATED);
    let count = view["moves"].as_array().unwrap().len();
    let e4 = find(&view, &["e4"]);
    let known = json!({"type": "play", "moves": ["e7e5", "g1f3"]});
    let followed = edit(page, &view, &e4, &known);
    assert_eq!(followed["moves"].as_array().unwrap().len(), count);
    assert_eq!(followed["node"], find(&view, &["e4", "e5", "Nf3"]));
    let new = edit(page, &view, &e4, &json!({"type": "play", "moves": ["c7c5", "g1f3"]}));
    assert_eq!(new["moves"].as_array().unwrap().len(), count + 2);
    assert_eq!(new["node"], find(&new, &["e4", "c5", "Nf3"]));
    assert!(flat(&write(page, &view)).contains("1... e5 {[%clk 0:04:58.300]} (1... c5 2. Nf3)"));
    // A line with a wrong move leaves nothing behind.
    let wrong = json!({"do": "edit_study", "study": view["study"], "node": e4,
        "change": {"type": "play", "moves": ["b7b6", "e4e6"]}});
    assert_eq!(reply(page, &wrong)["error"]["code"], "illegal_move");
    let same = edit(page, &view, &json!(0), &json!({"type": "play", "moves": []}));
    assert_eq!(same["moves"], new["moves"]);
}

#[test]
fn a_comment_changes_and_the_clock_beside_it_stays() {
    let page = &mut Page::default();
    let view = open(page, ANNOTATED);
    let e4 = find(&view, &["e4"]);
    let said = json!({"type": "comment", "text": "the king's pawn {sic}"});
    let view = edit(page, &view, &e4, &said);
    assert_eq!(shown(&view, &e4)["comment"], "the king's pawn {sic}");
    assert_eq!(at(page, &view, &e4)["clocks_ms"]["white"], 300_000);
    let view = edit(page, &view, &e4, &json!({"type": "comment", "text": ""}));
    assert_eq!(shown(&view, &e4)["comment"], "");
    assert!(flat(&write(page, &view)).contains("1. e4 $1 {[%clk 0:05:00]} (1. d4"));
    let view = edit(page, &view, &e4, &json!({"type": "glyphs", "glyphs": [5, 16]}));
    assert!(flat(&write(page, &view)).contains("1. e4 $5 $16 {[%clk"));
}

#[test]
fn a_line_is_promoted_and_deleted() {
    let page = &mut Page::default();
    let view = open(page, ANNOTATED);
    let indian = find(&view, &["d4", "Nf6"]);
    let promoted = edit(page, &view, &indian, &json!({"type": "promote"}));
    assert_eq!(promoted["node"], indian);
    assert_eq!(promoted["moves"][0]["next"][0], find(&promoted, &["d4"]));
    let d4 = find(&promoted, &["d4"]);
    assert_eq!(shown(&promoted, &d4)["next"][0], find(&promoted, &["d4", "Nf6"]));
    let e4 = find(&promoted, &["e4"]);
    let left = edit(page, &promoted, &e4, &json!({"type": "delete"}));
    assert_eq!(left["node"], 0);
    let text = flat(&write(page, &left));
    assert!(text.ends_with("{Before it all} 1. d4 Nf6 {Indian} (1... d5 2. c4) 1-0"), "{text}");
}

#[test]
fn changes_are_undone_and_made_again() {
    let page = &mut Page::default();
    let view = open(page, ANNOTATED);
    let step =
        |page: &mut Page, name: &str| ask(page, &json!({"do": name, "study": view["study"]}));
    let steps = |view: &Value| (view["can_undo"] == true, view["can_redo"] == true);
    assert_eq!(steps(&view), (false, false));
    let first = write(page, &view);
    // Moves that are already there are no change.
    let walk = edit(page, &view, &json!(0), &json!({"type": "play", "moves": ["e2e4"]}));
    assert_eq!(steps(&walk), (false, false));
    let e4 = walk["node"].clone();
    edit(page, &view, &e4, &json!({"type": "comment", "text": "first"}));
    let second = write(page, &view);
    let played = edit(page, &view, &e4, &json!({"type": "play", "moves": ["c7c5", "g1f3"]}));
    edit(
        page,
        &view,
        &played["node"],
        &json!({"type": "draw", "from": "d2", "to": "d4", "paint": "B"}),
    );
    let joined = json!({"do": "edit_study", "study": view["study"], "node": played["node"],
        "change": {"type": "glyphs", "glyphs": [1]}, "is_joined": true});
    let last = ask(page, &joined);
    assert_eq!(steps(&last), (true, false));
    let third = write(page, &view);
    assert!(third.contains("Nf3 $1 {[%cal Bd2d4]}"), "{third}");
    // The arrow and the glyph are one step, the variation another.
    step(page, "undo_study");
    let back = step(page, "undo_study");
    assert_eq!((write(page, &view), &back["node"]), (second, &e4));
    let back = step(page, "undo_study");
    assert_eq!((write(page, &view), steps(&back)), (first.clone(), (false, true)));
    step(page, "redo_study");
    step(page, "redo_study");
    let again = step(page, "redo_study");
    assert_eq!((write(page, &view), steps(&again)), (third, (true, false)));
    // A new change replaces what was undone.
    for _ in 0..3 {
        step(page, "undo_study");
    }
    let new = edit(page, &view, &json!(0), &json!({"type": "delete"}));
    assert_eq!(steps(&new), (true, false));
    step(page, "undo_study");
    assert_eq!(write(page, &view), first);
}

#[test]
fn evaluations_are_written_with_the_game_and_read_from_it() {
    let page = &mut Page::default();
    let view = open(page, "1. e4 {[%clk 0:05:00] good} e5 {[%eval -0.25,30]} 2. Qh5 1-0\n");
    assert_eq!(shown(&view, &json!(1))["eval"], Value::Null);
    assert_eq!(shown(&view, &json!(2))["eval"], json!({"cp": -25}));
    let evals = json!([
        {"node": 1, "score": {"cp": 31}, "depth": 12},
        {"node": 2, "score": {"cp": -25}, "depth": 9},
        {"node": 3, "score": {"mate": -4}, "depth": null},
    ]);
    let written = ask(page, &json!({"do": "write_study", "study": view["study"], "evals": evals}));
    let expected = "1. e4 {[%clk 0:05:00] [%eval 0.31,12] good} 1... e5 {[%eval -0.25,30]} \
        2. Qh5 {[%eval #-4]} 1-0";
    assert!(flat(written.as_str().unwrap()).ends_with(expected), "{written}");
    // The study itself is unchanged, and the text is read back.
    assert!(!write(page, &view).contains("%eval 0.31"));
    let again = open(page, written.as_str().unwrap());
    assert_eq!(shown(&again, &json!(1))["eval"], json!({"cp": 31}));
    assert_eq!(shown(&again, &json!(3))["eval"], json!({"mate": -4}));
}

#[test]
fn a_written_study_reads_back_with_everything() {
    let page = &mut Page::default();
    let view = open(page, ANNOTATED);
    let text = write(page, &view);
    let again = open(page, &text);
    assert_eq!(again["moves"], view["moves"]);
    assert_eq!(write(page, &again), text);
}

#[test]
fn invalid_requests_are_refused_and_change_nothing() {
    let page = &mut Page::default();
    let view = open(page, ANNOTATED);
    let study = &view["study"];
    for (request, code) in [
        (json!({"do": "study_at", "study": 99, "node": 0}), "no_study"),
        (json!({"do": "study_at", "study": study, "node": 999}), "no_node"),
        (json!({"do": "open_study", "text": "", "index": 0}), "no_game"),
        (
            json!({"do": "edit_study", "study": study, "node": 0,
                "change": {"type": "comment", "text": "x".repeat(5000)}}),
            "too_long",
        ),
        (
            json!({"do": "edit_study", "study": study, "node": 0,
                "change": {"type": "glyphs", "glyphs": vec![1; 9]}}),
            "too_many_glyphs",
        ),
        (
            json!({"do": "edit_study", "study": study, "node": 0,
                "change": {"type": "play", "moves": ["e2e5"]}}),
            "illegal_move",
        ),
        (
            json!({"do": "judge", "scores": [], "played": [], "best": [], "starts_white": true}),
            "bad_scores",
        ),
    ] {
        assert_eq!(reply(page, &request)["error"]["code"], code, "{request}");
    }
    let same = edit(page, &view, &json!(0), &json!({"type": "play", "moves": []}));
    assert_eq!(same, view);
    for _ in 1..8 {
        open(page, "1. e4 *");
    }
    let request = json!({"do": "open_study", "text": "1. e4 *", "index": 0});
    assert_eq!(reply(page, &request)["error"]["code"], "too_many_studies");
}

#[test]
fn the_opening_of_a_running_game_is_named() {
    let page = &mut Page::default();
    let mut name =
        |moves: Value| ask(page, &json!({"do": "opening", "start": crate::START, "moves": moves}));
    assert_eq!(name(json!([])), Value::Null);
    assert_eq!(name(json!(["e2e4", "c7c5"]))["eco"], "B20");
    // A position outside the book keeps the last name.
    let later = name(json!(["e2e4", "c7c5", "h2h4", "a7a6", "h4h5"]));
    assert!(later["name"].as_str().unwrap().starts_with("Sicilian Defense"), "{later}");
}
