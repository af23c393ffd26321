//! Searches of the engine: analysis, reports and puzzles.

use serde_json::json;

use crate::page::Page;
use crate::{START, ask, reply};

#[test]
fn the_puzzles_of_a_game_are_found_with_progress() {
    let page = &mut Page::default();
    let moves = ["e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7"];
    let task = |start: &str, nodes: u64| {
        json!({"do": "find_puzzles", "start": start, "moves": moves, "is_chess960": false,
        "nodes": nodes})
    };
    let found = ask(page, &task(START, 2_000));
    let puzzle = found.as_array().unwrap().last().unwrap();
    assert_eq!((&puzzle["ply"], &puzzle["mistake"]), (&json!(6), &json!("g8f6")));
    assert_eq!((&puzzle["moves"], &puzzle["line"]), (&json!(["h5f7"]), &json!(["Qxf7#"])));
    assert_eq!(puzzle["themes"], json!(["mate_in_1"]));
    assert_eq!(page.told.last().unwrap(), &json!({"plies": 7}));
    assert_eq!(reply(page, &task("nonsense", 2_000))["error"]["code"], "bad_fen");
    assert_eq!(reply(page, &task(START, 1 << 40))["error"]["code"], "bad_number");
}

#[test]
fn an_analysis_ends_after_its_nodes_and_reports_several_lines() {
    let page = &mut Page::default();
    let task = json!({"do": "search", "start": START, "moves": ["e2e4", "e7e5"],
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
    let task = json!({"do": "search", "start": START, "moves": ["e2e4"],
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
