//! Tests of the requests and responses of the page. No request causes a panic.

mod chess960;
mod engine;
mod judgment;
mod links;
mod marks;
mod page;
mod premoves;
mod remote;
mod review;
mod saved;
mod types;

// Games in which anything may happen, as the tests of the state machine play them.
#[allow(dead_code)]
#[path = "../../../game/tests/it/support.rs"]
mod support;
#[path = "../../../game/tests/it/tries.rs"]
mod tries;

use page::Page;
use serde_json::{Value, json};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn reply(page: &mut Page, request: &Value) -> Value {
    page.reply(request)
}

#[track_caller]
fn ask(page: &mut Page, request: &Value) -> Value {
    let reply = reply(page, request);
    assert!(reply.get("ok").is_some(), "{request}: {reply}");
    reply["ok"].clone()
}

fn settings(control: &Value) -> Value {
    json!({
        "start": START, "is_chess960": false, "time_control": control,
        "clock_start": "first_move", "is_rated": false, "is_touch_move": false,
        "allows_takeback": true,
    })
}

fn new_game(page: &mut Page, control: &Value) -> Value {
    let settings = settings(control);
    ask(
        page,
        &json!({"do": "new_game", "settings": settings, "white": "Anna",
        "black": "Boris", "now": 1000}),
    )
}

fn act(game: &Value, is_white: bool, action: &Value, now: u64) -> Value {
    json!({"do": "act", "game": game, "is_white": is_white, "action": action, "now": now})
}

/// Moves with the time at which each is made.
fn play(page: &mut Page, game: &Value, moves: &[(&str, u64)]) -> Value {
    let mut view = Value::Null;
    for (ply, (uci, now)) in moves.iter().enumerate() {
        let what = json!({"type": "move", "uci": uci});
        view = ask(page, &act(game, ply % 2 == 0, &what, *now));
    }
    view
}

#[test]
fn a_game_goes_to_its_end() {
    let page = &mut Page::default();
    let view = new_game(page, &json!({"type": "unlimited"}));
    assert_eq!(view["position"]["moves"].as_array().unwrap().len(), 20);
    let moves = [("f2f3", 0), ("e7e5", 0), ("g2g4", 0), ("d8h4", 0)];
    let view = play(page, &view["game"], &moves);
    assert_eq!(view["end"], json!({"reason": "checkmate", "winner": "black", "score": "0-1"}));
    assert_eq!(view["plies"][3]["san"], "Qh4#");
    assert_eq!(view["plies"][3]["check"], "e1");
    assert_eq!(view["position"]["moves"], json!([]));
}

#[test]
fn a_refused_request_has_a_code_and_changes_nothing() {
    let page = &mut Page::default();
    let view = new_game(page, &json!({"type": "unlimited"}));
    let game = &view["game"];
    for (is_white, what, code) in [
        (true, json!({"type": "move", "uci": "e2e5"}), "illegal_move"),
        (true, json!({"type": "move", "uci": "x"}), "bad_move"),
        (false, json!({"type": "move", "uci": "e7e5"}), "not_your_turn"),
        (true, json!({"type": "claim", "announced": null}), "nothing_to_claim"),
        (true, json!({"type": "accept", "what": "draw"}), "nothing_offered"),
    ] {
        let reply = reply(page, &act(game, is_white, &what, 2000));
        assert_eq!(reply["error"]["code"], code, "{what}");
    }
    let mut after = page.opened_again(game, &json!(1000));
    after["game"] = game.clone();
    assert_eq!(after, view);
}

#[test]
fn nonsense_is_an_error_and_never_a_panic() {
    let page = &mut Page::default();
    for request in [
        &b""[..],
        b"\xff",
        b"{}",
        b"[]",
        br#"{"do": "nothing"}"#,
        br#"{"do": "record", "game": 7, "now": 0}"#,
        br#"{"do": "position", "fen": "8/8"}"#,
        br#"{"do": "position", "fen": "8/8/8/8/8/8/8/8 w - - 0 1"}"#,
        br#"{"do": "read_move", "fen": "", "text": "e4", "language": "en"}"#,
        br#"{"do": "compose", "board": "", "is_white_to_move": true, "castling": "",
            "en_passant": null, "halfmove_clock": 0, "fullmove_number": 1}"#,
        br#"{"do": "open_pgn", "text": "", "index": 3, "now": 0}"#,
        br#"{"do": "search", "start": "", "moves": [], "level": 100, "move_time_ms": 1,
            "clock": null}"#,
    ] {
        let answer = page.respond(request);
        assert!(answer["error"]["code"].is_string(), "{answer}");
    }
}

#[test]
fn the_record_brings_the_same_game_back() {
    let page = &mut Page::default();
    let control = json!({"type": "increment", "initial_ms": 60_000, "increment_ms": 1000});
    let view = new_game(page, &control);
    let moves = [("e2e4", 5000), ("c7c5", 7000), ("g1f3", 8500)];
    let view = play(page, &view["game"], &moves);
    let stored = ask(page, &json!({"do": "record", "game": view["game"], "now": 8500}));
    let mut loaded = ask(page, &json!({"do": "load_game", "stored": stored, "now": 8500}));
    assert_ne!(loaded["game"], view["game"]);
    loaded["game"] = view["game"].clone();
    assert_eq!(loaded, view);
}

#[test]
fn pgn_brings_moves_clocks_and_end_back() {
    for control in [
        json!({"type": "increment", "initial_ms": 60_000, "increment_ms": 1000}),
        json!({"type": "count_up"}),
    ] {
        let page = &mut Page::default();
        let view = new_game(page, &control);
        let moves = [("e2e4", 5000), ("c7c5", 7123), ("g1f3", 8500), ("d7d6", 11_000)];
        let game = view["game"].clone();
        play(page, &game, &moves);
        let view = ask(page, &act(&game, true, &json!({"type": "resign"}), 12_345));
        let text =
            ask(page, &json!({"do": "write_pgn", "game": game, "event": "Test", "now": 12_345}));
        let list = ask(page, &json!({"do": "read_pgn", "text": text}));
        assert_eq!((&list[0]["white"], &list[0]["plies"]), (&json!("Anna"), &json!(4)));
        let opened = ask(page, &json!({"do": "open_pgn", "text": text, "index": 0, "now": 99_000}));
        assert_eq!(opened["end"], view["end"], "{text}");
        assert_eq!(opened["plies"], view["plies"], "{text}");
        assert_eq!(opened["clocks"], view["clocks"], "{text}");
        assert_eq!(opened["settings"]["time_control"], control);
    }
}

#[test]
fn the_end_in_the_tags_of_a_pgn_is_understood() {
    let page = &mut Page::default();
    for (tags, result, reason, winner) in [
        ("", "1-0", "unstated", "white"),
        ("[Termination \"Normal\"]", "0-1", "unstated", "black"),
        ("[Termination \"Abandoned\"]", "0-1", "abandoned", "black"),
        ("[Termination \"Time forfeit\"]", "0-1", "timeout", "black"),
        ("[Termination \"time forfeit\"]", "1/2-1/2", "timeout_against_no_mate", ""),
        ("[Ending \"draw by threefold repetition\"]", "1/2-1/2", "threefold_repetition", ""),
        ("[Ending \"White wins by timeout\"]", "1-0", "timeout", "white"),
        // What cannot be is not believed.
        ("[Ending \"White wins by timeout\"]", "1/2-1/2", "unstated", ""),
        ("[Ending \"called off\"]", "*", "aborted", ""),
    ] {
        let text = format!("{tags}\n\n1. e4 e5 {result}\n");
        let opening = json!({"do": "open_pgn", "text": text, "index": 0, "now": 0});
        let end = ask(page, &opening)["end"].clone();
        assert_eq!(end["reason"], reason, "{text}");
        assert_eq!(end["winner"].as_str().unwrap_or_default(), winner, "{text}");
    }
}

#[test]
fn a_game_left_in_the_middle_goes_on_with_its_clocks() {
    let page = &mut Page::default();
    let control = json!({"type": "increment", "initial_ms": 60_000, "increment_ms": 0});
    let view = new_game(page, &control);
    let game = view["game"].clone();
    play(page, &game, &[("e2e4", 5000), ("c7c5", 9000)]);
    let text = ask(page, &json!({"do": "write_pgn", "game": game, "event": "Test", "now": 12_000}));
    let opened = ask(page, &json!({"do": "open_pgn", "text": text, "index": 0, "now": 500_000}));
    assert_eq!(opened["is_running"], true);
    assert_eq!(opened["clocks"]["running"], "white");
    assert_eq!(opened["clocks"]["white"]["remaining_ms"], 57_000);
    assert_eq!(opened["clocks"]["black"]["remaining_ms"], 56_000);
    let later = ask(page, &json!({"do": "clocks", "game": opened["game"], "now": 501_000}));
    assert_eq!(later["white"]["remaining_ms"], 56_000);
}

#[test]
fn moves_are_read_in_the_letters_of_every_language() {
    let page = &mut Page::default();
    for (language, text, uci) in [
        ("en", "Nf3", "g1f3"),
        ("en", "nf3", "g1f3"),
        ("sk", "Jf3", "g1f3"),
        ("cs", "jf3", "g1f3"),
        ("pl", "Sf3", "g1f3"),
        ("fi", "Rf3", "g1f3"),
        ("fi", "Nf3", "g1f3"),
        ("sk", "e2-e4", "e2e4"),
        ("pl", "e4", "e2e4"),
    ] {
        let request = json!({"do": "read_move", "fen": START, "text": text, "language": language});
        assert_eq!(ask(page, &request)["uci"], uci, "{language} {text}");
    }
    let request = json!({"do": "read_move", "fen": START, "text": "Ke2", "language": "en"});
    assert_eq!(reply(page, &request)["error"]["code"], "bad_move");
}

#[test]
fn a_composed_fen_is_examined_as_composed() {
    let page = &mut Page::default();
    for fen in [
        START,
        "4k3/8/8/8/8/8/4Q3/4K3 w - - 0 40",
        "8/8/8/8/8/8/8/8 b KQkq e3 7 9",
        "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBN1 b KQq e3 0 3",
    ] {
        let request = json!({"do": "examine", "fen": fen, "language": "sk", "is_quick": true});
        let diagnosis = ask(page, &request);
        let mut composition = diagnosis["setup"].clone();
        composition["do"] = "compose".into();
        composition["board"] = diagnosis["board"].clone();
        assert_eq!(ask(page, &composition), fen);
    }
}

#[test]
fn the_doctor_names_kings_in_check_and_wrong_letters() {
    let page = &mut Page::default();
    let mut examine = |fen: &str, is_chess960: bool| {
        ask(
            page,
            &json!({
                "do": "examine", "fen": fen, "language": "en", "is_quick": true,
                "is_chess960": is_chess960,
            }),
        )
    };
    assert_eq!(examine("4k3/8/8/8/8/8/4R3/4K3 b - - 0 40", false)["checked"], json!(["e8"]));
    assert_eq!(examine(START, false)["checked"], json!([]));
    assert_eq!(examine("8/8/8/3kK3/8/8/8/8 w - - 0 40", false)["checked"], json!([]));
    let wrong = examine("rnbqkbnr/ppppxppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", false);
    assert_eq!(wrong["findings"][0]["squares"], json!(["e7"]));
    let fen = "4k3/8/8/8/8/8/8/R2K3R w KQ - 0 29";
    let standard = examine(fen, false);
    assert_eq!(standard["findings"][0]["code"], "castling-king-elsewhere");
    assert_eq!(standard["findings"][0]["squares"], json!(["d1", "e1"]));
    assert_eq!(standard["repairs"][0]["fen"], "4k3/8/8/8/8/8/8/R2K3R w - - 0 29");
    assert_eq!(standard["repairs"][0]["is_sound"], true);
    assert_eq!(
        (&standard["is_chess960"], &standard["is_playable"]),
        (&json!(false), &json!(false))
    );
    let chess960 = examine(fen, true);
    assert_eq!(chess960["findings"], json!([]));
    assert_eq!((&chess960["is_chess960"], &chess960["is_playable"]), (&json!(true), &json!(true)));
    // Letters that cannot be standard say so themselves.
    assert_eq!(examine(&fen.replace("KQ", "HA"), false)["is_chess960"], true);
}

#[test]
fn a_game_begins_where_the_rules_allow_it_and_something_can_move() {
    let page = &mut Page::default();
    for (fen, is_playable) in [
        (START, true),
        // No game reaches these, but they can be played.
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", true),
        ("rn1qkbnr/pppppppp/b7/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 2 20", true),
        ("rnbqkbnr/pppppppp/8/8/8/P7/PPPPPPPP/RNBQKB2 w Qkq - 0 20", false),
        ("4k3/8/8/8/8/8/4Q3/4K3 w - - 0 40", false),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 60", false),
        ("8/8/8/8/8/8/8/8 w - - 0 1", false),
        ("", false),
    ] {
        let request = json!({"do": "examine", "fen": fen, "language": "en", "is_quick": true});
        assert_eq!(ask(page, &request)["is_playable"], is_playable, "{fen}");
    }
}

#[test]
fn the_engine_mates_in_one_at_full_strength_and_answers_at_every_level() {
    let page = &mut Page::default();
    let fen = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
    let task = |level: Value, nodes: Value| {
        json!({"do": "search", "start": fen, "moves": [], "level": level, "seed": 5,
            "move_time_ms": null, "nodes": nodes, "clock": null})
    };
    let result = ask(page, &task(Value::Null, 20_000.into()));
    assert_eq!((&result["san"], &result["score"]), (&json!("Rd8#"), &json!({"mate": 1})));
    for level in [400, 1200] {
        let result = ask(page, &task(level.into(), Value::Null));
        assert!(result["move"].is_string(), "{result}");
    }
}

#[test]
fn unplayable_and_unreachable_positions_are_distinguished() {
    let page = &mut Page::default();
    for (fen, code, prevents_play) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 40", "no-last-move", false),
        ("4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - - 0 40", "many-white-promotions", false),
        ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 40", "many-white-pawns", true),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 40", "castling-without-rook", true),
    ] {
        let request = json!({"do": "examine", "fen": fen, "language": "en", "is_quick": false});
        let findings = ask(page, &request)["findings"].clone();
        let finding = findings.as_array().unwrap().iter().find(|it| it["code"] == code).cloned();
        assert_eq!(
            finding.unwrap_or_default()["prevents_play"],
            prevents_play,
            "{fen}: {findings}"
        );
    }
}

#[test]
fn castling_names_its_rook_and_touches_what_they_demand() {
    let page = &mut Page::default();
    let mut settings = settings(&json!({"type": "unlimited"}));
    settings["start"] = "r3k2r/8/8/3p4/4P3/8/8/R3K2R w KQkq - 0 30".into();
    settings["is_touch_move"] = true.into();
    let new = json!({"do": "new_game", "settings": settings, "white": "Anna", "black": "Boris",
        "now": 1000});
    let view = ask(page, &new);
    let rook_of = |moves: &Value, uci: &str| {
        let is_meant = |mv: &&Value| mv["uci"] == uci;
        moves.as_array().unwrap().iter().find(is_meant).map(|mv| mv["rook"].clone())
    };
    let moves = &view["position"]["moves"];
    assert_eq!(rook_of(moves, "e1g1"), Some(json!("h1")));
    assert_eq!(rook_of(moves, "e1c1"), Some(json!("a1")));
    assert_eq!(rook_of(moves, "e4e5"), Some(Value::Null));
    let ready = json!({"do": "premoves", "fen": view["position"]["fen"], "is_white": false,
        "is_chess960": false, "waiting": []});
    let premoves = &ask(page, &ready)["moves"];
    assert_eq!(rook_of(premoves, "e8c8"), Some(json!("a8")));
    assert_eq!(rook_of(premoves, "e8d8"), Some(Value::Null));
    assert_eq!(view["obligation"], Value::Null);
    let touch = |square: &str| json!({"type": "touch", "square": square});
    let after = ask(page, &act(&view["game"], true, &touch("d5"), 2000));
    assert_eq!(after["obligation"], json!({"victim": "d5"}));
    let after = ask(page, &act(&view["game"], true, &touch("e4"), 2000));
    assert_eq!(after["obligation"], json!({"from": "e4", "victim": "d5"}));
}

#[test]
fn the_computer_declines_a_draw_in_the_opening_and_accepts_one_when_lost() {
    let page = &mut Page::default();
    let mut consider = |start: &str, moves: &[&str], is_white: bool, level: Value| {
        let request = json!({"do": "consider_draw", "start": start, "moves": moves,
            "is_white": is_white, "level": level});
        ask(page, &request)
    };
    for level in [json!(400), json!(1200), Value::Null] {
        assert_eq!(consider(START, &["e2e4", "e7e5", "g2g4"], true, level.clone()), false);
        let lost = "8/8/8/2k5/8/8/3QK3/8 w - - 0 60";
        assert_eq!(consider(lost, &[], false, level.clone()), true, "{level}");
        assert_eq!(consider(lost, &[], true, level.clone()), false, "{level}");
    }
}

#[test]
fn a_draw_is_claimed_by_announcing_the_move_that_makes_it() {
    let page = &mut Page::default();
    let view = new_game(page, &json!({"type": "unlimited"}));
    let game = view["game"].clone();
    let knights = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"];
    let moves: Vec<_> = knights.iter().map(|uci| (*uci, 0)).collect();
    let view = play(page, &game, &moves);
    assert_eq!(view["claims"], json!({"repetition": false, "fifty": false, "moves": ["f6g8"]}));
    let wrong = json!({"type": "claim", "announced": null});
    assert_eq!(reply(page, &act(&game, false, &wrong, 0))["error"]["code"], "nothing_to_claim");
    let claim = json!({"type": "claim", "announced": "f6g8"});
    let view = ask(page, &act(&game, false, &claim, 0));
    assert_eq!(view["end"]["reason"], "threefold_repetition");
    assert_eq!(view["claims"]["moves"], json!([]));
}
