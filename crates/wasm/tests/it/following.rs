//! Games that a server tells of, moves on trial, and moves made ready.

use super::*;

fn follow(moves: &str, settings: &Value) -> Value {
    json!({"do": "follow", "settings": settings, "white": "Anna", "black": "Boris",
        "moves": moves, "touched": []})
}

#[test]
fn a_game_that_is_followed_looks_like_one_that_is_played_here() {
    let desk = &mut Desk::default();
    let control = json!({"type": "increment", "initial_ms": 60_000, "increment_ms": 0});
    let game = new_game(desk, &control)["game"].clone();
    let moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6", "e1g1", "f6e4"];
    let timed: Vec<(&str, u64)> = moves.iter().map(|&mv| (mv, 1000)).collect();
    let played = play(desk, &game, &timed);
    let followed = ask(desk, &follow(&moves.join(" "), &settings(&control)));
    for field in ["white", "black", "settings", "turn", "end", "claims", "start", "position"] {
        assert_eq!(followed[field], played[field], "{field}");
    }
    for (one, other) in
        followed["plies"].as_array().unwrap().iter().zip(played["plies"].as_array().unwrap())
    {
        assert_eq!((&one["san"], &one["board"]), (&other["san"], &other["board"]));
    }
    assert_eq!(followed["plies"].as_array().unwrap().len(), moves.len());
}

#[test]
fn what_a_server_could_never_say_is_refused() {
    let desk = &mut Desk::default();
    let settings = settings(&json!({"type": "unlimited"}));
    for (moves, code) in
        [("e2e5", "illegal_move"), ("e2", "bad_move"), ("e2e4 d2d4", "illegal_move")]
    {
        assert_eq!(reply(desk, &follow(moves, &settings))["error"]["code"], code, "{moves}");
    }
}

#[test]
fn in_chess960_the_king_takes_the_rook() {
    let desk = &mut Desk::default();
    let mut settings = settings(&json!({"type": "unlimited"}));
    settings["start"] = "1rk4r/8/8/8/8/8/8/1RK4R w HBhb - 0 1".into();
    settings["is_chess960"] = true.into();
    let view = ask(desk, &follow("", &settings));
    let moves = view["position"]["moves"].as_array().unwrap();
    let castling: Vec<_> = moves.iter().filter(|mv| mv["san"] == "O-O").collect();
    assert_eq!(castling[0]["uci"], "c1h1");
    let after = ask(desk, &follow("c1h1", &settings));
    assert_eq!(
        (&after["plies"][0]["to"], &after["plies"][0]["san"]),
        (&json!("h1"), &json!("O-O"))
    );
}

#[test]
fn a_touched_man_is_the_only_one_to_move() {
    let desk = &mut Desk::default();
    let mut settings = settings(&json!({"type": "unlimited"}));
    settings["is_touch_move"] = true.into();
    let mut question = follow("", &settings);
    question["touched"] = json!(["g1"]);
    let view = ask(desk, &question);
    let moves = view["position"]["moves"].as_array().unwrap();
    assert!(moves.len() == 2 && moves.iter().all(|mv| mv["from"] == "g1"), "{moves:?}");
}

#[test]
fn a_move_on_trial_shows_its_board_and_changes_nothing() {
    let desk = &mut Desk::default();
    let question = json!({"do": "try_move", "fen": START, "uci": "g1f3", "is_chess960": false});
    let ply = ask(desk, &question);
    assert_eq!((&ply["san"], &ply["turn"]), (&json!("Nf3"), &json!("black")));
    assert_eq!(&ply["board"].as_str().unwrap()[16..24], ".....N..");
    let question = json!({"do": "try_move", "fen": START, "uci": "g1g3", "is_chess960": false});
    assert_eq!(reply(desk, &question)["error"]["code"], "illegal_move");
}

/// Whatever becomes legal after any answer of the opponent could have been made ready before.
#[test]
fn every_move_that_can_follow_can_be_made_ready() {
    let desk = &mut Desk::default();
    for fen in [
        START,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
        "r3k2r/1P6/8/8/3pP3/8/8/R3K2R b KQkq e3 0 1",
    ] {
        let now = ask(desk, &json!({"do": "position", "fen": fen}));
        let waiter = now["turn"] == "black";
        let wait = json!({"do": "premoves", "fen": fen, "is_white": waiter, "is_chess960": false});
        let ready: Vec<Value> = ask(desk, &wait).as_array().unwrap().clone();
        for mv in now["moves"].as_array().unwrap() {
            let trial =
                json!({"do": "try_move", "fen": fen, "uci": mv["uci"], "is_chess960": false});
            let tried = ask(desk, &trial)["fen"].clone();
            let after = ask(desk, &json!({"do": "position", "fen": tried}));
            for next in after["moves"].as_array().unwrap() {
                assert!(ready.iter().any(|it| it["uci"] == next["uci"]), "{fen}: {next}");
            }
        }
    }
}

#[test]
fn nothing_is_made_ready_that_no_board_allows() {
    let desk = &mut Desk::default();
    let wait = json!({"do": "premoves", "fen": START, "is_white": true, "is_chess960": false});
    let ready = ask(desk, &wait);
    let has = |uci: &str| ready.as_array().unwrap().iter().any(|it| it["uci"] == uci);
    assert!(has("a1a8") && has("e1g1") && has("e2e4") && has("e2d3") && has("d1h5"));
    assert!(!has("a1b3") && !has("e2e5") && !has("b1b3") && !has("e7e5") && !has("e1e3"));
}
