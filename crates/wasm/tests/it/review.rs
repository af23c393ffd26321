//! Studies: trees that are read, changed, written, sent as links, and judged.

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
fn castling_is_told_by_the_rook_where_the_start_is_of_chess960() {
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
fn what_is_written_is_read_back_with_everything() {
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
fn a_move_is_judged_by_what_it_loses_to_the_one_who_made_it() {
    let page = &mut Page::default();
    let judged = ask(
        page,
        &json!({"do": "judge", "starts_white": true,
            "scores": [{"cp": 20}, {"cp": 15}, {"cp": 320}, {"cp": 330}, {"cp": 335},
                {"mate": -3}, null, {"cp": -60}, {"over": -1}],
            "played": ["e2e4", "a7a6", "d2d4", "b7b6", "g2g4", "d8h4", "a2a3", "a6a5"],
            "best": ["e2e4", "e7e5", "d2d4", "e7e5", "g1f3", "d8h4", "e1e2", null]}),
    );
    let words: Vec<_> =
        judged["verdicts"].as_array().unwrap().iter().map(|it| it["verdict"].clone()).collect();
    let none = Value::Null;
    let wanted = ["fine", "blunder", "fine", "fine", "blunder"].map(Value::from);
    assert_eq!(words[..5], wanted);
    assert_eq!(words[5..7], [none.clone(), none]);
    assert_eq!(words[7], "fine");
    let chances = judged["chances"].as_array().unwrap();
    assert_eq!((&chances[5], &chances[6], &chances[8]), (&json!(0), &Value::Null, &json!(0)));
    assert!(chances[2].as_i64().unwrap() > 800);
    // The best move is never blamed for what the engine sees only later.
    let judged = ask(
        page,
        &json!({"do": "judge", "starts_white": false, "scores": [{"cp": 0}, {"cp": 500}],
            "played": ["e7e5"], "best": ["e7e5"]}),
    );
    assert_eq!(judged["verdicts"][0], json!({"loss": 0, "verdict": "fine"}));
}

#[test]
fn a_player_is_as_accurate_as_the_moves_are_on_average() {
    let page = &mut Page::default();
    let mut judge = |scores: Value, best: Value| {
        let played = json!(["e2e4", "e7e5", "d1h5", "e8e7"]);
        ask(
            page,
            &json!({"do": "judge", "starts_white": true, "scores": scores,
            "played": played, "best": best}),
        )
    };
    let best = json!(["e2e4", "e7e5", "g1f3", "b8c6"]);
    let fine =
        judge(json!([{"cp": 20}, {"cp": 20}, {"cp": 20}, {"cp": 20}, {"mate": 1}]), best.clone());
    assert_eq!(fine["white"], json!({"accuracy": 100.0, "loss_cp": 0.0}));
    // The king's move loses the game: ten pawns less 20 centipawns, in one of two moves.
    assert_eq!(fine["black"]["loss_cp"], 490.0);
    let accuracy = fine["black"]["accuracy"].as_f64().unwrap();
    assert!((50.0..55.0).contains(&accuracy), "{accuracy}");
    let unknown = judge(json!([{"cp": 20}, {"cp": 20}, {"cp": 20}, {"cp": 20}, null]), best);
    assert_eq!((unknown["white"].is_null(), unknown["black"].is_null()), (false, true));
}

#[test]
fn phases_are_rated_and_the_worst_moves_decide() {
    let page = &mut Page::default();
    let view = open(page, "1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0");
    assert!(view["moves"].as_array().unwrap().iter().all(|node| node["phase"] == "opening"));
    let request = |phases: Value| {
        json!({"do": "judge", "starts_white": true, "phases": phases,
        "scores": [{"cp": 0}, {"cp": 0}, {"cp": 0}, {"cp": -150}, {"cp": -150}, {"cp": 400},
            {"cp": 400}, {"cp": -900}, {"cp": 200}],
        "played": ["a", "b", "c", "d", "e", "f", "g", "h"],
        "best": [null, null, null, null, null, null, null, null]})
    };
    let phases =
        ["opening", "opening", "opening", "opening", "middlegame", "endgame", "endgame", "endgame"];
    let judged = ask(page, &request(json!(phases)));
    // Move 4 does not belong to the player who gained by it.
    assert_eq!(judged["moments"], json!([2, 6, 7]));
    let named: Vec<_> =
        judged["phases"].as_array().unwrap().iter().map(|it| it["phase"].clone()).collect();
    assert_eq!(named, ["opening", "middlegame", "endgame"]);
    // White loses one and a half pawns with one of two moves of the opening.
    assert_eq!(judged["phases"][0]["white"]["loss_cp"], 75.0);
    assert_eq!(judged["phases"][0]["black"], json!({"accuracy": 100.0, "loss_cp": 0.0}));
    assert_eq!(judged["phases"][1]["black"], Value::Null);
    assert_eq!(ask(page, &request(json!([])))["phases"], json!([]));
    assert_eq!(reply(page, &request(json!(["opening"])))["error"]["code"], "bad_scores");
}

#[test]
fn an_attempt_changes_both_ratings() {
    let page = &mut Page::default();
    let mut rate = |is_solved: bool, solver: Value| {
        ask(
            page,
            &json!({"do": "rate_attempt", "solver": solver, "puzzle": null, "estimate": 1500,
            "is_solved": is_solved, "idle_days": 0}),
        )
    };
    let points = |rating: &Value| rating["points"].as_f64().unwrap();
    let solved = rate(true, Value::Null);
    assert!(points(&solved["solver"]) > 1600.0 && points(&solved["puzzle"]) < 1500.0, "{solved}");
    let failed = rate(false, solved["solver"].clone());
    assert!(points(&failed["solver"]) < points(&solved["solver"]), "{failed}");
    assert!(points(&failed["puzzle"]) > 1500.0, "{failed}");
    let bad = json!({"do": "rate_attempt", "solver": {"points": -1, "deviation": 1, "volatility": 1},
        "puzzle": null, "estimate": 1500, "is_solved": true, "idle_days": 0});
    assert_eq!(reply(page, &bad)["error"]["code"], "bad_number");
}

#[test]
fn the_puzzles_of_a_game_are_found_with_progress() {
    let page = &mut Page::default();
    let moves = ["e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7"];
    let task = |start: &str, nodes: u64| {
        json!({"do": "find_puzzles", "start": start, "moves": moves, "is_chess960": false,
        "nodes": nodes})
    };
    let found = ask(page, &task(crate::START, 2_000));
    let puzzle = found.as_array().unwrap().last().unwrap();
    assert_eq!((&puzzle["ply"], &puzzle["mistake"]), (&json!(6), &json!("g8f6")));
    assert_eq!((&puzzle["moves"], &puzzle["line"]), (&json!(["h5f7"]), &json!(["Qxf7#"])));
    assert_eq!(puzzle["themes"], json!(["mate_in_1"]));
    assert_eq!(page.told.last().unwrap(), &json!({"plies": 7}));
    assert_eq!(reply(page, &task("nonsense", 2_000))["error"]["code"], "bad_fen");
    assert_eq!(reply(page, &task(crate::START, 1 << 40))["error"]["code"], "bad_number");
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

#[test]
fn an_analysis_ends_after_its_positions_and_tells_several_lines() {
    let page = &mut Page::default();
    let task = json!({"do": "search", "start": crate::START, "moves": ["e2e4", "e7e5"],
        "level": null, "move_time_ms": null, "clock": null,
        "nodes": 20_000, "lines": 3});
    let result = ask(page, &task);
    let lines = result["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["moves"][0], result["move"]);
    assert!(lines[0]["line"][0].is_string() && lines[1]["moves"][0] != lines[0]["moves"][0]);
    assert!(result["nodes"].as_u64().unwrap() < 40_000, "{}", result["nodes"]);
    assert_eq!(page.told.len(), 0);
}

#[test]
fn a_search_reports_its_lines_while_it_runs() {
    let page = &mut Page::default();
    let task = json!({"do": "search", "start": crate::START, "moves": ["e2e4"],
        "level": null, "move_time_ms": null, "clock": null,
        "nodes": 20_000, "lines": 2, "wants_reports": true});
    let result = ask(page, &task);
    let told = &page.told;
    let last = told.iter().rfind(|report| report["rank"] == 1).expect("a best line");
    assert_eq!(last["moves"][0], result["move"]);
    assert!(told.iter().any(|report| report["rank"] == 2));
    let numbers = |name: &str| told.iter().map(|it| it[name].as_u64().unwrap()).collect::<Vec<_>>();
    for name in ["depth", "nodes", "time_ms"] {
        assert!(numbers(name).is_sorted(), "{name}: {:?}", numbers(name));
    }
}

#[test]
fn a_draw_is_claimed_by_announcing_the_move_that_makes_it() {
    let page = &mut Page::default();
    let view = crate::new_game(page, &json!({"type": "unlimited"}));
    let game = view["game"].clone();
    let knights = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"];
    let moves: Vec<_> = knights.iter().map(|uci| (*uci, 0)).collect();
    let view = crate::play(page, &game, &moves);
    assert_eq!(view["claims"], json!({"repetition": false, "fifty": false, "moves": ["f6g8"]}));
    let wrong = json!({"type": "claim", "announced": null});
    assert_eq!(
        reply(page, &crate::act(&game, false, &wrong, 0))["error"]["code"],
        "nothing_to_claim"
    );
    let claim = json!({"type": "claim", "announced": "f6g8"});
    let view = ask(page, &crate::act(&game, false, &claim, 0));
    assert_eq!(view["end"]["reason"], "threefold_repetition");
    assert_eq!(view["claims"]["moves"], json!([]));
}
