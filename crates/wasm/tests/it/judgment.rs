//! Moves that are judged by the scores of an engine, and attempts at puzzles.

use serde_json::{Value, json};

use crate::page::Page;
use crate::review::open;
use crate::{ask, reply};

#[test]
fn a_move_is_judged_by_what_it_costs_its_player() {
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
