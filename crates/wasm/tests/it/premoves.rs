//! Moves on trial, and premoves.

use super::*;

#[test]
fn a_move_on_trial_shows_its_board_and_changes_nothing() {
    let page = &mut Page::default();
    let request = json!({"do": "try_move", "fen": START, "uci": "g1f3", "is_chess960": false});
    let ply = ask(page, &request);
    assert_eq!((&ply["san"], &ply["turn"]), (&json!("Nf3"), &json!("black")));
    assert_eq!(&ply["board"].as_str().unwrap()[16..24], ".....N..");
    let request = json!({"do": "try_move", "fen": START, "uci": "g1g3", "is_chess960": false});
    assert_eq!(reply(page, &request)["error"]["code"], "illegal_move");
}

/// Whatever becomes legal after any answer of the opponent could have been made ready before.
#[test]
fn every_move_that_can_follow_can_be_made_ready() {
    let page = &mut Page::default();
    for fen in [
        START,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
        "r3k2r/1P6/8/8/3pP3/8/8/R3K2R b KQkq e3 0 1",
    ] {
        let now = ask(page, &json!({"do": "position", "fen": fen}));
        let waiter = now["turn"] == "black";
        let wait = json!({"do": "premoves", "fen": fen, "is_white": waiter, "is_chess960": false, "waiting": []});
        let ready: Vec<Value> = ask(page, &wait)["moves"].as_array().unwrap().clone();
        for mv in now["moves"].as_array().unwrap() {
            let trial =
                json!({"do": "try_move", "fen": fen, "uci": mv["uci"], "is_chess960": false});
            let tried = ask(page, &trial)["fen"].clone();
            let after = ask(page, &json!({"do": "position", "fen": tried}));
            for next in after["moves"].as_array().unwrap() {
                assert!(ready.iter().any(|it| it["uci"] == next["uci"]), "{fen}: {next}");
            }
        }
    }
}

#[test]
fn nothing_is_made_ready_that_no_board_allows() {
    let page = &mut Page::default();
    let wait = json!({"do": "premoves", "fen": START, "is_white": true, "is_chess960": false, "waiting": []});
    let ready = ask(page, &wait);
    let has = |uci: &str| ready["moves"].as_array().unwrap().iter().any(|it| it["uci"] == uci);
    assert!(has("a1a8") && has("e1g1") && has("e2e4") && has("e2d3") && has("d1h5"));
    assert!(!has("a1b3") && !has("e2e5") && !has("b1b3") && !has("e7e5") && !has("e1e3"));
}

#[test]
fn a_premove_is_made_on_the_board_that_the_ones_before_it_leave() {
    let page = &mut Page::default();
    let mut wait = |fen: &str, is_chess960: bool, waiting: &[&str]| {
        let request = json!({"do": "premoves", "fen": fen, "is_white": true,
            "is_chess960": is_chess960, "waiting": waiting});
        let found = ask(page, &request);
        move |uci: &str| found["moves"].as_array().unwrap().iter().any(|it| it["uci"] == uci)
    };
    let black = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let has = wait(black, false, &["g1f3", "f1c4"]);
    assert!(has("f3g5") && has("c4f7") && has("e1g1") && !has("g1f3") && !has("f1b5"));
    // Castling takes the rook along and cannot be repeated.
    let has = wait(black, false, &["g1f3", "f1c4", "e1g1"]);
    assert!(has("f1e1") && has("g1h1") && !has("e1c1") && !has("h1g1"));
    // A king that has moved does not castle any more, nor does a rook that has.
    assert!(!wait(black, false, &["e1e2", "e2e1"])("e1g1"));
    let has = wait(black, false, &["h1g1", "g1h1"]);
    assert!(!has("e1g1") && has("e1c1"));
    // A new queen moves as one, even if the premoves capture the king.
    let last = "4k3/3P4/8/8/8/8/8/R3K2R b KQ - 0 1";
    assert!(wait(last, false, &["d7d8q"])("d8d1"));
    assert!(wait(last, false, &["d7e8n", "e8c7"])("c7b5"));
    // In Chess960 the king castles by going to its rook.
    assert!(wait(last, true, &["e1h1"])("f1f8"));
}

#[test]
fn wrong_or_too_many_premoves_are_refused() {
    let page = &mut Page::default();
    for waiting in [vec!["e2"; 1], vec!["e2e4"; 33]] {
        let request = json!({"do": "premoves", "fen": START, "is_white": true,
            "is_chess960": false, "waiting": waiting});
        assert!(reply(page, &request)["error"]["code"].is_string());
    }
}
